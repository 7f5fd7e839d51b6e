"""Processing results of a document: three panels of its page in one response."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from config import table
from config.errors import NotFound
from config.item import Item
from config.table import InvalidKey
from projects.documents.items import Document
from projects.entities import queries as entity_queries
from projects.queues import visibility
from projects.sites import access, directory
from projects.web.http import DeskRequest, render_answer
from workflows.documents.views.contents import load_contents
from workflows.documents.views.runs import describe_runs, find_project
from workflows.runs import queries
from workflows.runs.items import Execution, Outcome, ProjectDocument
from workflows.runs.known_entities import describe_sender
from workflows.runs.views.results import load_result


@require_safe
def show_work(request: DeskRequest, document_id: str) -> HttpResponse:
    """Render three panels in one response, to save two requests.

    Three calls: its runs, its rows, and its result, which is one more if it was decided and not published. One more if
    it has newer file versions, and one for its sender's types on a site with entities.
    """
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    try:
        page = queries.document_workflows(request.site, document_id, cursor=request.GET.get("after"))
        newest = str(page.rows[0].SK).partition("#")[2] if page.rows else ""
        document, row, execution = _read_rows(request.site, document_id, find_project(page.rows), newest)
    except InvalidKey as error:
        raise NotFound(gettext("Document not found.")) from error
    context = describe_runs(document_id, page, row) | load_contents(request, document)
    if row is not None:
        published = row.outcome == Outcome.PUBLISHED or bool(row.decided)
        execution = execution if row.counts == newest else None
        context |= load_result(
            request, document.project_id, document_id, row.counts, published=published, execution=execution
        )
        context |= {
            "row": row,
            "run": row.counts,
            "has_image": _is_drawn(document),
            "sender_ways": _list_sender_ways(request, context.get("fields") or ()) if published else (),
        }
    return render_answer(request, "workflows/documents/work.html", "workflows/documents/_work.html", context)


def _read_rows(
    site: str, document_id: str, project_id: str, newest: str
) -> tuple[Document, ProjectDocument | None, Execution | None]:
    """Return the document's row, its row in the project, and its newest run's execution.

    Raises: NotFound if it was deleted.
    """
    mine = table.DOCUMENT.key(site, document_id=document_id)
    listed = table.PROJECT_DOCUMENT.key(site, project_id=project_id, document_id=document_id) if project_id else None
    run = queries.execution_key(site, newest) if newest else None
    kinds = (Document, ProjectDocument, Execution)
    names = {one.attr_name for kind in kinds for one in kind.get_attributes().values()}
    found = Item.together([mine, *filter(None, [listed, run])], only=sorted(names))
    if mine not in found:
        raise NotFound(gettext("Document not found."))
    row = ProjectDocument.from_raw_data(found[listed]) if listed in found else None
    execution = Execution.from_raw_data(found[run]) if run in found else None
    return Document.from_raw_data(found[mine]), row, execution


def _list_sender_ways(request: DeskRequest, fields: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """List where the sender of a published document can be saved: each entity type and its form's URL."""
    if not access.can_upload(request) or not directory.has_entities(request.site):
        return []
    sender = describe_sender([one for one in fields if "masked" not in one])
    if not sender:
        return []
    types = entity_queries.list_types(request.site)
    query = urlencode({name: value for name, value in sender.items() if value})
    return [(str(one.name), f"{reverse('entities:create-entity', args=[one.type_id])}?{query}") for one in types]


def _is_drawn(document: Document) -> bool:
    """Return True if its pages are images; text, emails, tables and recordings have none."""
    return str(document.contentType).startswith("image/") or document.contentType == "application/pdf"

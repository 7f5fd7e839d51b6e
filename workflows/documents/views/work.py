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
from workflows.runs.items import Outcome, ProjectDocument
from workflows.runs.known_entities import describe_sender
from workflows.runs.views.results import load_result


@require_safe
def show_work(request: DeskRequest, document_id: str) -> HttpResponse:
    """Render three panels in one response, to save two requests.

    Three calls: its runs, its two rows, and its result. One more if it has newer file versions, and one for its
    sender's types on a site with entities.
    """
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    try:
        page = queries.document_workflows(request.site, document_id, cursor=request.GET.get("after"))
        document, row = _read_both_rows(request.site, document_id, find_project(page.rows))
    except InvalidKey as error:
        raise NotFound(gettext("Document not found.")) from error
    context = describe_runs(document_id, page, row) | load_contents(request, document)
    if row is not None:
        published = row.outcome == Outcome.PUBLISHED or bool(row.decided)
        context |= load_result(request, document.project_id, document_id, row.counts, published=published)
        context |= {
            "row": row,
            "run": row.counts,
            "has_image": _is_drawn(document),
            "sender_ways": _list_sender_ways(request, context.get("fields") or ()) if published else (),
        }
    return render_answer(request, "workflows/documents/work.html", "workflows/documents/_work.html", context)


def _read_both_rows(site: str, document_id: str, project_id: str) -> tuple[Document, ProjectDocument | None]:
    """Return the document's own row and its row in the project. Raises: NotFound if it was deleted."""
    mine = table.DOCUMENT.key(site, document_id=document_id)
    listed = table.PROJECT_DOCUMENT.key(site, project_id=project_id, document_id=document_id) if project_id else None
    names = {one.attr_name for kind in (Document, ProjectDocument) for one in kind.get_attributes().values()}
    found = Item.together([mine, *filter(None, [listed])], only=sorted(names))
    if mine not in found:
        raise NotFound(gettext("Document not found."))
    row = ProjectDocument.from_raw_data(found[listed]) if listed in found else None
    return Document.from_raw_data(found[mine]), row


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

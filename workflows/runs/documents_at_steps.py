"""The documents at each step of a definition, for its page and the API."""

from dataclasses import dataclass

from django.utils.translation import gettext

from config.errors import NotFound
from projects.documents.items import Document
from projects.documents.queries import get_documents
from projects.queues import visibility
from projects.web.http import DeskRequest
from workflows.definitions import versions
from workflows.definitions.blueprint import is_approval, label_of
from workflows.runs import queries


@dataclass(frozen=True)
class DocumentAtStep:
    """A document with a run of a definition in progress. ``waits``: in review."""

    document: Document
    run_id: str
    step: str
    waits: bool
    since: str


def list_visible_documents(
    request: DeskRequest, name: str, cursor: str | None
) -> tuple[list[DocumentAtStep], str | None]:
    """List the documents in progress with their steps, without those that the person may not see.

    One Query, and one batch read for names. Raises: NotFound if there is no such definition.
    """
    if name not in versions.list_names():
        raise NotFound(gettext("Workflow definition not found."))
    page = visibility.filter_page(
        request,
        lambda place: queries.list_documents_at_steps(request.site, name, cursor=place),
        cursor,
        lambda row: row.document_id,
    )
    documents = {one.document_id: one for one in get_documents(request.site, [row.document_id for row in page.rows])}
    rows = [
        DocumentAtStep(documents[row.document_id], row.workflow_id, label_of(step), is_approval(step), row.updated_at)
        for row in page.rows
        if row.document_id in documents and (step := str(row.current_step))
    ]
    return rows, page.next

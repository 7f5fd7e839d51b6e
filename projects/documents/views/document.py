"""The page of one document, and its activity."""

from typing import Any

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from config.errors import NotFound
from config.phrase import Phrase
from config.table import InvalidKey
from projects.documents import queries
from projects.documents.items import DocumentStatus
from projects.documents.page import activity_of, list_activity, mask_attribute, page_of, refer
from projects.documents.states import look_of
from projects.documents.view_log import record_view
from projects.folders import queries as folder_queries
from projects.folders.items import FolderEntry
from projects.folders.queries import ROOT
from projects.personal.access import fields_hidden_from
from projects.queues import visibility
from projects.schemas import queries as schema_queries
from projects.schemas.labels.reading import get_labels
from projects.shares import queries as share_queries
from projects.shares.views import describe_shares
from projects.sites import access, directory
from projects.web.http import DeskRequest, redirect_after_post, render_answer

DELETED = Phrase("This document was deleted. Users with the delete permission can find it under Deleted documents.")

_OPEN = (DocumentStatus.IN_PROGRESS, DocumentStatus.WAITING)


@require_safe
def show_document(request: DeskRequest, document_id: str) -> HttpResponse:
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    try:
        return record_view(request, document_page(request, document_id), document_id)
    except NotFound:
        return _elsewhere(request, document_id)


def _elsewhere(request: DeskRequest, document_id: str) -> HttpResponse:
    """Redirect to the deleted document's page, or to the runs of a seed-000 document.

    Raises:
        NotFound: neither exists, or this person may not see it.

    """
    try:
        record = queries.get_removal(request.site, document_id)
    except NotFound:
        if not queries.is_earlier(request.site, document_id):
            raise
        return HttpResponseRedirect(reverse("workflows:newest-run", args=[document_id]))
    if not access.can_delete(request):
        raise NotFound(DELETED)
    return redirect_after_post(request, reverse("documents:show-deleted", args=[record.document_id]))


def document_page(
    request: DeskRequest, document_id: str, *, fragment: str | None = None, status: int = 200, **more: Any
) -> HttpResponse:
    """Render the page, or one of its panels for htmx.

    Raises:
        NotFound: no such document, or it was deleted.

    """
    rows = queries.document_rows(request.site, document_id)
    labels = get_labels(request.site)
    definitions = [labels.name_definition(one) for one in schema_queries.attribute_definitions(request.site)]
    context = page_of(rows, definitions, labels, refer(request.site, rows.attributes))
    if fields_hidden_from(request, rows.document.project_id):
        context["attributes"] = [mask_attribute(one) for one in context["attributes"]]
    context["children"] = visibility.filter_rows(request, context["children"], lambda child: child.documentId)
    context["look"] = look_of(rows.document.status)
    context["has_open_run"] = rows.document.status in _OPEN  # until it ends, deleting is refused
    context["folders"] = _list_folders(request.site, rows.document.folder_id or ROOT)
    context |= _activity_context(request, document_id)
    if directory.has_shares(request.site):
        context["shares"] = describe_shares(request, share_queries.list_shares_of(request.site, document_id))
    type_id = rows.document.classification_id or ""
    context["classification"] = labels.name_type(type_id, _classification(request.site, type_id))
    return render_answer(request, "projects/documents/show.html", fragment, context | more, status=status)


def _list_folders(site: str, folder_id: str) -> list[FolderEntry]:
    """Return the folders from the top; one Query each, none without a folder."""
    try:
        return folder_queries.list_crumbs(site, folder_id)
    except NotFound:  # moved a moment ago, and the index has yet to follow
        return []


_TYPE_NAMES = "type names"


def _classification(site: str, classification_id: str) -> str:
    """Return the document type's name, cached like permissions; empty if there is none."""

    def read_name() -> str:
        try:
            return schema_queries.get_classification(site, classification_id).name or ""
        except NotFound:
            return ""

    return directory.remember(_TYPE_NAMES, f"{site}#{classification_id}", read_name) if classification_id else ""


@require_safe
def show_activity(request: DeskRequest, document_id: str) -> HttpResponse:
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    try:
        context = _activity_context(request, document_id, request.GET.get("after"))
    except InvalidKey as error:
        raise NotFound(gettext("Document not found.")) from error
    if not access.can_delete(request) and queries.is_gone(request.site, document_id):
        raise NotFound(DELETED)
    return render_answer(request, "projects/documents/activity.html", "projects/documents/_activity.html", context)


def _activity_context(request: DeskRequest, document_id: str, cursor: str | None = None) -> dict[str, Any]:
    page = list_activity(request, document_id, cursor)
    return {
        "document_id": document_id,
        "activities": [activity_of(row) for row in page.rows],
        "next_activities": page.next,
        "is_first": not cursor,
    }

"""Views that delete, restore and purge a document."""

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from config.errors import Refused
from projects.audit.events import actor_of
from projects.documents import queries as document_queries
from projects.documents.items import Document
from projects.queues import visibility
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, render_answer
from workflows.documents.actions import removals
from workflows.documents.tasks import order_removal_soon
from workflows.runs import queries
from workflows.runs.items import StepStatus

_LONGEST_REASON = 300  # characters


@require_http_methods(["GET", "POST"])
def delete_document(request: DeskRequest, document_id: str) -> HttpResponse:
    access.check_can_delete(request)
    visibility.check_document(request, document_id)
    document = document_queries.get_document(request.site, document_id)
    if request.method == "GET":
        return _removal_page(request, document)
    reason = request.POST.get("reason", "").strip()[:_LONGEST_REASON]
    try:
        removals.delete_document(request.site, document_id, by=actor_of(request.user), reason=reason)
    except Refused as error:
        return _removal_page(request, document, error=str(error), status=422)
    messages.success(request, gettext("%(name)s was deleted. You can restore it.") % {"name": document.name})
    return redirect_after_post(request, reverse("documents:show-deleted", args=[document_id]))


def _removal_page(request: DeskRequest, document: Document, *, error: str = "", status: int = 200) -> HttpResponse:
    row = queries.project_document(request.site, document.project_id, document.document_id)
    under_way = removals.UNDER_WAY if row.status == StepStatus.IN_PROGRESS else ""
    children = document_queries.document_rows(request.site, document.document_id).children
    context = {
        "document": document,
        "blocked": error or (removals.HELD if document.hold_at else under_way),
        "children": sum(not child.deleted_at for child in children),
        "longest": _LONGEST_REASON,
    }
    return render_answer(request, "workflows/documents/delete.html", None, context, status=status)


@require_POST
def restore_document(request: DeskRequest, document_id: str) -> HttpResponse:
    access.check_can_delete(request)
    visibility.check_document(request, document_id)
    removals.restore_document(request.site, document_id, by=actor_of(request.user))
    messages.success(request, gettext("Document restored."))
    return redirect_after_post(request, reverse("documents:show-document", args=[document_id]))


@require_POST
def purge_document(request: DeskRequest, document_id: str) -> HttpResponse:
    access.check_can_delete(request)
    visibility.check_document(request, document_id)
    if request.POST.get("sure") != "yes":
        raise Refused(gettext("Confirm the permanent deletion: it cannot be undone."))
    removals.purge_document(request.site, document_id, by=actor_of(request.user))
    order_removal_soon(request.site, document_id)
    messages.success(request, gettext("The document is being permanently deleted."))
    return redirect_after_post(request, reverse("documents:show-deleted", args=[document_id]))

"""A mail or an archive that left files out is taken apart once more."""

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from projects.audit.events import actor_of
from projects.documents.queries.documents import document_rows
from projects.queues import admission
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post
from workflows.intake import unpacking
from workflows.intake.actions import unpack as records
from workflows.intake.tasks import order_unpacking_soon


@require_POST
def unpack_again(request: DeskRequest, document_id: str) -> HttpResponse:
    access.check_can_upload(request)
    admission.check_document(request, document_id)
    record = unpacking.record_of(document_rows(request.site, document_id))
    records.again(request.site, record, by=actor_of(request.user))
    order_unpacking_soon(request.site, document_id)
    messages.success(request, "Extracting its files again. Existing files are kept.")
    return redirect_after_post(request, reverse("documents:show-document", args=[document_id]))

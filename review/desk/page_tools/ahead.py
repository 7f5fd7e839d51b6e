"""Prefetching the next document's first page; peeking claims nothing."""

from django.http import HttpResponse, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from config import clock
from projects.personal.access import projects_hidden_from
from projects.policies.gate import find_denied_documents
from projects.sites import access
from projects.web.http import DeskRequest
from review import queries
from review.desk.field_form import PageSheet
from review.items.reviews import Review
from workflows.storage import files
from workflows.storage.objects import DocumentFiles


@require_safe
def peek_next(request: DeskRequest) -> HttpResponse:
    """Return name and first page of the review that ``claim_next`` would most likely take; ``but``: the open one."""
    access.check_can_review(request)
    queue = request.GET.get("queue", "")
    access.check_admitted(request, queue)
    found = _find_next(request, queue, request.GET.get("but", ""))
    picture = ""
    if found and DocumentFiles(request.site, found.project_id, found.document_id).exists(files.page_image(0)):
        image = reverse("workflows:page-image", args=[found.project_id, found.document_id, 0])
        picture = PageSheet(0, 0, 0, image).picture
    name = found.name if found and picture else ""
    return JsonResponse({"picture": picture, "name": name}, headers={"Cache-Control": "private, no-store"})


def _find_next(request: DeskRequest, queue: str, but: str) -> Review | None:
    closed = projects_hidden_from(request)
    now, person = clock.iso(clock.now()), str(request.user.pk)
    rows = queries.list_queue(request.site, queue).rows
    denied = find_denied_documents(request, [row.document_id for row in rows])
    for row in rows:
        open_to_me = queries.holder_of(row, now=now) in {"", person} and row.deadline > now
        open_to_me &= row.document_id not in denied | {but} and row.project_id not in closed
        if open_to_me and not queries.row_ref(request.site, row).is_handed_over:
            return row
    return None

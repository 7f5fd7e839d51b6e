"""The page of messages whose task failed again and again: look, send once more, throw away."""

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from projects.audit.events import actor_of
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, render_answer
from workflows.operations import dead_letters, undelivered_events


@require_safe
def list_dead_letters(request: DeskRequest) -> HttpResponse:
    access.check_can_manage_sites(request)  # a queue holds every site's work
    return render_answer(
        request, "workflows/operations/dead_letters.html", None, {"rows": dead_letters.list_dead_letters()}
    )


@require_POST
def settle_dead_letter(request: DeskRequest, queue: str, message_id: str) -> HttpResponse:
    access.check_can_manage_sites(request)
    if request.POST.get("order") == "discard":
        letter = dead_letters.discard_dead_letter(queue, message_id, by=actor_of(request.user))
        messages.success(request, f"{letter.task} was discarded. The audit keeps its details.")
    else:
        letter = dead_letters.replay_dead_letter(queue, message_id, by=actor_of(request.user))
        where = "is sent again" if letter.queue == undelivered_events.QUEUE else "is queued again"
        messages.success(request, f"{letter.task} {where}. If it keeps failing, it returns here.")
    return redirect_after_post(request, reverse("operations:list-dead-letters"))

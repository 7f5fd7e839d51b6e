"""The page of dead letters: list, retry and discard them."""

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from config.phrase import Phrase
from projects.audit.events import actor_of
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, render_answer
from workflows.operations import dead_letters, undelivered_events


@require_safe
def list_dead_letters(request: DeskRequest) -> HttpResponse:
    access.check_can_manage_sites(request)  # queues are shared by all sites
    return render_answer(
        request, "workflows/operations/dead_letters.html", None, {"rows": dead_letters.list_dead_letters()}
    )


@require_POST
def settle_dead_letter(request: DeskRequest, queue: str, message_id: str) -> HttpResponse:
    access.check_can_manage_sites(request)
    if request.POST.get("order") == "discard":
        letter = dead_letters.discard_dead_letter(queue, message_id, by=actor_of(request.user))
        messages.success(
            request, gettext("%(task)s was discarded. The audit keeps its details.") % {"task": letter.task}
        )
    else:
        letter = dead_letters.replay_dead_letter(queue, message_id, by=actor_of(request.user))
        where = Phrase("is sent again") if letter.queue == undelivered_events.QUEUE else Phrase("is queued again")
        messages.success(
            request,
            gettext("%(task)s %(where)s. If it keeps failing, it returns here.")
            % {"task": letter.task, "where": where},
        )
    return redirect_after_post(request, reverse("operations:list-dead-letters"))

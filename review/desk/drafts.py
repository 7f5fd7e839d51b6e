"""Saving drafts, by script while typing or by the form's button."""

import json

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from config.errors import Conflict, Refused
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post
from review.decide import drafts
from review.decide.drafts import SavedDraft
from review.desk import forms, ticket
from review.desk.page import check_waits_for, person_of, render_lost_page
from review.identity import ReviewRef


@require_POST
def save_draft(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    access.check_can_review(request)
    ref, person = ReviewRef(request.site, document_id, review_id), person_of(request)
    try:
        carried = ticket.read_ticket(request.POST.get("ticket", ""), ref, person.id)
    except Refused as error:
        return render_lost_page(request, ref, notice=str(error))
    check_waits_for(request, carried.queue)
    # A script sends the fields that were typed into; the form's button sends them all.
    chooses = "show-type" in request.POST  # the button beside the document type: show its fields
    typed = forms.draft_of(request.POST.dict(), carried, all_of_it=bool(request.htmx) and not chooses)
    if typed.is_empty:
        return redirect_after_post(request, _desk(ref)) if chooses else _draft_answer(request, ref, None)
    try:
        saved = drafts.save_draft(ref, typed, by=person, version=carried.version, begun="begun" in request.POST)
    except Conflict:
        return render_lost_page(request, ref)
    if not saved.until:
        return render_lost_page(request, ref)
    return redirect_after_post(request, _desk(ref)) if chooses else _draft_answer(request, ref, saved)


def _desk(ref: ReviewRef) -> str:
    return reverse("review:show-review", args=[ref.document_id, ref.review_id])


def _draft_answer(request: DeskRequest, ref: ReviewRef, saved: SavedDraft | None) -> HttpResponse:
    if request.htmx:  # the page stays as it is: the person is typing
        news = {"draft": saved.at, "lease": saved.until} if saved else {}
        return HttpResponse(status=204, headers={"HX-Trigger": json.dumps(news), "Cache-Control": "no-store"})
    messages.success(
        request, gettext("Draft saved. Only you can see it.") if saved else gettext("No changes since the last draft.")
    )
    return redirect_after_post(request, _desk(ref))

"""Actions at the desk: claim, renew, release, decide, undo. POST only."""

import datetime as dt
import logging
from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from config import clock
from config.errors import Conflict, CountersignError, Refused
from config.phrase import Phrase
from projects.personal.access import projects_hidden_from
from projects.policies.gate import find_denied_documents
from projects.schemas.labels.reading import get_labels
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, wants_fragment
from review import queries
from review.decide import claims, decisions
from review.decide.claims import DecidedReview
from review.decide.tasks import enqueue_redeem
from review.desk import forms, ticket
from review.desk.comparison import Draft
from review.desk.forms import Answers
from review.desk.page import (
    check_waits_for,
    desk_page,
    load_open_review,
    load_review,
    open_in_place,
    person_of,
    render_lost_page,
)
from review.desk.queue import queue_url
from review.desk.ticket import Receipt, Ticket
from review.desk.undo_window import read_window
from review.identity import ReviewRef, queue_id

log = logging.getLogger(__name__)


def _ref(request: DeskRequest, document_id: str, review_id: str) -> ReviewRef:
    return ReviewRef(request.site, document_id, review_id)


def _desk_url(ref: ReviewRef) -> str:
    return reverse("review:show-review", args=[ref.document_id, ref.review_id])


@require_POST
def claim(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    access.check_can_review(request)
    ref = _ref(request, document_id, review_id)
    run = queries.run_of(ref, load_review(request, ref))
    try:
        claims.claim_review(ref, run, by=person_of(request))
    except Conflict:
        return render_lost_page(request, ref)
    return redirect_after_post(request, _desk_url(ref))


@require_POST
def claim_next(request: DeskRequest) -> HttpResponse:
    access.check_can_review(request)
    queue = request.POST.get("queue", "")
    access.check_admitted(request, queue)
    following = claims.claim_next(
        request.site, queue, by=person_of(request), closed_projects=projects_hidden_from(request),
        find_denied=partial(find_denied_documents, request),
    )  # fmt: skip
    if following is None:
        messages.info(
            request,
            gettext("No unclaimed reviews for you right now. To claim one that you skipped or released, open it."),
        )
    return redirect_after_post(request, _desk_url(following) if following else queue_url(queue))


@require_POST
def renew(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    access.check_can_review(request)
    ref = _ref(request, document_id, review_id)
    load_review(request, ref)
    try:
        until = claims.renew_claim(ref, by=person_of(request))
    except Conflict:
        return render_lost_page(request, ref)
    if request.htmx:
        # The page stays as it is: it shows only this person's input.
        return HttpResponse(status=204, headers={"HX-Trigger": f'{{"lease": "{until}"}}', "Cache-Control": "no-store"})
    return redirect_after_post(request, _desk_url(ref))


@require_POST
def release(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    access.check_can_review(request)
    ref = _ref(request, document_id, review_id)
    review = load_review(request, ref)
    run = queries.run_of(ref, review)
    try:
        claims.release_claim(ref, run, by=person_of(request))
    except Conflict:
        return render_lost_page(request, ref)
    messages.success(request, gettext("Released. The document is back in the queue without a decision."))
    return redirect_after_post(request, queue_url(queue_id(review.queue)))


@require_POST
def leave(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    """Return to the queue; release the automatically opened review if it is untouched."""
    access.check_can_review(request)
    ref, person = _ref(request, document_id, review_id), person_of(request)
    review, begun = load_open_review(request, ref)
    if begun is None:
        claims.leave_claim(ref, queries.run_of(ref, review), by=person)
    return redirect_after_post(request, queue_url(queue_id(review.queue)))


@require_POST
def decide(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    access.check_can_review(request)
    ref, person = _ref(request, document_id, review_id), person_of(request)
    try:
        carried = ticket.read_ticket(request.POST.get("ticket", ""), ref, person.id)
    except Refused as error:
        return render_lost_page(request, ref, notice=str(error))
    check_waits_for(request, carried.queue)
    answers = forms.answers_of(request.POST.dict(), carried)
    if not answers.is_valid:
        told = forms.answers_of(request.POST.dict(), carried.in_language(get_labels(ref.site)))
        return desk_page(request, ref, draft=_draft_of_refused(request, told, carried), status=422)
    window = read_window(request)
    try:
        verdict = forms.make_verdict(answers, carried)
        until = decisions.decide_review(ref, carried.run(ref), verdict, by=person, undo_seconds=window)
    except Conflict:
        return render_lost_page(request, ref)
    enqueue_redeem(ref, carried.decision_id, delay=window)
    return answer_decision(
        request, ref, carried, str(answers.decision), until, wants_next=forms.wants_next(request.POST.dict())
    )


def answer_decision(
    request: DeskRequest, ref: ReviewRef, carried: Ticket, did: str, until: dt.datetime, *, wants_next: bool
) -> HttpResponse:
    """Respond with the next document or the queue, and a receipt to undo ``until`` then. ``did``: its text."""
    receipt = Receipt(ref.document_id, ref.review_id, carried.decision_id, carried.name, did, clock.iso(until))
    done = ticket.sign_receipt(receipt, ref.site, person_of(request).id)
    following = _next(request, ref, carried) if wants_next else None
    where = _desk_url(following) if following else queue_url(carried.queue)
    url = f"{where}?{urlencode({'done': done})}"
    if following and wants_fragment(request):
        try:
            return open_in_place(request, following, url, done=done)
        except CountersignError as error:  # the decision is valid; the document's own page says what is wrong
            log.warning("next review not opened in place", extra={"error": type(error).__name__})
    return redirect_after_post(request, url)


def _draft_of_refused(request: DeskRequest, answers: Answers, carried: Ticket) -> Draft:
    """Show the input with its errors; ask about unchecked fields once there are no others."""
    asks = carried.unseen_allowed and not answers.errors
    anyway = forms.decide_anyway_word(request.POST.dict()) if asks else ""
    unseen = () if carried.unseen_allowed and not asks else answers.unseen
    return Draft(
        answers.typed, answers.errors, answers.reason, answers.reason_error, confirmed=answers.confirmed,
        answers=answers.chosen, reject_reason=answers.reject_reason,
        unseen=unseen, anyway=anyway,
    )  # fmt: skip


def _next(request: DeskRequest, ref: ReviewRef, carried: Ticket) -> ReviewRef | None:
    """Open the next document; if none can be claimed, show the queue. The decision stands either way."""
    try:
        return claims.claim_next(
            ref.site, carried.queue, by=person_of(request), but=ref, after=DecidedReview(ref, carried.decision_id),
            closed_projects=projects_hidden_from(request), find_denied=partial(find_denied_documents, request),
        )  # fmt: skip
    except CountersignError as error:
        log.warning("no next review", extra={"error": type(error).__name__})
        return None


@require_POST
def undo(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    access.check_can_review(request)
    ref = _ref(request, document_id, review_id)
    run = queries.run_of(ref, load_review(request, ref))
    decision_id, person = request.POST.get("decision_id", ""), person_of(request)
    try:
        decisions.undo_decision(ref, run, decision_id=decision_id, by=person)
    except Conflict:
        if not queries.was_undone(ref, decision_id, person.id):
            return render_lost_page(request, ref, notice=Phrase("Too late to undo: the decision has been submitted."))
        messages.info(request, gettext("This decision was already undone."))
        return redirect_after_post(request, _desk_url(ref))
    messages.success(request, gettext("Decision undone. Nothing was submitted; the document is assigned to you again."))
    return redirect_after_post(request, _desk_url(ref))

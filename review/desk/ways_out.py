"""Leaving a review undecided: skip, postpone, assign. The next document opens after each."""

from functools import partial

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from config.errors import Conflict, Refused
from projects.personal.access import projects_hidden_from
from projects.policies.gate import find_denied_documents
from projects.sites import access
from projects.sites.people import list_people
from projects.sites.permissions import Permission
from projects.web.http import DeskRequest, redirect_after_post, render_answer
from review import queries
from review.decide import assignments, claims, postponements
from review.desk.page import load_review, may_assign_over_claim, person_of, render_lost_page
from review.desk.queue import queue_url
from review.desk.viewer_state import viewer_state_of
from review.desk.ways_out_forms import AssignForm, PostponeForm, SkipForm
from review.identity import Person, ReviewRef, queue_id
from review.items.reviews import Review


@require_http_methods(["GET", "POST"])
def skip(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    access.check_can_review(request)
    ref = ReviewRef(request.site, document_id, review_id)
    review = load_review(request, ref)
    if not viewer_state_of(review, person_of(request)).mine:
        return render_lost_page(request, ref)
    form = SkipForm(_post_of(request))
    if not form.is_valid():
        return _ask(request, ref, review, form, "skip")
    try:
        claims.release_claim(
            ref, queries.run_of(ref, review), by=person_of(request), reason=str(form.cleaned_data["reason"])
        )
    except Conflict:
        return render_lost_page(request, ref)
    messages.success(
        request, gettext("%(name)s skipped. It is in the queue for others; your draft is kept.") % {"name": review.name}
    )
    return open_next(request, ref, review)


@require_http_methods(["GET", "POST"])
def postpone(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    access.check_can_review(request)
    ref = ReviewRef(request.site, document_id, review_id)
    review = load_review(request, ref)
    if not viewer_state_of(review, person_of(request)).mine:
        return render_lost_page(request, ref)
    form = PostponeForm(review.deadline, _post_of(request))
    if not form.is_valid():
        return _ask(request, ref, review, form, "postpone")
    try:
        postponements.postpone_review(
            ref, queries.run_of(ref, review), review, form.cleaned_data["back_at"], by=person_of(request)
        )
    except Refused as error:  # the time passed while the form was open
        form.add_error(None, str(error))
        return _ask(request, ref, review, form, "postpone")
    except Conflict:
        return render_lost_page(request, ref)
    messages.success(
        request,
        gettext("%(name)s postponed. It returns to the queue automatically; your draft is kept.")
        % {"name": review.name},
    )
    return open_next(request, ref, review)


@require_http_methods(["GET", "POST"])
def assign(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    """Assign or reassign a review that no one else holds; admins may also assign what someone else holds."""
    access.check_can_review(request)
    ref, person = ReviewRef(request.site, document_id, review_id), person_of(request)
    review = load_review(request, ref)
    state = viewer_state_of(review, person)
    over_claim = may_assign_over_claim(request, state)
    if state.kind not in {"mine", "free", "barred", "assigned"} and not over_claim:
        return render_lost_page(request, ref)
    queue = access.check_admitted(request, queue_id(review.queue))
    barred = review.barred.as_dict() if review.barred else {}
    people = [one for one in list_people(request.site, Permission.REVIEW, queue) if one.id not in barred]
    form = AssignForm(people, person.id, _post_of(request))
    if not form.is_valid():
        return _ask(request, ref, review, form, "assign", displaced=state.who if over_claim else "")
    to = Person(form.chosen.id, form.chosen.name)
    try:
        assignments.assign_review(ref, queries.run_of(ref, review), review, to, by=person, over_claim=over_claim)
    except Conflict:
        return render_lost_page(request, ref)
    mine = gettext("%(document)s assigned to you.")
    said = mine if to.id == person.id else gettext("%(document)s assigned to %(name)s.")
    messages.success(request, said % {"document": review.name, "name": to.name})
    if state.mine and to.id != person.id:
        return open_next(request, ref, review)
    return redirect_after_post(request, reverse("review:show-review", args=[document_id, review_id]))


@require_POST
def resume(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    """Bring a postponed review back early and claim it."""
    access.check_can_review(request)
    ref, person = ReviewRef(request.site, document_id, review_id), person_of(request)
    review = load_review(request, ref)
    run = queries.run_of(ref, review)
    try:
        if viewer_state_of(review, person).kind == "postponed":
            postponements.resume_review(ref, run, review, by=person)
        claims.claim_review(ref, run, by=person)
    except Conflict:
        return render_lost_page(request, ref)
    return redirect_after_post(request, reverse("review:show-review", args=[document_id, review_id]))


def _post_of(request: DeskRequest) -> QueryDict | None:
    return request.POST if request.method == "POST" else None


def _ask(
    request: DeskRequest,
    ref: ReviewRef,
    review: Review,
    form: SkipForm | PostponeForm | AssignForm,
    act: str,
    *,
    displaced: str = "",
) -> HttpResponse:
    """``displaced``: the name of who would lose an active claim."""
    url = reverse(f"review:{act}", args=[ref.document_id, ref.review_id])
    context = {"form": form, "review": review, "ref": ref, "act": act, "url": url, "displaced": displaced}
    status = 422 if form.is_bound else 200
    return render_answer(request, "review/desk/way_out.html", "review/desk/_way_out.html", context, status=status)


def open_next(request: DeskRequest, ref: ReviewRef, review: Review) -> HttpResponse:
    """Claim the queue's next document and show it, or the queue if there is none."""
    queue = queue_id(review.queue)
    following = claims.claim_next(
        request.site, queue, by=person_of(request), but=ref, closed_projects=projects_hidden_from(request),
        find_denied=partial(find_denied_documents, request),
    )  # fmt: skip
    if following is None:
        return redirect_after_post(request, queue_url(queue))
    return redirect_after_post(
        request, reverse("review:show-review", args=[following.document_id, following.review_id])
    )

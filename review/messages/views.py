"""Views to ask, escalate, answer, take back and comment. POST only."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from config.errors import Conflict, NotFound, Refused
from config.table import InvalidKey
from projects.settings.queries import get_project
from projects.sites import access
from projects.sites.people import SiteGroup, list_people, list_people_and_groups
from projects.sites.permissions import Permission
from projects.web.http import DeskRequest, redirect_after_post, render_answer
from review import queries
from review.decide import questions
from review.decide.questions import Question
from review.desk.page import load_review, person_of, render_lost_page
from review.desk.question import list_field_labels
from review.desk.viewer_state import viewer_state_of
from review.desk.ways_out import open_next
from review.identity import Person, ReviewRef, queue_id
from review.items.reviews import Review
from review.messages import actions
from review.messages.forms import LONGEST_TEXT, AnswerForm, AskForm, CommentForm, EscalateForm


@require_http_methods(["GET", "POST"])
def ask(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    """``field``: preselected subject of the question."""
    access.check_can_review(request)
    ref, person = ReviewRef(request.site, document_id, review_id), person_of(request)
    review = load_review(request, ref)
    if not viewer_state_of(review, person).mine:
        return render_lost_page(request, ref)
    queue = access.check_admitted(request, queue_id(review.queue))
    people, groups = list_people_and_groups(request.site, Permission.READ, queue)
    posted = request.POST if request.method == "POST" else None
    first = {"about": request.GET.get("field", "")}
    form = AskForm(people, groups, list_field_labels(ref, review), person.id, review.deadline, posted, initial=first)
    if not form.is_valid():
        return _show_form(request, ref, review, form, "ask")
    to_name, to = form.chosen
    question = Question(
        form.cleaned_data["message_id"], form.cleaned_data["text"], to, to_name, form.until, form.about_label
    )
    try:
        questions.ask_question(ref, queries.run_of(ref, review), review, question, by=person)
    except Refused as error:  # the time passed while the form was open
        form.add_error(None, str(error))
        return _show_form(request, ref, review, form, "ask")
    except Conflict:
        return render_lost_page(request, ref)
    messages.success(
        request,
        gettext("%(to_name)s asked about %(name)s. It stays under My work; your draft is kept.")
        % {"to_name": to_name, "name": review.name},
    )
    return open_next(request, ref, review)


@require_http_methods(["GET", "POST"])
def escalate(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    """Escalate to the current members of the project's escalation group, each of whom may take over or answer."""
    access.check_can_review(request)
    ref, person = ReviewRef(request.site, document_id, review_id), person_of(request)
    review = load_review(request, ref)
    if not viewer_state_of(review, person).mine:
        return render_lost_page(request, ref)
    posted = request.POST if request.method == "POST" else None
    form = EscalateForm(_find_escalation_group(request, review), person.id, review.deadline, posted)
    if not form.is_valid():
        return _show_form(request, ref, review, form, "escalate")
    question = Question(
        form.cleaned_data["message_id"], form.cleaned_data["text"], form.members, form.group_name, form.until,
        escalates=True,
    )  # fmt: skip
    try:
        questions.ask_question(ref, queries.run_of(ref, review), review, question, by=person)
    except Refused as error:  # the time passed while the form was open
        form.add_error(None, str(error))
        return _show_form(request, ref, review, form, "escalate")
    except Conflict:
        return render_lost_page(request, ref)
    messages.success(
        request,
        gettext("%(name)s escalated to %(group_name)s. Your draft is kept.")
        % {"name": review.name, "group_name": form.group_name},
    )
    return open_next(request, ref, review)


def _find_escalation_group(request: DeskRequest, review: Review) -> SiteGroup | None:
    queue = access.check_admitted(request, queue_id(review.queue))
    try:
        name = get_project(request.site, review.project_id).settings.escalation_group
    except (NotFound, InvalidKey):  # a review request of another system may have no project
        return None
    _, groups = list_people_and_groups(request.site, Permission.REVIEW, queue)
    return next((one for one in groups if one.name == name), None)


@require_POST
def answer(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    """Answer a question; the person asked need not be a reviewer."""
    access.check_can_view(request)
    ref, person = ReviewRef(request.site, document_id, review_id), person_of(request)
    review = load_review(request, ref)
    if not viewer_state_of(review, person).asks_me:
        return _render_too_late(request, ref)
    form = AnswerForm(request.POST)
    if not form.is_valid():
        return _show_form(request, ref, review, form, "answer")
    try:
        questions.answer_question(ref, queries.run_of(ref, review), review, form.cleaned_data["answer"], by=person)
    except Conflict:
        return _render_too_late(request, ref)
    messages.success(request, gettext("Answer sent to %(holder_name)s.") % {"holder_name": review.holder_name})
    return redirect_after_post(request, _review_url(ref))


def _render_too_late(request: DeskRequest, ref: ReviewRef) -> HttpResponse:
    """Say that it is too late, and show the typed text, which is saved nowhere else."""
    typed = request.POST.get("answer", "")[:LONGEST_TEXT]
    bare = gettext("Your answer was not sent: this question is closed.")
    told = gettext("Your answer was not sent: this question is closed. You wrote: “%(answer)s”") % {"answer": typed}
    return render_lost_page(request, ref, notice=told if typed else bare)


@require_POST
def take(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    """Claim a review that waits for an answer, as its asker or as a reviewer who was asked."""
    access.check_can_review(request)
    ref, person = ReviewRef(request.site, document_id, review_id), person_of(request)
    review = load_review(request, ref)
    state = viewer_state_of(review, person)
    if state.mine:  # sent twice
        return redirect_after_post(request, _review_url(ref))
    if not state.may_take:
        return render_lost_page(request, ref)
    try:
        questions.take_asked(ref, queries.run_of(ref, review), review, by=person)
    except Conflict:
        return render_lost_page(request, ref)
    return redirect_after_post(request, _review_url(ref))


@require_http_methods(["GET", "POST"])
def comment(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    """Comment; open to anyone who can see the review, in any state."""
    access.check_can_view(request)
    ref, person = ReviewRef(request.site, document_id, review_id), person_of(request)
    review = load_review(request, ref)
    queue = access.check_admitted(request, queue_id(review.queue))
    people = [one for one in list_people(request.site, Permission.READ, queue) if one.id != person.id]
    form = CommentForm(people, request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return _show_form(request, ref, review, form, "comment")
    mentioned = [Person(one.id, one.name) for one in form.cleaned_data["mention"]]
    actions.add_comment(
        ref, queries.run_of(ref, review), form.cleaned_data["text"],
        message_id=form.cleaned_data["message_id"], mentioned=mentioned, by=person,
    )  # fmt: skip
    messages.success(request, gettext("Comment added."))
    return redirect_after_post(request, f"{_review_url(ref)}#messages")


def _review_url(ref: ReviewRef) -> str:
    return reverse("review:show-review", args=[ref.document_id, ref.review_id])


def _show_form(request: DeskRequest, ref: ReviewRef, review: Review, form: forms.Form, act: str) -> HttpResponse:
    url = reverse(f"review:{act}", args=[ref.document_id, ref.review_id])
    context = {"form": form, "review": review, "ref": ref, "act": act, "url": url}
    status = 422 if form.is_bound else 200
    return render_answer(request, "review/messages/form.html", "review/messages/_form.html", context, status=status)

"""Bulk actions on reviews: assign, postpone, approve. Each review is a write of its own that may lose its race."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from decimal import Decimal

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from config.errors import Conflict, CountersignError, NotFound, Refused
from config.phrase import Figure, Phrase, begin_sentence, count_phrase, join_phrases, tell_sentence
from config.table import InvalidKey
from projects.personal.access import projects_hidden_from
from projects.policies.gate import find_denied_documents
from projects.sites import access
from projects.sites.people import list_people
from projects.sites.permissions import Permission
from projects.web.http import DeskRequest, redirect_after_post, render_answer
from review import queries
from review.decide import assignments, claims, decisions, postponements
from review.decide.tasks import enqueue_redeem
from review.desk import forms
from review.desk.comparison import Draft
from review.desk.forms import ANSWER, ANYWAY, PREFIX, SEEN, UNSEEN, WHY, Answers
from review.desk.page import person_of
from review.desk.question import Question, ask_question
from review.desk.queue import SHOWN_REASONS, queue_url, shorten_reasons
from review.desk.queue_filters import triage_of
from review.desk.undo_window import LONGEST
from review.desk.viewer_state import ViewerState, viewer_state_of
from review.desk.ways_out_forms import AssignForm, PostponeForm
from review.identity import Person, ReviewRef, queue_id, ref_at
from review.items.reviews import Review, ReviewDraft
from review.status import Decision
from workflows.stages.document_types.of_result import KEY

MOST_SELECTED = 50  # with a draft each as many as one BatchGetItem may read
_ACTS = {"assign": Phrase("Assign"), "postpone": Phrase("Postpone"), "approve": Phrase("Approve")}
_TAKEN: Mapping[str, Phrase] = {
    "held": Phrase("claimed by %(who)s"), "assigned": Phrase("assigned to %(who)s"),
    "postponed": Phrase("postponed by %(who)s"),
    "asked": Phrase("waiting for an answer"), "decided": Phrase("already decided"), "expired": Phrase("expired"),
    "orphaned": Phrase("run ended"),
    "late": Phrase("past its due date"), "barred": Phrase("you uploaded, edited or decided it"),
}  # fmt: skip
_HAS_CHANGED = Phrase("changed in the meantime")


@dataclass(frozen=True)
class Chosen:
    """A selected review. ``refusal``: why the action does not apply.

    ``unseen``: field → label of fields that would be approved unchecked.
    """

    ref: ReviewRef
    review: Review
    draft: ReviewDraft | None
    state: ViewerState
    refusal: str = ""
    unseen: Mapping[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return reverse("review:show-review", args=[self.ref.document_id, self.ref.review_id])

    @property
    def why_not(self) -> str:
        """The refusal as a sentence of its own."""
        return begin_sentence(self.refusal) if isinstance(self.refusal, Phrase) else self.refusal

    @property
    def was_taken(self) -> bool:
        """Return whether the review was ever claimed; versions count claims."""
        return int(self.review.version) > 1

    @property
    def reasons(self) -> tuple[str, ...]:
        return shorten_reasons(self.review)[:SHOWN_REASONS]

    @property
    def worth(self) -> str:
        weighed = triage_of(self.review)
        return "" if weighed.amount is None else _write_amount(weighed.amount, weighed.currency)


@require_POST
def prepare_selected(request: DeskRequest) -> HttpResponse:
    """Preview a bulk action in words; writes nothing."""
    access.check_can_review(request)
    act = request.POST.get("act", "")
    chosen = _load(request, act) if act in _ACTS else []
    return _show(request, act, chosen) if chosen else _refuse_selection(request)


def _refuse_selection(request: DeskRequest) -> HttpResponse:
    messages.error(request, gettext("Select 1 to %(most_selected)s open reviews.") % {"most_selected": MOST_SELECTED})
    return redirect_after_post(request, _back_url(request))


def _show(
    request: DeskRequest, act: str, chosen: Sequence[Chosen], form: AssignForm | PostponeForm | None = None
) -> HttpResponse:
    able = [one for one in chosen if not one.refusal]
    context = {
        "act": act,
        "act_words": _ACTS[act],
        "url": reverse(f"review:{act}-selected"),
        "able": able,
        "refused": [one for one in chosen if one.refusal],
        "untaken": sum(not one.was_taken for one in able),
        "unseen": sum(len(one.unseen) for one in able),
        "sums": join_phrases(sum_amounts(one.review for one in able)),
        "form": form or _make_form(request, act, able),
        "undo_seconds": LONGEST,
        "back_url": _back_url(request),
        "queue_id": request.POST.get("queue", ""),
    }
    status = 422 if form else 200
    return render_answer(request, "review/desk/selected.html", None, context, status=status)


def _make_form(
    request: DeskRequest, act: str, able: Sequence[Chosen], posted: QueryDict | None = None
) -> AssignForm | PostponeForm | None:
    """Return the action's form; None if it needs none or nothing is left to act on."""
    if act == "assign":
        queue = access.check_admitted(request, request.POST.get("queue", ""))
        return AssignForm(list_people(request.site, Permission.REVIEW, queue), str(request.user.pk), posted)
    if act == "postpone" and able:
        return PostponeForm(min(one.review.deadline for one in able), posted)
    return None


def _write_amount(amount: Decimal, currency: str) -> Figure:
    return Figure(f"{amount:,.2f} {currency}".strip())


def sum_amounts(reviews: Iterable[Review]) -> list[Figure]:
    """Sum the documents' totals by currency."""
    sums: dict[str, Decimal] = {}
    for one in map(triage_of, reviews):
        if one.amount is not None:
            sums[one.currency] = sums.get(one.currency, Decimal(0)) + one.amount
    return [_write_amount(total, currency) for currency, total in sorted(sums.items())]


@require_POST
def assign_selected(request: DeskRequest) -> HttpResponse:
    access.check_can_review(request)
    chosen, person = _load(request, "assign"), person_of(request)
    if not chosen:
        return _refuse_selection(request)
    form = _make_form(request, "assign", chosen, request.POST)
    if not isinstance(form, AssignForm) or not form.is_valid():
        return _show(request, "assign", chosen, form)
    to = Person(form.chosen.id, form.chosen.name)

    def assign(one: Chosen) -> None:
        if one.review.barred and to.id in one.review.barred.as_dict():
            raise Refused(gettext("%(name)s uploaded or decided it") % {"name": to.name})
        assignments.assign_review(one.ref, queries.run_of(one.ref, one.review), one.review, to, by=person)

    def tell_done(count: int) -> Phrase:
        if to.id == person.id:
            return count_phrase("%(count)s review assigned to you.", "%(count)s reviews assigned to you.", count)
        return count_phrase(
            "%(count)s review assigned to %(who)s.", "%(count)s reviews assigned to %(who)s.", count, who=to.name
        )

    _do_each(request, chosen, assign, tell_done, Phrase("Not assigned: %(failed)s."))
    return redirect_after_post(request, _back_url(request))


@require_POST
def postpone_selected(request: DeskRequest) -> HttpResponse:
    access.check_can_review(request)
    chosen, person = _load(request, "postpone"), person_of(request)
    if not chosen:
        return _refuse_selection(request)
    form = _make_form(request, "postpone", [one for one in chosen if not one.refusal], request.POST)
    if not isinstance(form, PostponeForm) or not form.is_valid():
        return _show(request, "postpone", chosen, form)
    until = form.cleaned_data["back_at"]

    def postpone(one: Chosen) -> None:
        with _hold(one, person) as (review, _):
            run = queries.run_of(one.ref, review)
            postponements.postpone_review(one.ref, run, review, until, by=person)

    def tell_done(count: int) -> Phrase:
        return count_phrase("%(count)s review postponed.", "%(count)s reviews postponed.", count)

    _do_each(request, chosen, postpone, tell_done, Phrase("Not postponed: %(failed)s."))
    return redirect_after_post(request, _back_url(request))


@require_POST
def approve_selected(request: DeskRequest) -> HttpResponse:
    """Approve each by its own decision, with all checks of a single one; ``unseen`` accepts each field by name."""
    access.check_can_review(request)
    chosen, person = _load(request, "approve"), person_of(request)
    if not chosen:
        return _refuse_selection(request)
    agreed = set(request.POST.getlist("unseen"))

    def approve(one: Chosen) -> None:
        with _hold(one, person) as (review, draft):
            question = _ask(one.ref, review, draft, person)
            yes = {f"{UNSEEN}{name}": "1" for name in question.ticket.asked if f"{one.ref.path}#{name}" in agreed}
            answers = forms.answers_of(_as_posted(question) | yes, question.ticket)
            if not answers.is_valid:
                raise Refused(_HAS_CHANGED)
            verdict = forms.make_verdict(answers, question.ticket)
            run = question.ticket.run(one.ref)
            decisions.decide_review(one.ref, run, verdict, by=person, undo_seconds=LONGEST)
            enqueue_redeem(one.ref, verdict.decision_id, delay=LONGEST)

    def tell_done(count: int) -> Phrase:
        return count_phrase("%(count)s document approved.", "%(count)s documents approved.", count)

    done = _do_each(request, chosen, approve, tell_done, Phrase("Not approved: %(failed)s."))
    return redirect_after_post(request, reverse("review:list-undoable") if done else _back_url(request))


@contextmanager
def _hold(one: Chosen, person: Person) -> Iterator[tuple[Review, ReviewDraft | None]]:
    """Claim the review for an action and yield it; release the claim if the action fails."""
    run = queries.run_of(one.ref, one.review)
    if one.state.mine:
        yield one.review, one.draft
        return
    claims.claim_review(one.ref, run, by=person)
    try:
        yield queries.review_and_draft(one.ref, person.id)
    except CountersignError:
        with suppress(Conflict):
            claims.return_claim(one.ref, run, by=person)
        raise


def _do_each(
    request: DeskRequest,
    chosen: Sequence[Chosen],
    act: Callable[[Chosen], None],
    tell_done: Callable[[int], Phrase],
    not_done: Phrase,
) -> int:
    """Return the number of successes; report the failures with reasons."""
    done, failed = 0, [_describe_failure(one, one.refusal) for one in chosen if one.refusal]
    for one in chosen:
        if one.refusal:
            continue
        try:
            act(one)
        except (Conflict, NotFound):
            failed.append(_describe_failure(one, _HAS_CHANGED))
        except CountersignError as error:
            failed.append(_describe_failure(one, error.args[0] if error.args else _HAS_CHANGED))
        else:
            done += 1
    if done:
        messages.success(request, tell_done(done).translated())
    if failed:
        messages.warning(request, not_done.fill(failed="; ".join(failed)).translated())
    return done


def _describe_failure(one: Chosen, reason: object) -> str:
    return f"{one.review.name} ({_translate(reason)})"


def _translate(reason: object) -> str:
    """A phrase, or a sentence of an error, which keeps its English words."""
    return reason.translated() if isinstance(reason, Phrase) else tell_sentence(str(reason)).translated()


def _read_refs(request: DeskRequest) -> list[ReviewRef]:
    """Return the selected reviews; empty if none or too many are selected."""
    paths = dict.fromkeys(path for path in request.POST.getlist("chosen") if path.count("/") == 1)
    return [] if len(paths) > MOST_SELECTED else [ref_at(request.site, path) for path in paths]


def _load(request: DeskRequest, act: str) -> list[Chosen]:
    """Load the selected reviews that this person may see, with obstacles, in one strongly consistent call."""
    person, closed = person_of(request), projects_hidden_from(request)
    try:
        found = queries.reviews_and_drafts(_read_refs(request), person.id)
    except InvalidKey:
        found = {}
    shut = _list_shut_queues(request, {queue_id(review.queue) for review, _ in found.values()})
    denied = find_denied_documents(request, [ref.document_id for ref in found])
    return [
        _weigh(ref, review, draft, act, person, hidden=review.project_id in closed)
        for ref, (review, draft) in found.items()
        if queue_id(review.queue) not in shut and ref.document_id not in denied
    ]


def _list_shut_queues(request: DeskRequest, queues: Iterable[str]) -> set[str]:
    shut = set()
    for one in queues:
        try:
            access.check_admitted(request, one)
        except NotFound:
            shut.add(one)
    return shut


def _weigh(
    ref: ReviewRef, review: Review, draft: ReviewDraft | None, act: str, person: Person, *, hidden: bool
) -> Chosen:
    state = viewer_state_of(review, person)
    if hidden:
        return Chosen(ref, review, draft, state, Phrase("has personal data that you cannot see"))
    if ref.is_check:
        return Chosen(ref, review, draft, state, Phrase("second review: open it to decide"))
    # A person who may not decide it may assign it to someone who may.
    may = {"mine", "free", "assigned", "barred"} if act == "assign" else {"mine", "free"}
    if state.kind not in may:
        return Chosen(ref, review, draft, state, _TAKEN.get(state.kind, _HAS_CHANGED).fill(who=state.who))
    if act != "approve":
        return Chosen(ref, review, draft, state)
    try:
        question = _ask(ref, review, draft, person)
    except CountersignError as error:
        return Chosen(ref, review, draft, state, str(error) or _HAS_CHANGED)
    answers = forms.answers_of(_as_posted(question), question.ticket)
    unseen = {name: question.ticket.asked[name] for name in answers.unseen}
    return Chosen(ref, review, draft, state, _refuse(answers, question), unseen)


def _refuse(answers: Answers, question: Question) -> str:
    """Return why the review must be opened to be approved."""
    if answers.errors:
        return _translate(next(iter(answers.errors.values()))).rstrip(".。")
    if answers.unseen and not question.ticket.unseen_allowed:
        left = len(answers.unseen)
        return count_phrase(
            "%(count)s field must be checked before approval",
            "%(count)s fields must be checked before approval",
            left,
        )
    return ""


def _ask(ref: ReviewRef, review: Review, draft: ReviewDraft | None, person: Person) -> Question:
    return ask_question(ref, review, Draft().over(draft), viewer_state_of(review, person))


def _as_posted(question: Question) -> dict[str, str]:
    """Return the form data that approving the review as it stands, with my draft, would post."""
    posted = {"decision": f"{Decision.APPROVE}{ANYWAY}"}
    for line in question.sheet.lines:
        name = line.spec.name
        posted |= {f"{PREFIX}{name}": line.value, f"{ANSWER}{name}": line.answer, f"{PREFIX}{WHY}{name}": line.why}
    if question.ticket.type_id is not None:
        posted[f"{PREFIX}{KEY}"] = question.ticket.type_id
    return posted | {f"{SEEN}{name}": "1" for name in question.ticket.confirmed}


def _back_url(request: DeskRequest) -> str:
    return queue_url(request.POST.get("queue", ""))

"""The API of the desk: queues and their reviews; and with personal tokens, claim, draft, decide and undo."""

from collections.abc import Callable
from typing import Any, Literal, TypeVar

from ninja import Field, Router, Schema

from config import clock
from config.errors import Conflict, NotFound
from config.item import Page
from projects.documents import queries as counter_queries
from projects.policies.gate import shows_counts
from projects.queues import queries as queue_queries
from projects.sites import access
from projects.web.api import FAILURES, REFUSALS, ApiRequest, Body, check_is_person, with_example
from projects.web.http import problem_response
from projects.web.links import page_url
from review import queries
from review.decide import claims, decisions, drafts
from review.decide.decisions import Verdict
from review.decide.splits import check_may_split
from review.decide.tasks import enqueue_redeem
from review.desk import forms, ticket
from review.desk.comparison import Draft
from review.desk.field_form import Line
from review.desk.forms import ANSWER, ANYWAY, PREFIX, SEEN, UNSEEN, WHY, Answers
from review.desk.page import check_waits_for, load_open_review, load_review, person_of
from review.desk.question import ask_question, count_pages
from review.desk.queue import redact_reviews
from review.desk.splitting import plan_verdict
from review.desk.ticket import Ticket
from review.desk.undo_window import find_window
from review.desk.viewer_state import ViewerState, viewer_state_of
from review.desk.worklists import list_own_reviews
from review.handovers.api import router as reviews  # what is listed and what is asked for have one path
from review.identity import ReviewRef, queue_to_store
from review.items.reviews import Review
from review.quality.agreement import read_quorum
from review.status import Worklist
from workflows.intake.containers.page_ranges import PageRange
from workflows.stages.assessment.answers import WITHOUT_VALUE
from workflows.stages.document_types.of_result import KEY, list_type_choices

router = Router(tags=["reviews"])
T = TypeVar("T")
_UNCHECKED = "Check it: list it in checked, correct it in values, or say in answers why it has no value."


class QueueShape(Schema):
    """``id``: empty for the site's own queue, which is open to all reviewers.

    ``waiting``: reviews; null where an active access policy may hide some, except for people who can deactivate it.
    """

    id: str
    name: str
    archived: bool
    waiting: int | None


class QueueList(Schema):
    items: list[QueueShape]


class SavedViewShape(Schema):
    """``filters``: query string of the queue's page. ``queue``: its id, empty for the site's own."""

    id: str
    name: str
    queue: str
    filters: str
    created_at: str


class SavedViewList(Schema):
    items: list[SavedViewShape]


@router.get(
    "/saved-views",
    response={200: SavedViewList, **FAILURES},
    operation_id="list_saved_views",
    summary="List your saved views",
)
def list_saved_views(request: ApiRequest) -> SavedViewList:
    """Views of the person whose token this is; empty for other API keys. Requires READ."""
    access.check_can_view(request)
    found = queries.list_saved_views(request.site, request.auth.person_id) if request.auth.person_id else ()
    return SavedViewList(
        items=[
            SavedViewShape(id=one.id, name=one.name, queue=one.queue, filters=one.filters, created_at=one.created_at)
            for one in found
        ]
    )


@router.get("/queues", response={200: QueueList, **FAILURES}, operation_id="list_queues", summary="List queues")
def list_queues(request: ApiRequest) -> QueueList:
    """Queues open to the key; for keys that are not a person's, those without groups. Requires READ."""
    access.check_can_view(request)
    found = [one for one in queue_queries.first_queues(request.site) if access.is_admitted(request, one)]
    waiting = counter_queries.count_waiting_by_queue(request.site) if shows_counts(request) else None
    rows = [("", "Review", False), *((one.id, one.name, one.is_archived) for one in found)]
    return QueueList(
        items=[
            QueueShape(
                id=one,
                name=name,
                archived=archived,
                waiting=waiting.get(queue_to_store(one), 0) if waiting is not None else None,
            )
            for one, name, archived in rows
        ]
    )


class WaitingReview(Schema):
    """``reasons``: why a person should look. ``holder``: who has claimed it; null if free."""

    id: str
    document_id: str
    run_id: str
    project_id: str
    name: str
    status: str
    reasons: list[str]
    fields_unsure: int
    holder: str | None
    deadline: str
    created_at: str
    url: str


class WaitingList(Schema):
    items: list[WaitingReview]
    next: str | None


@reviews.get("", response={200: WaitingList, **FAILURES}, operation_id="list_reviews", summary="List waiting reviews")
def list_reviews(
    request: ApiRequest, queue: str = "", view: Literal["team", "mine", "asked"] = "team", after: str | None = None
) -> WaitingList:
    """Reviews of a queue (default: the site's own), nearest deadline first. Requires READ.

    ``view``: ``mine`` lists reviews that you claimed, asked about or were assigned, ``asked`` those that wait for
    your answer, of all queues; both are empty for keys that are not a person's.
    """
    access.check_can_view(request)
    if view == "team":
        access.check_admitted(request, queue)
        page = queries.list_queue(request.site, queue, cursor=after)
    elif request.auth.person_id:
        page = list_own_reviews(request, request.auth.person_id, Worklist(view), after)
    else:
        page = Page([], None)
    now = clock.iso(clock.now())
    return WaitingList(
        items=[_shape_waiting(request, one, now) for one in redact_reviews(request, page.rows)], next=page.next
    )


def _shape_waiting(request: ApiRequest, row: Review, now: str) -> WaitingReview:
    ref = queries.row_ref(request.site, row)
    return WaitingReview(
        id=ref.review_id,
        document_id=ref.document_id,
        run_id=row.workflow_id,
        project_id=row.project_id,
        name=row.name,
        status=str(row.status).lower(),
        reasons=list(row.reasons or ()),
        fields_unsure=int(row.fields_unsure or 0),
        holder=row.holder_name if queries.holder_of(row, now=now) else None,
        deadline=row.deadline,
        created_at=row.created_at,
        url=page_url(ref.site, "review:show-review", ref.document_id, ref.review_id),
    )


class ReviewField(Schema):
    """``value``: found, or typed in your draft. ``confidence``, ``threshold``: 0–1. ``page``: 0-based.

    ``reasons``: every check that the field fails, the most important one first, which ``reason`` repeats.
    ``warnings``: what an approval needs a reason for in ``warnings``; ``warning`` repeats the first.
    ``must_check``: an approval must have it in ``checked``, ``values`` or ``answers``. ``allowed``: possible values.
    """

    name: str
    label: str
    type: str
    required: bool
    value: str
    found: str
    confidence: float
    threshold: float
    page: int | None
    reason: str | None
    reasons: list[str]
    warning: str | None
    warnings: list[str]
    must_check: bool
    checked: bool
    answer: str | None
    allowed: list[str]


class TypeChoice(Schema):
    id: str
    name: str


class BlindAgreement(Schema):
    """A blind review: ``needed`` of at most ``of`` reviewers must agree; ``given`` have decided."""

    needed: int
    of: int
    given: int


class ReviewQuestion(Schema):
    """``state``: free, mine, held, assigned, postponed, asked, barred, decided, expired, orphaned or late.

    ``ticket``: for ``save_draft`` and ``decide_review``; null unless the review is yours.
    ``decision_id``: of your decision while it can be undone. ``document_types``: choices, the current one first.
    """

    id: str
    document_id: str
    name: str
    state: str
    holder: str | None
    lease_until: str | None
    deadline: str
    decision_id: str | None
    blind: BlindAgreement | None
    document_types: list[TypeChoice]
    reject_reasons: list[str]
    fields: list[ReviewField]
    ticket: str | None


class ReviewDraft(Body):
    """``values``: field → text, as typed on the page. ``checked``: fields confirmed as right.

    ``answers``: field → blank, absent or illegible. ``warnings``: field → why a value with a warning is right.
    ``document_type``: ID of another type; save it as a draft, then get the review with that type's fields.
    """

    model_config = with_example(ticket="eyJ…", values={"total": "33.90"}, checked=["date"])

    ticket: str
    values: dict[str, str] = Field(default_factory=dict)
    checked: list[str] = Field(default_factory=list)
    answers: dict[str, Literal["blank", "absent", "illegible"]] = Field(default_factory=dict)
    warnings: dict[str, str] = Field(default_factory=dict)
    document_type: str | None = None
    reason: str = ""


class ReviewDecision(ReviewDraft):
    """For rejections: ``reason``, or ``reject_reason`` of the project's list.

    ``unchecked``: fields approved without a check, if the project allows it.
    """

    model_config = with_example(ticket="eyJ…", decision="approve", values={"total": "33.90"}, checked=["date"])

    decision: Literal["approve", "reject"]
    reject_reason: str = ""
    unchecked: list[str] = Field(default_factory=list)


class DraftShape(Schema):
    """``lease_until``: null if the claim was lost; the draft is saved anyway."""

    saved_at: str
    lease_until: str | None


class DecidedShape(Schema):
    """``undo_until``: when the decision is submitted."""

    decision_id: str
    undo_until: str


class SplitPart(Schema):
    """Pages ``first`` to ``last``, 1-based. ``document_type``: null for the project's default."""

    first: int
    last: int
    document_type: str | None = None


class SplitWish(Body):
    """``parts``: at least two; together they contain every page once, in order."""

    model_config = with_example(
        ticket="eyJ…", parts=[{"first": 1, "last": 3}, {"first": 4, "last": 9, "document_type": "invoice"}]
    )

    ticket: str
    parts: list[SplitPart]


class UndoWish(Body):
    model_config = with_example(decision_id="01M89RES7JCGYS7T4S8WHAJW46")

    decision_id: str


_AT = "/documents/{document_id}/reviews/{review_id}"


@router.get(_AT, response={200: ReviewQuestion, **FAILURES}, operation_id="open_review", summary="Open a review")
def open_review(request: ApiRequest, document_id: str, review_id: str) -> ReviewQuestion:
    """Returns what the desk shows, including your draft. Requires a person's token with READ and PERSONAL."""
    access.check_can_view(request)
    check_is_person(request)
    return _load_question(request, ReviewRef(request.site, document_id, review_id))


@router.post(
    f"{_AT}/claim", response={200: ReviewQuestion, **REFUSALS}, operation_id="claim_review", summary="Claim a review"
)
def claim_review(request: ApiRequest, document_id: str, review_id: str) -> ReviewQuestion:
    """Locks others out until the lease ends; claim again to renew it. Requires a person's token with REVIEW."""
    ref = _to_decide(request, document_id, review_id)
    run = queries.run_of(ref, load_review(request, ref))
    _or_conflict(request, ref, lambda: claims.claim_review(ref, run, by=person_of(request)))
    return _load_question(request, ref)


@router.post(
    f"{_AT}/release",
    response={200: ReviewQuestion, **REFUSALS},
    operation_id="release_review",
    summary="Release a claim",
)
def release_review(request: ApiRequest, document_id: str, review_id: str) -> ReviewQuestion:
    """Returns the review to the queue and keeps your draft. Requires a person's token with REVIEW."""
    ref = _to_decide(request, document_id, review_id)
    run = queries.run_of(ref, load_review(request, ref))
    _or_conflict(request, ref, lambda: claims.release_claim(ref, run, by=person_of(request)))
    return _load_question(request, ref)


@router.put(f"{_AT}/draft", response={200: DraftShape, **REFUSALS}, operation_id="save_draft", summary="Save a draft")
def save_draft(request: ApiRequest, document_id: str, review_id: str, wish: ReviewDraft) -> DraftShape:
    """Only you can read it. Saving renews your claim. Requires a person's token with REVIEW."""
    ref = _to_decide(request, document_id, review_id)
    carried = _read_ticket(request, ref, wish.ticket)
    typed, by = forms.draft_of(_post(wish, carried), carried, all_of_it=True), person_of(request)
    saved = _or_conflict(
        request, ref,
        lambda: drafts.save_draft(ref, typed, by=by, version=carried.version, begun=bool(carried.typed)),
    )  # fmt: skip
    return DraftShape(saved_at=saved.at, lease_until=saved.until or None)


@router.post(
    f"{_AT}/decide", response={200: DecidedShape, **REFUSALS}, operation_id="decide_review", summary="Decide a review"
)
def decide_review(request: ApiRequest, document_id: str, review_id: str, wish: ReviewDecision) -> Any:
    """Idempotent for a ticket. 422 names each field to correct. Requires a person's token with REVIEW."""
    ref = _to_decide(request, document_id, review_id)
    carried = _read_ticket(request, ref, wish.ticket)
    posted = _post(wish, carried) | {"decision": wish.decision + (ANYWAY if wish.unchecked else "")}
    posted |= {"reject_reason": wish.reject_reason, **{f"{UNSEEN}{name}": "1" for name in wish.unchecked}}
    answers = forms.answers_of(posted, carried)
    if not answers.is_valid:
        return _list_problems(answers)
    return _decide(request, ref, carried, forms.make_verdict(answers, carried))


@router.post(
    f"{_AT}/split", response={200: DecidedShape, **REFUSALS}, operation_id="split_document", summary="Split a document"
)
def split_document(request: ApiRequest, document_id: str, review_id: str, wish: SplitWish) -> DecidedShape:
    """Rejects the run; each part becomes a document: see `show_unpacking`. Requires a person's token with REVIEW."""
    ref = _to_decide(request, document_id, review_id)
    carried = _read_ticket(request, ref, wish.ticket)
    review = load_review(request, ref)
    pages = count_pages(ref, review)
    check_may_split(ref, review, pages)
    parts = [PageRange(one.first, one.last, one.document_type or "") for one in wish.parts]
    return _decide(request, ref, carried, plan_verdict(ref, carried, parts, pages))


def _decide(request: ApiRequest, ref: ReviewRef, carried: Ticket, verdict: Verdict) -> DecidedShape:
    window = find_window(request)
    until = _or_conflict(
        request, ref,
        lambda: decisions.decide_review(ref, carried.run(ref), verdict, by=person_of(request), undo_seconds=window),
    )  # fmt: skip
    enqueue_redeem(ref, carried.decision_id, delay=window)
    return DecidedShape(decision_id=carried.decision_id, undo_until=clock.iso(until))


@router.post(
    f"{_AT}/undo", response={200: ReviewQuestion, **REFUSALS}, operation_id="undo_decision", summary="Undo a decision"
)
def undo_decision(request: ApiRequest, document_id: str, review_id: str, wish: UndoWish) -> ReviewQuestion:
    """Until it is submitted. The review is yours again with its draft. Requires a person's token with REVIEW."""
    ref = _to_decide(request, document_id, review_id)
    run, person = queries.run_of(ref, load_review(request, ref)), person_of(request)
    try:
        decisions.undo_decision(ref, run, decision_id=wish.decision_id, by=person)
    except Conflict as error:
        if not queries.was_undone(ref, wish.decision_id, person.id):
            raise Conflict("Too late to undo, or not your decision: nothing was changed.") from error
    return _load_question(request, ref)


def _to_decide(request: ApiRequest, document_id: str, review_id: str) -> ReviewRef:
    """Raises: NotAllowed, also for a program."""
    check_is_person(request)
    access.check_can_review(request)
    return ReviewRef(request.site, document_id, review_id)


def _read_ticket(request: ApiRequest, ref: ReviewRef, text: str) -> Ticket:
    """Raises: Refused; NotFound, if it waits in a queue that does not admit the person."""
    carried = ticket.read_ticket(text, ref, person_of(request).id)
    check_waits_for(request, carried.queue)
    return carried


def _or_conflict(request: ApiRequest, ref: ReviewRef, act: Callable[[], T]) -> T:
    """Raises: Conflict, which says how the review stands instead."""
    try:
        return act()
    except Conflict as error:
        try:
            review = load_review(request, ref)
        except NotFound:
            raise error from None
        raise Conflict(_describe(viewer_state_of(review, person_of(request)))) from error


def _describe(state: ViewerState) -> str:
    who = state.who or "another person"
    words = {
        "held": f"{who} has claimed this until {state.at}.",
        "assigned": f"This is assigned to {who}.",
        "decided": f"{who} {state.did} this at {state.at}.",
        "barred": "You may not decide on your own work.",
        "late": "The deadline of this review has passed.",
        "expired": "This review has expired.",
    }
    return f"{words.get(state.kind, 'This review has changed.')} Nothing was submitted; open it again."


def _post(wish: ReviewDraft, carried: Ticket) -> dict[str, str]:
    """What the desk's form would send."""
    checked = {name: {**carried.shown, **carried.typed}.get(name) or "" for name in wish.checked}
    posted = {f"{PREFIX}{name}": text for name, text in {**checked, **wish.values}.items()}
    posted |= {f"{SEEN}{name}": "1" for name in wish.checked}
    posted |= {f"{ANSWER}{name}": word for name, word in wish.answers.items()}
    posted |= {f"{PREFIX}{WHY}{name}": why for name, why in wish.warnings.items()}
    if wish.document_type is not None:
        posted[f"{PREFIX}{KEY}"] = wish.document_type
    return posted | {"reason": wish.reason}


def _list_problems(answers: Answers) -> Any:
    """422 with each field that the desk would mark."""
    wrong = [(f"values.{name}", text, "Send another value, or say in answers why there is none.")
             for name, text in answers.errors.items()]  # fmt: skip
    wrong += [("reason", answers.reason_error, "Send a reason, or one of reject_reasons.")] * bool(answers.reason_error)
    wrong += [("checked", f"{name} is in doubt and was not checked.", _UNCHECKED) for name in answers.unseen]
    errors = [{"where": where, "problem": problem, "fix": fix} for where, problem, fix in wrong]
    return problem_response(422, "The decision was not submitted. See errors for each field.", errors=errors)


def _load_question(request: ApiRequest, ref: ReviewRef) -> ReviewQuestion:
    review, kept = load_open_review(request, ref)
    person = person_of(request)
    state = viewer_state_of(review, person)
    question = ask_question(ref, review, Draft().over(kept), state)
    may_decide = state.mine and access.can_review(request)
    return ReviewQuestion(
        id=ref.review_id,
        document_id=ref.document_id,
        name=review.name,
        state=state.kind,
        holder=state.who or None,
        lease_until=state.at if state.kind in {"mine", "held"} else None,
        deadline=review.deadline,
        decision_id=state.decision_id if state.can_undo else None,
        blind=_shape_blind(review),
        document_types=[
            TypeChoice(id=str(one["id"]), name=str(one["name"])) for one in list_type_choices(question.result)
        ],
        reject_reasons=list(review.reject_reasons or ()),
        fields=[_shape_field(line) for line in question.sheet.lines],
        ticket=ticket.sign_ticket(question.ticket, ref, person.id) if may_decide else None,
    )


def _shape_blind(review: Review) -> BlindAgreement | None:
    if not review.quorum:
        return None
    quorum = read_quorum(review.quorum)
    return BlindAgreement(needed=quorum.needed, of=quorum.of, given=len(review.votes or ()))


def _shape_field(line: Line) -> ReviewField:
    spec, reasons, warnings = line.spec, [one.text for one in line.reasons], list(line.warnings)
    return ReviewField(
        name=spec.name,
        label=spec.label,
        type=spec.type,
        required=spec.required,
        value=line.value,
        found=line.shown,
        confidence=line.confidence,
        threshold=spec.threshold,
        page=line.page,
        reason=reasons[0] if reasons else None,
        reasons=reasons,
        warning=warnings[0] if warnings else None,
        warnings=warnings,
        must_check=line.asked,
        checked=line.settled,
        answer=line.answer if line.answer in WITHOUT_VALUE else None,
        allowed=list(spec.allowed),
    )

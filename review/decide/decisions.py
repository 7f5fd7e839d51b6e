"""Deciding a review and undoing the decision: T0 and T1 of ADR 0004."""

import datetime as dt
import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.conf import settings
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock, table
from config.due import actions as due_work
from config.errors import Conflict, CountersignError
from config.transaction import Change, Put, Update, transact
from projects.documents import counting
from projects.queues.items import DEFAULT_QUEUE
from review.changes import AcceptedWarning, FieldChange, changes_to_store, row_changes
from review.decide import claims, drafts, separation, worklists
from review.decide.drafts import TypedValues
from review.decide.opening import next_look
from review.handovers import keeping
from review.identity import Person, ReviewRef, checkpoint_key
from review.items.reviews import READABLE, Review, ReviewDecision, may_be_decided_by, may_move
from review.quality import actions as checks
from review.quality import sampling
from review.quality.actions import FirstDecision
from review.status import DECIDE, SPLIT, UNDO, Decision, Worklist
from workflows.intake.containers.page_ranges import PageRange
from workflows.runs import events
from workflows.runs.items import ReviewCheckpoint, Run
from workflows.stages.assessment.answers import WITHOUT_VALUE
from workflows.stages.document_types import of_result
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

log = logging.getLogger(__name__)

_CHECKPOINT = {Decision.APPROVE: "approved", Decision.REJECT: "rejected"}
_EVENT = {Decision.APPROVE: "HUMAN_REVIEW_APPROVED", Decision.REJECT: "HUMAN_REVIEW_REJECTED"}


@dataclass(frozen=True)
class Verdict:
    """A person's decision on exactly what the page showed.

    ``corrections``: field → value (None: no value), including earlier approvals. ``changes``: this person's own;
    ``earlier``: those of earlier approvals, as stored. ``asked``: field → label of what had to be checked.
    ``confirmed``: field → text confirmed as right. ``unseen``: fields approved without a check.
    """

    decision_id: str
    decision: Decision
    version: int
    result_sha256: str
    corrections: Mapping[str, str | None]
    reason: str = ""
    reject_reason: str = ""  # of a rejection, from the project's list
    name: str = ""  # the document's, for lists of decisions
    queue: str = DEFAULT_QUEUE  # in which it waits, in stored form
    changes: Sequence[FieldChange] = ()
    earlier: Sequence[Mapping[str, Any]] = ()
    judges: Sequence[str] = ()  # ids of the people who approved before
    confirmed: Mapping[str, str] = field(default_factory=dict)
    unseen: Sequence[str] = ()
    answers: Mapping[str, str] = field(default_factory=dict)  # field → Answer, including earlier approvals
    warnings: Sequence[AcceptedWarning] = ()
    asked: Mapping[str, str] = field(default_factory=dict)
    check_share: float = 0.0  # 0–1, share of decisions that are reviewed twice
    is_blind: bool = False  # one of several that no one is shown until enough agree
    definition: str = ""  # the workflow's version, by its id; empty: no one is barred for an edit
    parts: Sequence[PageRange] = ()  # of a rejection that splits the document: they become documents of their own

    def labels(self, names: Iterable[str]) -> list[str]:
        return [self.asked.get(name, name) for name in names]


@dataclass(frozen=True)
class _Stored:
    """The stored corrections object and its timestamps."""

    at: dt.datetime
    redeem_after: dt.datetime
    uri: str
    sha256: str


def decide_review(
    ref: ReviewRef, run: Run, verdict: Verdict, *, by: Person, undo_seconds: int | None = None
) -> dt.datetime:
    """Write the corrections (T0), decide in one transaction (T1), return until when it can be undone.

    ``undo_seconds``: the person's undo window; None: the default. A repeated ``decision_id`` is the same decision.
    The condition checks neither lease nor token: only a takeover displaces a holder, and a restarted state machine
    must not look like someone else's decision.

    Raises:
        Conflict: it is decided, taken over, expired, or its result has changed, or this person has edited the document
            and the site separates that. Nothing is kept but the object, which no record refers to.

    """
    if verdict.definition and separation.bar_editor(ref, verdict.definition, by=by):
        claims.return_claim(ref, run, by=by)
        raise Conflict
    now = clock.now()
    body = _object(ref, verdict, by, now)
    store = DocumentFiles(ref.site, run.project_id, ref.document_id)
    sha256 = files.sha256(body)
    uri = store.write(files.decision(run.workflow_id, verdict.decision_id, sha256), body, "application/json")
    redeem_after = now + dt.timedelta(seconds=settings.REVIEW_UNDO_SECONDS if undo_seconds is None else undo_seconds)
    stored = _Stored(now, redeem_after, uri, sha256)
    changes: list[Change] = [
        _mark(ref, verdict, by, stored),
        Put(_decision(ref, run, verdict, by, stored)),
        *_move_checkpoint(ref, _CHECKPOINT[verdict.decision]),
        worklists.remove(ref, by.id, Worklist.MINE),
        *counting.apply_tally(ref.site, counting.count_queued(verdict.queue, ref.document_id, -1)),
    ]
    if not ref.is_compared and not ref.is_handed_over and sampling.is_sampled(ref.review_id, verdict.check_share):
        first = FirstDecision(verdict.decision_id, verdict.decision, by, uri, sha256, now, redeem_after)
        changes.append(checks.plan_check(ref, run, first, name=verdict.name, queue=verdict.queue))
    facts: dict[str, Any] = {"review": ref.review_id, "decision": verdict.decision_id}
    facts |= {"corrected": len(verdict.changes), "confirmed": len(verdict.confirmed)}
    if verdict.unseen:
        facts["unseen"] = ", ".join(verdict.labels(verdict.unseen))
    if verdict.reject_reason:
        facts["rejected_for"] = verdict.reject_reason
    if verdict.parts:
        facts["parts"] = ", ".join(one.words for one in verdict.parts)
    if (chosen := verdict.corrections.get(of_result.KEY)) is not None:
        facts["document_type"] = chosen or of_result.NONE
    event = events.lineage(run, _EVENT[verdict.decision], by=by, decision=verdict.decision, facts=facts)
    if ref.is_check:  # without the content: a third person may have to say who is right
        event = events.lineage(run, "CHECK_DECIDED", by=by, facts={"review": ref.review_id})
    elif verdict.is_blind:
        event = events.lineage(run, "BLIND_DECIDED", by=by, facts={"review": ref.review_id})
    try:
        transact(changes, event, token=verdict.decision_id)
    except Conflict:
        return _find_repeated_decision(ref, verdict, by)
    log.info("decided", extra={"review": ref.review_id, "decision": verdict.decision_id})
    return redeem_after


def _find_repeated_decision(ref: ReviewRef, verdict: Verdict, by: Person) -> dt.datetime:
    """Treat a repeated POST as the same decision; anything else is a conflict that names who was first."""
    review = Review.load(ref.key, only=READABLE)
    same = review.decision_id == verdict.decision_id and review.decision == verdict.decision
    if same and review.reviewer == by.id and review.redeem_after:
        return clock.parse(review.redeem_after)
    raise Conflict


def _mark(ref: ReviewRef, verdict: Verdict, by: Person, stored: _Stored) -> Update:
    now = stored.at
    redeem_after = stored.redeem_after
    mine: Condition = may_move(DECIDE) & (Review.holder == by.id) & may_be_decided_by(by.id)
    shown: Condition = (Review.version == verdict.version) & (Review.result_sha256 == verdict.result_sha256)
    repair_at = clock.iso(redeem_after + dt.timedelta(seconds=settings.REPAIR_AFTER_SECONDS))
    actions = [
        Review.status.set(DECIDE.to),
        Review.decision_id.set(verdict.decision_id),
        Review.decision.set(verdict.decision),
        Review.decision_uri.set(stored.uri),
        Review.decision_sha256.set(stored.sha256),
        Review.reviewer.set(by.id),
        Review.reviewer_name.set(by.name),
        Review.reviewedAt.set(clock.iso(now)),
        Review.redeem_after.set(clock.iso(redeem_after)),
        Review.updated_at.set(clock.iso(now)),
        Review.GSI1PK.remove(),
        Review.GSI1SK.remove(),
        *due_work.postpone_actions(Review, repair_at, review_id=ref.review_id),
    ]
    if not verdict.is_blind:
        shown &= Review.quorum.does_not_exist()
    if verdict.unseen:  # pinned by the run, whatever the page sent
        shown &= Review.unseen_allowed == True  # noqa: E712 - a condition, not a comparison
    return Update(ref.key, actions, mine & shown & (Review.deadline > clock.iso(now)))


def _decision(ref: ReviewRef, run: Run, verdict: Verdict, by: Person, stored: _Stored) -> ReviewDecision:
    at = clock.iso(stored.at)
    key = table.REVIEW_DECISION.key(
        ref.site, document_id=ref.document_id, review_id=ref.review_id, decision_id=verdict.decision_id
    )
    listed = {"user_id": by.id, "decided_at": at, "decision_id": verdict.decision_id}
    return ReviewDecision(
        key.pk,
        key.sk,
        **table.REVIEW_DECISION.gsi1(ref.site, **listed),
        **table.REVIEW_DECISION.gsi2(ref.site, **listed),
        name=verdict.name or None,
        status=SPLIT if verdict.parts else verdict.decision,
        document_id=ref.document_id,
        workflow_id=run.workflow_id,
        holder=by.id,
        holder_name=by.name,
        created_at=at,
        deadline=clock.iso(stored.redeem_after),
        reviewId=ref.review_id,
        decisionId=verdict.decision_id,
        decision=verdict.decision,
        reviewer=by.id,
        reviewer_name=by.name,
        uri=stored.uri,
        sha256=stored.sha256,
        reason=verdict.reason or None,
        reject_reason=verdict.reject_reason or None,
        changes=row_changes(verdict.changes) or None,
        confirmed=verdict.labels(verdict.confirmed) or None,
        unseen=verdict.labels(verdict.unseen) or None,
        warnings=[asdict(one) for one in verdict.warnings] or None,
        decidedAt=at,
        TimeToLive=keeping.keep_until() if ref.is_handed_over else None,  # the lineage keeps who decided, forever
    )


def _object(ref: ReviewRef, verdict: Verdict, by: Person, now: dt.datetime) -> bytes:
    own = changes_to_store(
        verdict.changes, decision_id=verdict.decision_id, by={"id": by.id, "name": by.name}, at=clock.iso(now)
    )
    content: dict[str, Any] = {
        "version": 1,
        "review_id": ref.review_id,
        "decision_id": verdict.decision_id,
        "decision": verdict.decision,
        "result_sha256": verdict.result_sha256,
        "corrections": dict(verdict.corrections),
        "changes": [*verdict.earlier, *own],
        "confirmed": dict(verdict.confirmed),
        "unseen": list(verdict.unseen),
        "answers": dict(verdict.answers),
        "warnings": [asdict(one) for one in verdict.warnings],
        "reason": verdict.reason,
        "reject_reason": verdict.reject_reason,
        "parts": [asdict(one) for one in verdict.parts],
        "reviewer": {"id": by.id, "name": by.name},
        "judges": [*(one for one in verdict.judges if one != by.id), by.id],
        "at": clock.iso(now),
    }
    return json.dumps(content, ensure_ascii=False, sort_keys=True).encode()


def undo_decision(ref: ReviewRef, run: Run, *, decision_id: str, by: Person) -> None:
    """Undo my decision before redemption begins; the review is mine again, under a new version.

    Its values become the draft again, and the review claimed with it is released.

    Raises:
        Conflict: redemption has begun, or it was not my decision.

    """
    review = Review.load(ref.key, only=READABLE)
    try:
        _reopen_review(ref, run, review, decision_id, by)
    except Conflict:  # perhaps only the next document was claimed since the read
        before, review = review, Review.load(ref.key, only=READABLE)
        if review.claimed_ahead == before.claimed_ahead:
            raise
        _reopen_review(ref, run, review, decision_id, by)
    _type_again(ref, run, review, by)
    try:
        claims.release_ahead(ref.site, review.claimed_ahead, by=by)
    except CountersignError as error:  # the undo is valid; that claim ends with its lease
        log.warning("claim ahead not given back", extra={"error": type(error).__name__})


def _reopen_review(ref: ReviewRef, run: Run, review: Review, decision_id: str, by: Person) -> None:
    now = clock.iso(clock.now())
    mine: Condition = may_move(UNDO) & (Review.reviewer == by.id)
    in_time: Condition = (Review.decision_id == decision_id) & (Review.redeem_after > now)
    # Only this row names the review that was claimed ahead, so it must still be the one that was read.
    ahead: Condition = Review.claimed_ahead.does_not_exist()
    if review.claimed_ahead:
        ahead = Review.claimed_ahead == review.claimed_ahead
    taken_back = table.REVIEW_DECISION.key(
        ref.site, document_id=ref.document_id, review_id=ref.review_id, decision_id=decision_id
    )
    changes: list[Change] = [
        worklists.enter(ref, by.id, Worklist.MINE),
        Update(ref.key, _reopen_actions(ref, review, by, now), mine & in_time & ahead),
        Update(
            taken_back,
            [ReviewDecision.undone_at.set(now), ReviewDecision.status.set("undone")],
            ReviewDecision.undone_at.does_not_exist(),
        ),
        *_move_checkpoint(ref, "pending_review"),
        *counting.apply_tally(ref.site, counting.count_queued(review.queue or DEFAULT_QUEUE, ref.document_id, 1)),
    ]
    facts = {"review": ref.review_id, "decision": decision_id}
    kind = "CHECK_UNDONE" if ref.is_check else "BLIND_UNDONE" if review.quorum else "HUMAN_REVIEW_UNDONE"
    transact(changes, events.lineage(run, kind, by=by, facts=facts))


def _move_checkpoint(ref: ReviewRef, status: str) -> list[Change]:
    """Return the checkpoint's update; second reviews and seeded checks have no waiting run."""
    return [] if ref.is_compared else [Update(checkpoint_key(ref), [ReviewCheckpoint.status.set(status)])]


def _reopen_actions(ref: ReviewRef, review: Review, by: Person, now: str) -> list[Action]:
    since, escalated = clock.parse(review.created_at), bool(review.escalated_at)
    look_at = next_look(ref, clock.parse(review.deadline), since=since, escalated=escalated)
    index = table.REVIEW.gsi1(
        ref.site, queue=review.queue or DEFAULT_QUEUE, deadline=review.deadline, review_id=ref.review_id
    )
    return [
        Review.status.set(UNDO.to),
        Review.holder.set(by.id),
        Review.holder_name.set(by.name),
        Review.version.set(Review.version + 1),
        Review.lease_until.set(clock.iso(clock.in_seconds(settings.REVIEW_LEASE_SECONDS))),
        *(one.remove() for one in (Review.decision_id, Review.decision, Review.decision_uri)),
        *(one.remove() for one in (Review.decision_sha256, Review.redeem_after, Review.reviewedAt)),
        *(one.remove() for one in (Review.reviewer, Review.reviewer_name)),
        *(one.remove() for one in (Review.claimed_ahead, Review.claimed_after)),  # held on purpose from now on
        Review.GSI1PK.set(index["GSI1PK"]),
        Review.GSI1SK.set(index["GSI1SK"]),
        *due_work.postpone_actions(Review, clock.iso(look_at), review_id=ref.review_id),
        Review.updated_at.set(now),
    ]


def _type_again(ref: ReviewRef, run: Run, review: Review, by: Person) -> None:
    """Restore what was sent as the draft, since it may not have been saved. A failure does not affect the undo."""
    store = DocumentFiles(ref.site, run.project_id, ref.document_id)
    try:
        sent = json.loads(store.read_pinned(store.name_of(review.decision_uri or ""), review.decision_sha256 or ""))
        own = {one["field"] for one in sent.get("changes", ()) if one["decision_id"] == review.decision_id}
        typed = TypedValues(
            {name: text or "" for name, text in (sent.get("corrections") or {}).items() if name in own},
            sent.get("reason") or None,
            sent.get("confirmed") or {},
            {name: one for name, one in (sent.get("answers") or {}).items() if one in WITHOUT_VALUE},
        )
        if not typed.is_empty:
            drafts.keep_draft(ref, typed, by=by, begun=True)
    except CountersignError as error:
        log.warning("draft of an undone decision not kept", extra={"error": type(error).__name__})

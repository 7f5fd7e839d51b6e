"""Redeeming, applying and expiring decisions: T2 to T4 of ADR 0004. Tokens: ``workflows/engine/tokens.py``."""

import datetime as dt
import json
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock
from config.due import actions as due_work
from config.errors import Conflict, NotFound, StaleAttempt
from config.phrase import Sentence
from config.transaction import EXISTS, Change, Update
from projects.documents import counting
from projects.documents.actions import expiry
from projects.documents.queries import get_document
from projects.queues.items import DEFAULT_QUEUE
from review.cases import actions as cases
from review.decide import quorum
from review.identity import ReviewRef, checkpoint_key, review_id
from review.items.reviews import READABLE, Review, may_move, stays_postponed
from review.status import APPLY, DECIDED, EXPIRE, PUT_OFF, REDEEM, SPEND, UNDECIDED, Decision, Move
from workflows.definitions.blueprint import Definition
from workflows.engine import tokens
from workflows.engine.step_outcome import mark_passed
from workflows.intake.actions.unpack import plan_split
from workflows.intake.containers.page_ranges import PageRange
from workflows.intake.tasks import order_unpacking_soon
from workflows.runs import events, queries
from workflows.runs.actions import advance
from workflows.runs.actions.advance import Advance
from workflows.runs.items import END, Execution, Outcome, ReviewCheckpoint, Run
from workflows.runs.run_files import files_of

log = logging.getLogger(__name__)


def decision_output(review: Review) -> dict[str, Any]:
    """Return the task output: ids and a pointer, never the corrections (AWS: output ≤ 256 KiB)."""
    return {
        "review_id": review.reviewId,
        "decision": review.decision,
        "decision_id": review.decision_id,
        "uri": review.decision_uri,
        "sha256": review.decision_sha256,
        "last": review.last_transition,
    }


def redeem_decision(ref: ReviewRef, decision_id: str) -> bool:
    """T2 and T3: mark as redeeming, send, mark as redeemed; return True if the engine accepted the token.

    ``redeem_after`` is also the redeemer's lease: another redeemer or a repair waits for its end, so that a decision
    is sent twice only if the first sender crashed.

    Raises:
        Conflict: another decision holds, the undo window is open, it is redeemed or applied already, or it is a blind
            decision that has to be counted first.
        Unavailable: the engine's answer is unknown; a repair retries.

    """
    now = clock.now()
    again = clock.iso(now + dt.timedelta(seconds=settings.REPAIR_AFTER_SECONDS))
    same: Condition = Review.decision_id == decision_id
    when: Condition = may_move(REDEEM) & same & (Review.redeem_after <= clock.iso(now)) & Review.quorum.does_not_exist()
    take = [
        Review.status.set(REDEEM.to),
        Review.redeem_after.set(again),
        *due_work.postpone_actions(Review, again, review_id=ref.review_id),
        Review.drives.set((Review.drives | 0) + 1),
    ]
    return tokens.redeem(
        Review,
        ref.key,
        take=take,
        when=when,
        done=[Review.status.set(SPEND.to)],
        still=may_move(SPEND) & same,
        output=decision_output,
    )


@dataclass(frozen=True)
class Application:
    """A redeemed decision as returned by the state machine."""

    run: Run
    attempt: int
    step: int
    output: Mapping[str, Any]

    @property
    def ref(self) -> ReviewRef:
        return ReviewRef(self.run.site, self.run.document_id, str(self.output["review_id"]))


def apply_decision(application: Application, definition: Definition, *, held: bool = False) -> Mapping[str, Any]:
    """T4: leave the review step and mark the review as applied, in one transaction; return what follows.

    ``held``: the document is on legal hold, so its rows must not expire.

    Raises:
        StaleAttempt: a newer attempt drives the run.
        Tampered: the corrections are not the ones that were decided.

    """
    run, output = application.run, application.output
    store = files_of(run)
    decided = json.loads(store.read_pinned(store.name_of(str(output["uri"])), str(output["sha256"])))
    step = definition.step(application.step)
    to = step.after(str(output["decision"]))
    parts = [PageRange(**one) for one in decided.get("parts", ())]
    # A rejection that continues at another step ends the run there.
    rejected = to == END and output["decision"] == Decision.REJECT
    move = Advance(
        step,
        to,
        application.attempt,
        result=str(output["decision"]),
        outcome=Outcome.REJECTED if rejected else None,
        facts={"decision_id": output["decision_id"], "review_id": output["review_id"]},
        pinned=_pin(output),
        document_if=_if_expires(held=held),
        execution=queries.execution(run) if rejected else None,
    )
    detail = {"outcome": Outcome.REJECTED, "step": step.name, "error": "Rejected", "reviewId": output["review_id"]}
    if decided.get("reject_reason"):
        detail["rejectionReason"] = decided["reject_reason"]
    event = events.lineage(
        run,
        "HUMAN_REVIEW_APPLIED",
        facts={"review": output["review_id"], "decision": output["decision_id"]},
        bus_type=events.FAILED if rejected else None,
        bus_detail=detail,
    )
    try:
        done = advance.advance(
            run,
            definition,
            move,
            last=output["last"],
            also=[
                *_apply_decision_changes(application.ref, output, held=held),
                *_plan_rejection(application, decided, parts, ends=rejected),
            ],
            event=event,
        )
    except Conflict as conflict:
        if "document" in conflict.failed and not held:
            return apply_decision(application, definition, held=True)
        return _find_applied_decision(application, to)
    if rejected:
        events.publish_soon(done.event)
    if parts:
        order_unpacking_soon(run.site, run.document_id)
    return {"next": to, "last": done.last}


def _plan_rejection(
    application: Application, decided: Mapping[str, Any], parts: Sequence[PageRange], *, ends: bool
) -> list[Change]:
    """Plan the worker's task of a split, and the NIGOs of a rejection that ends the run."""
    if parts:
        run = application.run
        with suppress(NotFound):  # deleted meanwhile, and so are its parts
            return [plan_split(run, get_document(run.site, run.document_id), parts)]
    if parts or not ends:
        return []
    return cases.plan_rejection(
        application.ref,
        decision_id=str(application.output["decision_id"]),
        listed=str(decided.get("reject_reason") or ""),
        reason=str(decided.get("reason") or ""),
        by_name=str(decided["reviewer"]["name"]),
    )


def _pin(output: Mapping[str, Any]) -> list[Action]:
    return [Execution.decision_id.set(output["decision_id"]), Execution.decision_sha256.set(output["sha256"])]


def _apply_decision_changes(ref: ReviewRef, output: Mapping[str, Any], *, held: bool) -> list[Change]:
    expires = expiry.expire_later(held=held)
    actions = [
        Review.status.set(APPLY.to),
        Review.updated_at.set(clock.iso(clock.now())),
        *due_work.finish_actions(),
        *expires,
    ]
    this: Condition = Review.decision_id == output["decision_id"]
    changes: list[Change] = [Update(ref.key, actions, may_move(APPLY) & this)]
    if expires:
        key = ref.decision_key(str(output["decision_id"]))
        changes += [Update(key, expires, EXISTS), Update(checkpoint_key(ref), expires, EXISTS)]
    return changes


def _if_expires(*, held: bool) -> Condition | None:
    return expiry.NOT_HELD if expiry.does_expire() and not held else None


def _find_applied_decision(application: Application, to: int) -> Mapping[str, Any]:
    execution = queries.execution(application.run)
    if execution.decision_id == application.output["decision_id"]:
        return {"next": to, "last": execution.last_transition, **mark_passed(execution, to)}
    raise StaleAttempt(gettext("This decision belongs to an earlier attempt of the run."))


def expire_review(run: Run, *, attempt: int, held: bool = False) -> Mapping[str, Any]:
    """Handle the machine's timeout: end the run, unless a decision was made in time, which then counts.

    Returns the decision's output, or ``{"expired": True}``. ``held``: as in ``apply_decision``.

    Raises:
        StaleAttempt: the run has ended or another attempt drives it.

    """
    execution = queries.execution(run)
    if int(execution.engine_attempt) != attempt or int(execution.currentStep) == END or not execution.result_sha256:
        raise StaleAttempt(gettext("The run has ended or was taken over by a newer attempt."))
    ref = ReviewRef(
        run.site, run.document_id, review_id(run.workflow_id, int(execution.currentStep), execution.result_sha256)
    )
    review = Review.load(ref.key, only=READABLE)
    sentence = Sentence("Review expired without a decision. Nothing was published; re-run to request a new review.")
    try:
        done = advance.fail(
            run,
            queries.definition_of(execution),
            execution,
            attempt=attempt,
            error="ReviewExpired",
            sentence=sentence,
            outcome=Outcome.EXPIRED,
            also=[*plan_close(ref, EXPIRE, review, held=held), _expire_checkpoint(ref, held=held)],
            document_if=_if_expires(held=held),
        )
    except Conflict as conflict:
        if conflict.failed == {"document"} and not held:
            return expire_review(run, attempt=attempt, held=True)
        review = Review.load(ref.key, only=READABLE)
        if "review" in conflict.failed and review.status in DECIDED:
            if not review.quorum:
                return decision_output(review)
            with suppress(Conflict):  # undone or counted meanwhile
                quorum.count_vote(ref, str(review.decision_id), may_undo=False)
            return expire_review(run, attempt=attempt)
        if "review" in conflict.failed and review.status in UNDECIDED:  # postponed or brought back since it was read
            return expire_review(run, attempt=attempt, held=held)
        raise StaleAttempt(gettext("The run has ended or was taken over by a newer attempt.")) from conflict
    events.publish_soon(done.event)
    return {"expired": True}


def _expire_checkpoint(ref: ReviewRef, *, held: bool) -> Update:
    return Update(checkpoint_key(ref), [ReviewCheckpoint.status.set("expired"), *expiry.expire_later(held=held)])


def plan_close(ref: ReviewRef, move: Move, review: Review, *, held: bool) -> list[Change]:
    """Plan the end of an undecided review: ``EXPIRE``, or ``ORPHAN`` if its run has ended.

    ``review``: as read. The change named ``review`` fails if it was decided, postponed or brought back meanwhile.
    ``held``: as in ``apply_decision``.
    """
    postponed = review.status in PUT_OFF
    tally = counting.count_queued(review.queue or DEFAULT_QUEUE, ref.document_id, -1, postponed=postponed)
    actions = [
        Review.status.set(move.to),
        Review.updated_at.set(clock.iso(clock.now())),
        Review.GSI1PK.remove(),
        Review.GSI1SK.remove(),
        *due_work.finish_actions(),
        *expiry.expire_later(held=held),
    ]
    return [
        Update(ref.key, actions, may_move(move) & stays_postponed(postponed), name="review"),
        *counting.apply_tally(ref.site, tally),
    ]

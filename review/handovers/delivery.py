"""Delivering answers to other systems (T2 and T3 of ADR 0004, without a run of ours), and expiry."""

import datetime as dt
import logging
from collections.abc import Mapping
from typing import Any, cast

from django.conf import settings
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock
from config.due import actions as due_work
from config.errors import Conflict
from config.transaction import Update, transact
from projects.documents import counting
from review import queries
from review.decide.redemption import decision_output
from review.handovers import keeping
from review.identity import ReviewRef, checkpoint_key
from review.items.reviews import READABLE, Review, may_move, stays_postponed
from review.status import EXPIRE, PUT_OFF, REDEEM, SPEND, Delivery, ReviewStatus
from workflows.engine import driver, tokens
from workflows.runs import events
from workflows.runs.items import DocumentEvent, ReviewCheckpoint

log = logging.getLogger(__name__)

DECIDED_EVENT = "document.review.decided"
EXPIRED_EVENT = "document.review.expired"
EXPIRED = "ReviewExpired"  # the error that a caller's Catch names
_NOBODY = "The review expired without a decision. Send a new request under a new ID."


def build_answer(review: Review) -> dict[str, Any]:
    """Build the task output for the caller's machine: as for our own, without a run's transition."""
    return {name: value for name, value in decision_output(review).items() if name != "last"}


def deliver_answer(ref: ReviewRef, decision_id: str) -> None:
    """Send the answer, or leave it to be fetched, and record the outcome.

    Raises:
        Conflict: another decision holds, the undo window is open, or it is being or was delivered.
        Unavailable: it is unknown whether the engine accepted it; a repair retries.

    """
    review = Review.load(ref.key, only=READABLE)
    if review.delivery == Delivery.TO_FETCH:
        _put_up(ref, review, decision_id)
        return
    now = clock.now()
    again = clock.iso(now + dt.timedelta(seconds=settings.REPAIR_AFTER_SECONDS))
    same: Condition = Review.decision_id == decision_id
    sent = tokens.redeem(
        Review,
        ref.key,
        take=[
            Review.status.set(REDEEM.to),
            Review.redeem_after.set(again),  # the sender's lease: no second one while it lasts
            *due_work.postpone_actions(Review, again, review_id=ref.review_id),
            Review.drives.set((Review.drives | 0) + 1),
        ],
        # A settled delivery is not due; a newer token puts it back into the due index.
        when=may_move(REDEEM) & same & (Review.redeem_after <= clock.iso(now)) & due_work.if_scheduled(),
        done=[Review.status.set(SPEND.to), Review.delivery.set(Delivery.DELIVERED)],
        still=may_move(SPEND) & same,
        output=build_answer,
    )
    how = Delivery.DELIVERED if sent else _check_token(review, decision_id)
    _settle_delivery(ref, review, how, lease=again)


def _check_token(review: Review, decision_id: str) -> Delivery:
    """Interpret a closed token: an earlier call may have succeeded with its response lost."""
    took = driver.took(review.execution_arn, decision_id) if review.execution_arn else None
    if took is None:
        return Delivery.UNCERTAIN
    return Delivery.DELIVERED if took else Delivery.UNDELIVERED


def _put_up(ref: ReviewRef, review: Review, decision_id: str) -> None:
    now = clock.iso(clock.now())
    ready: Condition = may_move(REDEEM) & (Review.decision_id == decision_id) & (Review.redeem_after <= now)
    _record(ref, review, Delivery.TO_FETCH, [Review.status.set(SPEND.to)], ready)


def _settle_delivery(ref: ReviewRef, review: Review, how: Delivery, *, lease: str) -> None:
    """Record that the delivery is settled. ``lease``: a newer token ends it and needs its own answer."""
    mine: Condition = may_move(REDEEM) & (Review.decision_id == review.decision_id) & (Review.redeem_after == lease)
    _record(ref, review, how, [Review.status.set(SPEND.to), Review.delivery.set(how)], mine)
    if how != Delivery.DELIVERED:
        log.warning("answer not known to be delivered", extra={"review": ref.review_id, "error": str(how)})


def _record(ref: ReviewRef, review: Review, how: Delivery, actions: list[Action], when: Condition) -> None:
    ended = [Review.updated_at.set(clock.iso(clock.now())), *due_work.finish_actions()]
    until = keeping.keep_until()
    change = Update(ref.key, [*actions, *ended, Review.TimeToLive.set(until)], when & due_work.if_scheduled())
    checkpoint = Update(checkpoint_key(ref), [ReviewCheckpoint.TimeToLive.set(until)])
    detail = {**_caller_names(review), "decision": review.decision, "decisionId": review.decision_id, "delivery": how}
    detail |= {"uri": review.decision_uri, "sha256": review.decision_sha256}
    event = events.lineage(
        queries.run_of(ref, review),
        "HUMAN_REVIEW_ANSWERED",
        facts={"review": ref.review_id, "decision": review.decision_id, "delivery": str(how)},
        bus_type=DECIDED_EVENT,
        bus_detail=detail,
    )
    written = transact([change, checkpoint], event)
    events.publish_soon(cast("DocumentEvent", written[0]))


def _caller_names(review: Review) -> Mapping[str, Any]:
    return {"reviewId": review.reviewId, "caller": review.caller, "id": review.caller_id}


def expire_handover(ref: ReviewRef, review: Review) -> None:
    """Expire an undecided review: record the event and tell the caller's machine once.

    Raises:
        Conflict: it is decided, postponed, brought back, or has ended.
        Unavailable: the engine does not answer; the due row retries.

    """
    now, postponed = clock.now(), review.status in PUT_OFF
    tally = counting.count_queued(review.queue, ref.document_id, -1, postponed=postponed)
    again = clock.iso(now + dt.timedelta(seconds=settings.REPAIR_AFTER_SECONDS))
    actions = [
        Review.status.set(EXPIRE.to),
        Review.updated_at.set(clock.iso(now)),
        Review.GSI1PK.remove(),
        Review.GSI1SK.remove(),
        *due_work.postpone_actions(Review, again, review_id=ref.review_id),
    ]
    changes = [
        Update(ref.key, actions, may_move(EXPIRE) & stays_postponed(postponed) & (Review.deadline <= clock.iso(now))),
        Update(
            checkpoint_key(ref),
            [ReviewCheckpoint.status.set("expired"), ReviewCheckpoint.TimeToLive.set(keeping.keep_until())],
        ),
        *counting.apply_tally(ref.site, tally),
    ]
    event = events.lineage(
        queries.run_of(ref, review),
        "HUMAN_REVIEW_EXPIRED",
        facts={"review": ref.review_id},
        bus_type=EXPIRED_EVENT,
        bus_detail=_caller_names(review),
    )
    written = transact(changes, event)
    events.publish_soon(cast("DocumentEvent", written[0]))
    tell_expired(ref)


def tell_expired(ref: ReviewRef) -> None:
    """Tell the machine again if the first attempt may have failed: a token fails only once. Raises: Unavailable."""
    tokens.refuse_kept(ref.key, EXPIRED, _NOBODY)
    gone: Condition = Review.status == ReviewStatus.EXPIRED
    try:
        ended = [*due_work.finish_actions(), Review.TimeToLive.set(keeping.keep_until())]
        Review.change(ref.key, ended, gone & due_work.if_scheduled())
    except Conflict:
        log.info("expiry was told twice", extra={"review": ref.review_id})


def refuse_expired(token: str | None) -> None:
    """Fail a machine that waits again for an expired question. Raises: Unavailable."""
    tokens.refuse(token, EXPIRED, _NOBODY)


def drive_handover(ref: ReviewRef, review: Review) -> None:
    """Handle a due review. Raises: Conflict, Unavailable."""
    if review.status == ReviewStatus.EXPIRED:
        tell_expired(ref)
    elif not review.decision_id:
        expire_handover(ref, review)
    elif review.status == ReviewStatus.REDEEMED and review.delivery == Delivery.DELIVERED:
        _settle_delivery(
            ref, review, Delivery.DELIVERED, lease=str(review.redeem_after)
        )  # it died between the two marks
    else:
        deliver_answer(ref, review.decision_id)

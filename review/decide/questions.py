"""Questions about a review: it waits for a colleague's answer, then returns to the asker, answered or not."""

import datetime as dt
import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import cast

from django.conf import settings
from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock
from config.errors import Refused
from config.transaction import Change, Put, Update, transact
from review.decide import worklists
from review.decide.postponements import bring_back_actions, count_put_off, put_off_actions
from review.handovers import keeping
from review.identity import Person, ReviewRef, queue_id
from review.items.reviews import Review, may_be_decided_by, may_move
from review.messages.items import MessageKind, QuestionEnd, ReviewMessage
from review.notifications.actions import plan_notifications
from review.notifications.items import Kind
from review.status import ANSWER, ASK, TAKE_ASKED, Worklist
from workflows.runs import events
from workflows.runs.items import DocumentEvent, Run

log = logging.getLogger(__name__)

MOST_ASKED = 40  # people per question: each has a row and a mail in one transaction of at most 100 changes


@dataclass(frozen=True)
class Question:
    """``to``: ids of the people who may answer; ``to_name``: the person or group. ``about``: a field's label."""

    id: str
    text: str
    to: Collection[str]
    to_name: str
    until: dt.datetime
    about: str = ""
    escalates: bool = False  # an escalation: they are to take it over, and the text says why


def ask_question(ref: ReviewRef, run: Run, review: Review, question: Question, *, by: Person) -> None:
    """Ask about a review that I hold: it is postponed until the answer or ``question.until``, and stays mine.

    Raises:
        Refused: no one or too many are asked, or the time is not between now and the deadline.
        Conflict: it is not mine any more.

    """
    back_at, now = clock.iso(question.until), clock.iso(clock.now())
    if not now < back_at < review.deadline:
        raise Refused(gettext("Choose a time after now and before the due date."))
    if not 0 < len(question.to) <= MOST_ASKED or by.id in question.to:
        raise Refused(gettext("Select another person or a smaller group to ask."))
    mine: Condition = may_move(ASK) & (Review.holder == by.id) & (Review.deadline > back_at)
    actions: list[Action] = [
        Review.status.set(ASK.to),
        Review.question_id.set(question.id),
        Review.question_to.set(set(question.to)),
        Review.question_to_name.set(question.to_name),
        Review.question_ended.remove(),
        Review.messages.set((Review.messages | 0) + 1),
        Review.lease_until.remove(),
        Review.claimed_after.remove(),
        Review.version.set(Review.version + 1),
        Review.updated_at.set(now),
        *put_off_actions(ref, review, back_at),
    ]
    message = ReviewMessage(
        *ref.message_key(question.id),
        kind=MessageKind.ESCALATION if question.escalates else MessageKind.QUESTION,
        text=question.text,
        by_id=by.id,
        by_name=by.name,
        to_ids=set(question.to),
        to_name=question.to_name,
        about=question.about or None,
        at=now,
        TimeToLive=keeping.keep_until() if ref.is_handed_over else None,
    )
    changes: list[Change] = [
        Update(ref.key, actions, mine),
        Put(message),
        *count_put_off(ref, review, 1),
        *(worklists.enter(ref, one, Worklist.ASKED) for one in sorted(question.to)),
        *plan_notifications(ref, Kind.ASKED, question.to, told_by=by),
    ]
    facts = {"review": ref.review_id, "asked": question.to_name, "about": question.about, "said": question.text}
    event = events.lineage(run, "HUMAN_REVIEW_ASKED", by=by, facts=facts | {"until": back_at})
    if question.escalates:
        detail = {"reviewId": ref.review_id, "deadline": review.deadline, "queue": queue_id(review.queue)}
        event = events.lineage(
            run, "HUMAN_REVIEW_HANDED_UP", by=by, facts=facts, bus_type=events.REVIEW_ESCALATED, bus_detail=detail
        )
    written = transact(changes, event)
    if question.escalates:
        events.publish_soon(cast("DocumentEvent", written[0]))
    log.info("review question asked", extra={"review": ref.review_id})


def answer_question(ref: ReviewRef, run: Run, review: Review, text: str, *, by: Person) -> None:
    """Answer a question; the review returns to the asker, without a lease until it is claimed.

    Raises:
        Conflict: another person answered first, or the question has ended.

    """
    asked: Condition = Review.question_to.contains(by.id)
    message = [
        ReviewMessage.answer.set(text),
        ReviewMessage.answered_by.set(by.name),
        ReviewMessage.answered_at.set(clock.iso(clock.now())),
    ]
    changes = _give_to_asker(ref, review, QuestionEnd.ANSWERED, asked, message)
    changes += plan_notifications(ref, Kind.ANSWERED, [str(review.holder)], told_by=by)
    facts = {"review": ref.review_id, "said": text}
    transact(changes, events.lineage(run, "HUMAN_REVIEW_QUESTION_ANSWERED", by=by, facts=facts))
    log.info("review question answered", extra={"review": ref.review_id})


def return_unanswered(ref: ReviewRef, run: Run, review: Review) -> None:
    """Return an unanswered review to its asker when the time is over.

    Raises:
        Conflict: it was answered or taken meanwhile, or another sweep was first.

    """
    same: Condition = Review.postponed_until == review.postponed_until
    changes = _give_to_asker(ref, review, QuestionEnd.UNANSWERED, same, [])
    transact(changes, events.lineage(run, "HUMAN_REVIEW_QUESTION_UNANSWERED", facts={"review": ref.review_id}))
    log.info("review question unanswered", extra={"review": ref.review_id})


def take_asked(ref: ReviewRef, run: Run, review: Review, *, by: Person) -> None:
    """Claim the review before the answer: the asker goes on without it, or a person asked takes it over.

    Raises:
        Conflict: it was answered meanwhile, its deadline has passed, I was not asked, or I may not decide it.

    """
    now = clock.iso(clock.now())
    takes_over = review.holder != by.id
    mine: Condition = (Review.holder == by.id) | Review.question_to.contains(by.id)
    may: Condition = mine & may_be_decided_by(by.id) & (Review.deadline > now)
    actions: list[Action] = [
        Review.status.set(TAKE_ASKED.to),
        Review.holder.set(by.id),
        Review.holder_name.set(by.name),
        Review.lease_until.set(clock.iso(clock.in_seconds(settings.REVIEW_LEASE_SECONDS))),
        Review.claimed_at.set(now),
        Review.passed_by.delete({by.id}),
    ]
    end = QuestionEnd.TAKEN_OVER if takes_over else QuestionEnd.WITHDRAWN
    told = [ReviewMessage.answered_by.set(by.name), ReviewMessage.answered_at.set(now)]
    changes: list[Change] = [
        Update(ref.key, [*actions, *_end_actions(ref, review)], may_move(TAKE_ASKED) & _is_open(review) & may),
        Update(ref.message_key(str(review.question_id)), [ReviewMessage.ended.set(end), *told], _is_message_open()),
        *_remove_rows(ref, review),
        worklists.enter(ref, by.id, Worklist.MINE),
    ]
    if takes_over and review.holder:
        changes.append(worklists.remove(ref, review.holder, Worklist.MINE))
    kind = "HUMAN_REVIEW_QUESTION_TAKEN_OVER" if takes_over else "HUMAN_REVIEW_QUESTION_WITHDRAWN"
    transact(changes, events.lineage(run, kind, by=by, facts={"review": ref.review_id}))
    log.info("asked review claimed", extra={"review": ref.review_id})


def _give_to_asker(
    ref: ReviewRef, review: Review, end: QuestionEnd, condition: Condition, message: Sequence[Action]
) -> list[Change]:
    actions = [Review.status.set(ANSWER.to), Review.question_ended.set(end), *_end_actions(ref, review)]
    return [
        Update(ref.key, actions, may_move(ANSWER) & _is_open(review) & condition),
        Update(ref.message_key(str(review.question_id)), [ReviewMessage.ended.set(end), *message], _is_message_open()),
        *_remove_rows(ref, review),
    ]


def _end_actions(ref: ReviewRef, review: Review) -> list[Action]:
    return [
        Review.question_id.remove(),
        Review.question_to.remove(),
        Review.question_to_name.remove(),
        Review.version.set(Review.version + 1),
        Review.updated_at.set(clock.iso(clock.now())),
        *bring_back_actions(ref, review),
    ]


def _is_open(review: Review) -> Condition:
    """Condition: the open question is the one that was read."""
    same: Condition = Review.question_id == str(review.question_id)
    return same


def _is_message_open() -> Condition:
    is_open: Condition = ReviewMessage.PK.exists() & ReviewMessage.ended.does_not_exist()
    return is_open


def _remove_rows(ref: ReviewRef, review: Review) -> list[Change]:
    """Remove the review from the askees' lists and from the postponed ones."""
    asked: list[Change] = [worklists.remove(ref, one, Worklist.ASKED) for one in sorted(review.question_to or ())]
    return asked + count_put_off(ref, review, -1)

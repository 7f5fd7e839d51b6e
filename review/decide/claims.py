"""Claims: a person takes, keeps and releases a review.

A claim is a lease, not a lock: once it lapses the next person may take the review, and nothing has to clean it up.
"""

import logging
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import NamedTuple

from django.conf import settings
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock
from config.errors import Conflict, NotFound
from config.transaction import Change, Put, Update, transact
from review import queries
from review.decide import separation, worklists
from review.handovers import keeping
from review.identity import Person, ReviewRef, ref_at
from review.items.reviews import READABLE, Review, may_be_decided_by, may_move, was_not_passed_by
from review.messages.items import MessageKind, ReviewMessage
from review.status import RELEASE, RENEW, TAKE, TAKE_ASSIGNED, TAKE_OVER, Worklist
from workflows.runs import events
from workflows.runs.items import Run

log = logging.getLogger(__name__)

_PAGES = 4  # of the queue; if others hold a hundred reviews, the person is told so
_MOST_AHEAD = 100  # decisions within one undo window, each of which claimed the next document


class DecidedReview(NamedTuple):
    """A decision just made; the next document is claimed with it and released if it is undone."""

    ref: ReviewRef
    decision_id: str


def claim_review(
    ref: ReviewRef, run: Run, *, by: Person, after: DecidedReview | None = None, unpassed: bool = False
) -> None:
    """Claim a review that is free or whose lease has expired, in one write; my own claim is renewed.

    ``unpassed``: refuse a review that this person gave back; claiming it on purpose clears that mark.

    Raises:
        Conflict: someone else holds it, it is decided, its deadline has passed, or it is about this person's own work.
            If ``failed`` contains ``after``, the preceding decision was undone.

    """
    try:
        _take(ref, run, by, after, unpassed)
    except Conflict as conflict:
        if "after" in conflict.failed:
            raise
        renew_claim(ref, by=by)


def claim_next(
    site: str, queue_id: str = "", *, by: Person, but: ReviewRef | None = None, after: DecidedReview | None = None,
    closed_projects: Collection[str] = (), find_denied: Callable[[Collection[str]], Collection[str]] = lambda _: (),
) -> ReviewRef | None:  # fmt: skip
    """Claim a queue's most urgent free review; None if there is none, or if ``after`` was undone.

    The index lags behind the table, so the claim's condition decides: rows claimed by others meanwhile, or just decided
    by this person (``but``), are skipped. So are reviews this person gave back or may not decide; the index does not
    know which, so after the first refusal the rest of the page is checked in one call. Where the site separates all
    reviews from edits, each costs a Query more, for edits made since it was opened.
    ``closed_projects``: ids of projects closed to this person. ``find_denied``: returns the documents closed to them.
    """
    cursor: str | None = None
    for _ in range(_PAGES):
        page, now = queries.list_queue(site, queue_id, cursor=cursor), clock.iso(clock.now())
        left = [
            row
            for row in page.rows
            if row.deadline > now and queries.holder_of(row, now=now) in {"", by.id}
            and queries.row_ref(site, row) != but and row.project_id not in closed_projects
        ]  # fmt: skip
        denied = find_denied([row.document_id for row in left])
        left = [row for row in left if row.document_id not in denied]
        closed: frozenset[ReviewRef] | None = None
        for number, row in enumerate(left, start=1):
            ref = queries.row_ref(site, row)
            if closed and ref in closed:
                continue
            try:
                if separation.bar_editor_from_queue(ref, by=by):
                    continue
                claim_review(ref, queries.run_of(ref, row), by=by, after=after, unpassed=True)
            except Conflict as conflict:
                if "after" in conflict.failed:
                    return None
                if closed is None and number < len(left):
                    rest = [queries.row_ref(site, one) for one in left[number:]]
                    closed = queries.find_closed(rest, by.id)
                continue
            return ref
        cursor = page.next
        if cursor is None:
            break
    return None


def _take(ref: ReviewRef, run: Run, by: Person, after: DecidedReview | None, unpassed: bool) -> None:
    now = clock.now()
    lapsed: Condition = may_move(TAKE_OVER) & (Review.lease_until < clock.iso(now))
    # My own lapsed claim is renewed instead: a new version would invalidate my open page.
    assigned: Condition = may_move(TAKE_ASSIGNED) & (Review.holder == by.id)
    free: Condition = may_move(TAKE) | assigned | (lapsed & (Review.holder != by.id))
    free &= may_be_decided_by(by.id)
    if unpassed:
        free &= was_not_passed_by(by.id)
    actions: list[Action] = [
        Review.status.set(TAKE.to),
        Review.holder.set(by.id),
        Review.holder_name.set(by.name),
        Review.lease_until.set(clock.iso(clock.in_seconds(settings.REVIEW_LEASE_SECONDS))),
        Review.version.set(Review.version + 1),  # a takeover invalidates the last holder's page
        Review.claimed_at.set(clock.iso(now)),
        Review.claimed_after.set(after.decision_id) if after else Review.claimed_after.remove(),
        Review.updated_at.set(clock.iso(now)),
        *([] if unpassed else [Review.passed_by.delete({by.id})]),
    ]
    changes: list[Change] = [
        Update(ref.key, actions, free & (Review.deadline > clock.iso(now))),
        worklists.enter(ref, by.id, Worklist.MINE),
    ]
    if after:  # the undo of that decision finds it here, and cannot run in between
        stands: Condition = (Review.decision_id == after.decision_id) & (Review.reviewer == by.id)
        changes.append(Update(after.ref.key, [Review.claimed_ahead.set(ref.path)], stands, name="after"))
    transact(changes, events.lineage(run, "HUMAN_REVIEW_CLAIMED", by=by, facts={"review": ref.review_id}))


def renew_claim(ref: ReviewRef, *, by: Person) -> str:
    """Extend my lease and return its end. The version stays, so that the page that renews can still decide.

    An expired lease that no one took over is renewed too: only a takeover displaces a holder.

    Raises:
        Conflict: the claim is no longer mine.

    """
    until = clock.iso(clock.in_seconds(settings.REVIEW_LEASE_SECONDS))
    mine: Condition = may_move(RENEW) & (Review.holder == by.id)
    Review.change(ref.key, [Review.lease_until.set(until)], mine & (Review.deadline > clock.iso(clock.now())))
    return until


def release_claim(ref: ReviewRef, run: Run, *, by: Person, reason: str = "") -> None:
    """Release a review to the queue and do not offer it to me next. ``reason``: why I skip it.

    Raises:
        Conflict: it is not mine.

    """
    _give_back(ref, run, by, may_move(RELEASE) & (Review.holder == by.id), passes=True, reason=reason)


def return_claim(ref: ReviewRef, run: Run, *, by: Person) -> None:
    """Release a review claimed for an action that failed. It may be offered to me next.

    Raises:
        Conflict: it is not mine.

    """
    _give_back(ref, run, by, may_move(RELEASE) & (Review.holder == by.id))


def leave_claim(ref: ReviewRef, run: Run, *, by: Person) -> None:
    """Release the review that opened after my last decision if it is untouched; otherwise do nothing."""
    untouched: Condition = Review.claimed_after.exists()
    with suppress(Conflict):
        _give_back(ref, run, by, may_move(RELEASE) & (Review.holder == by.id) & untouched)


def _give_back(
    ref: ReviewRef, run: Run, by: Person, mine: Condition, *, passes: bool = False, reason: str = ""
) -> None:
    actions: list[Action] = [
        Review.status.set(RELEASE.to),
        Review.holder.remove(),
        Review.holder_name.remove(),
        Review.lease_until.remove(),
        Review.claimed_after.remove(),
        Review.version.set(Review.version + 1),
        Review.updated_at.set(clock.iso(clock.now())),
        *([Review.passed_by.add({by.id})] if passes else []),
    ]
    changes: list[Change] = [Update(ref.key, actions, mine), worklists.remove(ref, by.id, Worklist.MINE)]
    kind, facts = "HUMAN_REVIEW_RELEASED", {"review": ref.review_id}
    if reason:
        kind, facts = "HUMAN_REVIEW_SKIPPED", facts | {"reason": reason}
        actions.append(Review.messages.set((Review.messages | 0) + 1))
        changes.append(Put(_tell_why(ref, by, reason)))
    transact(changes, events.lineage(run, kind, by=by, facts=facts))


def _tell_why(ref: ReviewRef, by: Person, reason: str) -> ReviewMessage:
    """Build the message by which the next person reads why this one skipped the review."""
    return ReviewMessage(
        *ref.message_key(clock.new_ulid()),
        kind=MessageKind.SKIP,
        text=reason,
        by_id=by.id,
        by_name=by.name,
        at=clock.iso(clock.now()),
        TimeToLive=keeping.keep_until() if ref.is_handed_over else None,
    )


def release_ahead(site: str, path: str | None, *, by: Person) -> ReviewRef | None:
    """Release reviews that were claimed automatically by an undone decision and by those that followed it.

    ``path``: the review that the decision claimed; decided ones lead on to what they claimed. Returns what was
    released. Claims that someone took over, or that I made myself, stay.
    """
    for _ in range(_MOST_AHEAD):
        if not path:
            return None
        ref = ref_at(site, path)
        try:
            review = Review.load(ref.key, only=READABLE)
        except NotFound:  # purged meanwhile
            return None
        if review.decision_id and review.reviewer == by.id:
            path = review.claimed_ahead
            continue
        mine: Condition = may_move(RELEASE) & (Review.holder == by.id) & Review.claimed_after.exists()
        try:
            _give_back(ref, queries.run_of(ref, review), by, mine)
        except Conflict:
            return None
        log.info("claim ahead given back", extra={"review": ref.review_id})
        return ref
    return None

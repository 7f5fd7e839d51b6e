"""A person takes a review, keeps it, gives it back; a lease, never a lock."""

from django.conf import settings
from pynamodb.expressions.condition import Condition

from config import clock
from config.errors import Conflict
from config.transaction import Update, transact
from review.identity import Person, ReviewRef
from review.items.reviews import Review, may
from review.status import RELEASE, RENEW, TAKE, TAKE_OVER
from workflows import events
from workflows.frozen import Run


def claim(ref: ReviewRef, run: Run, *, by: Person) -> None:
    """Take a free review, or one whose holder's lease has run out: one write. Mine already is renewed.

    Raises:
        Conflict: somebody else holds it, it is decided, or its deadline has passed.

    """
    try:
        _take(ref, run, by)
    except Conflict:
        renew(ref, by=by)


def _take(ref: ReviewRef, run: Run, by: Person) -> None:
    now = clock.now()
    lapsed: Condition = may(TAKE_OVER) & (Review.lease_until < clock.iso(now))
    # My own lapsed claim is renewed instead: a new version would end what my open page may do.
    free: Condition = may(TAKE) | (lapsed & (Review.holder != by.id))
    actions = [
        Review.status.set(TAKE.to),
        Review.holder.set(by.id),
        Review.holder_name.set(by.name),
        Review.lease_until.set(clock.iso(clock.in_seconds(settings.REVIEW_LEASE_SECONDS))),
        Review.version.set(Review.version + 1),  # a takeover ends what the last holder's page may do
        Review.updated_at.set(clock.iso(now)),
    ]
    change = Update(ref.key, actions, free & (Review.deadline > clock.iso(now)))
    transact([change], events.lineage(run, "HUMAN_REVIEW_CLAIMED", by=by.id, facts={"review": ref.review_id}))


def renew(ref: ReviewRef, *, by: Person) -> str:
    """Extend my lease; answers until when. The version stays: a page that renews may still decide.

    A lapsed lease that nobody took is renewed too: only a takeover displaces a holder.

    Raises:
        Conflict: it is not mine any more.

    """
    until = clock.iso(clock.in_seconds(settings.REVIEW_LEASE_SECONDS))
    mine: Condition = may(RENEW) & (Review.holder == by.id)
    Review.change(ref.key, [Review.lease_until.set(until)], mine & (Review.deadline > clock.iso(clock.now())))
    return until


def release(ref: ReviewRef, run: Run, *, by: Person) -> None:
    """Give it back to the queue. Raises: Conflict, where it is not mine."""
    mine: Condition = may(RELEASE) & (Review.holder == by.id)
    actions = [
        Review.status.set(RELEASE.to),
        Review.holder.remove(),
        Review.holder_name.remove(),
        Review.lease_until.remove(),
        Review.version.set(Review.version + 1),
        Review.updated_at.set(clock.iso(clock.now())),
    ]
    change = Update(ref.key, actions, mine)
    transact([change], events.lineage(run, "HUMAN_REVIEW_RELEASED", by=by.id, facts={"review": ref.review_id}))

"""The states of a review and what moves it from which to which (ADR 0004)."""

from dataclasses import dataclass
from enum import StrEnum


class ReviewStatus(StrEnum):
    PENDING = "PENDING"
    CLAIMED = "CLAIMED"
    ASSIGNED = "ASSIGNED"
    POSTPONED = "POSTPONED"
    ASKED = "ASKED"
    DECIDED = "DECIDED"
    REDEEMING = "REDEEMING"
    REDEEMED = "REDEEMED"
    APPLIED = "APPLIED"
    EXPIRED = "EXPIRED"
    ORPHANED = "ORPHANED"


class Decision(StrEnum):
    APPROVE = "approve"
    REJECT = "reject"


SPLIT = "split"  # how lists name a rejection whose document became several


class Bar(StrEnum):
    """Why a person may not decide a review."""

    UPLOADED = "uploaded"  # a version of the document
    DECIDED = "decided"  # on it, earlier in the run


class Worklist(StrEnum):
    """The lists of reviews that a person works from."""

    TEAM = "team"  # a queue
    MINE = "mine"  # claimed by the person, or assigned
    ASKED = "asked"  # questions to the person, that wait for an answer
    POSTPONED = "postponed"  # of a queue
    DECIDED = "decided"  # by the person, today
    CHECKS = "checks"  # second reviews of what a queue decided
    DISPUTES = "disputes"  # second reviews of a queue that differ from the first


class CheckStatus(StrEnum):
    """Of a review that was chosen to be reviewed twice."""

    WAITING = "WAITING"  # for the first decision to be applied and its run to end
    OPEN = "OPEN"  # a second person may review it
    AGREED = "AGREED"
    DISPUTED = "DISPUTED"
    ADJUDICATED = "ADJUDICATED"
    EXPIRED = "EXPIRED"  # no second person reviewed it in time


class Delivery(StrEnum):
    """What became of the answer to another system's question, once it was sent or put up to be fetched."""

    DELIVERED = "delivered"  # its engine took it
    UNCERTAIN = "uncertain"  # its engine no longer takes the token, and no one can say whether it had taken it before
    UNDELIVERED = "undelivered"  # its execution is known to have gone on, or ended, without it
    TO_FETCH = "to_fetch"  # a program asks for it


@dataclass(frozen=True)
class Move:
    """One action's change of status: from any of ``sources`` to ``to``."""

    sources: tuple[ReviewStatus, ...]
    to: ReviewStatus


S = ReviewStatus
UNDECIDED = (S.PENDING, S.ASSIGNED, S.CLAIMED, S.POSTPONED, S.ASKED)
PUT_OFF = (S.POSTPONED, S.ASKED)  # until a time, out of the queue
DECIDED = (S.DECIDED, S.REDEEMING, S.REDEEMED)  # and not yet applied: EXPIRED and ORPHANED are forbidden from here

# What the actions' conditions ask of the status; holder, lease, version and instants come on top of it.
TAKE = Move((S.PENDING,), S.CLAIMED)
TAKE_ASSIGNED = Move((S.ASSIGNED,), S.CLAIMED)  # by whom it is assigned to
TAKE_OVER = Move((S.CLAIMED,), S.CLAIMED)  # where the holder's lease has run out
RENEW = Move((S.CLAIMED,), S.CLAIMED)
RELEASE = Move((S.CLAIMED,), S.PENDING)
ASSIGN = Move((S.PENDING, S.ASSIGNED, S.CLAIMED), S.ASSIGNED)  # but for another's claim that lasts
POSTPONE = Move((S.CLAIMED,), S.POSTPONED)
RESUME = Move((S.POSTPONED,), S.PENDING)  # at its time, or when someone wants it now
ASK = Move((S.CLAIMED,), S.ASKED)
ANSWER = Move((S.ASKED,), S.ASSIGNED)  # to who asked: by the answer, or at the question's time without one
TAKE_ASKED = Move((S.ASKED,), S.CLAIMED)  # by who asked, or by who was asked
DECIDE = Move((S.CLAIMED,), S.DECIDED)
UNDO = Move((S.DECIDED,), S.CLAIMED)  # until the redeemer has begun
REOPEN = Move((S.DECIDED,), S.PENDING)  # counted as one of several blind decisions; the next person's turn
REDEEM = Move(DECIDED, S.REDEEMING)
SPEND = Move((S.REDEEMING,), S.REDEEMED)
APPLY = Move(DECIDED, S.APPLIED)
EXPIRE = Move(UNDECIDED, S.EXPIRED)
ORPHAN = Move(UNDECIDED, S.ORPHANED)
MOVES = (
    TAKE,
    TAKE_ASSIGNED,
    TAKE_OVER,
    ASSIGN,
    RENEW,
    RELEASE,
    POSTPONE,
    RESUME,
    ASK,
    ANSWER,
    TAKE_ASKED,
    DECIDE,
    UNDO,
    REOPEN,
    REDEEM,
    SPEND,
    APPLY,
    EXPIRE,
    ORPHAN,
)

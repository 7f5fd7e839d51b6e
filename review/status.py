"""The states of a review and the moves between them (ADR 0004)."""

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


SPLIT = "split"  # lists name a rejection that split the document so


class Bar(StrEnum):
    """Why a person may not decide a review."""

    UPLOADED = "uploaded"  # a version of the document
    EDITED = "edited"  # its type, attributes or metadata
    DECIDED = "decided"  # decided on it earlier in the run


class Worklist(StrEnum):
    """The lists of reviews that a person works from."""

    TEAM = "team"  # a queue
    MINE = "mine"  # claimed by the person, or assigned
    ASKED = "asked"  # questions to the person, still unanswered
    POSTPONED = "postponed"  # of a queue
    DECIDED = "decided"  # by the person, today
    CHECKS = "checks"  # second reviews of what a queue decided
    DISPUTES = "disputes"  # second reviews of a queue that differ from the first


class CheckStatus(StrEnum):
    """The states of a second review."""

    WAITING = "WAITING"  # waits until the first decision is applied and its run has ended
    OPEN = "OPEN"  # a second person may review it
    AGREED = "AGREED"
    DISPUTED = "DISPUTED"
    ADJUDICATED = "ADJUDICATED"
    EXPIRED = "EXPIRED"  # no second person reviewed it in time


class Delivery(StrEnum):
    """The outcome of delivering an answer to another system."""

    DELIVERED = "delivered"  # accepted by the engine
    UNCERTAIN = "uncertain"  # the token is closed; whether the answer arrived before that is unknown
    UNDELIVERED = "undelivered"  # the execution went on or ended without the answer
    TO_FETCH = "to_fetch"  # a program fetches it


@dataclass(frozen=True)
class Move:
    """A change of status: from any of ``sources`` to ``to``."""

    sources: tuple[ReviewStatus, ...]
    to: ReviewStatus


S = ReviewStatus
UNDECIDED = (S.PENDING, S.ASSIGNED, S.CLAIMED, S.POSTPONED, S.ASKED)
PUT_OFF = (S.POSTPONED, S.ASKED)  # out of the queue until a time
DECIDED = (S.DECIDED, S.REDEEMING, S.REDEEMED)  # decided but not applied: EXPIRED and ORPHANED are forbidden from here

# The statuses that the actions' conditions require, besides holder, lease, version and instants.
TAKE = Move((S.PENDING,), S.CLAIMED)
TAKE_ASSIGNED = Move((S.ASSIGNED,), S.CLAIMED)  # by the assignee
TAKE_OVER = Move((S.CLAIMED,), S.CLAIMED)  # once the holder's lease has expired
RENEW = Move((S.CLAIMED,), S.CLAIMED)
RELEASE = Move((S.CLAIMED,), S.PENDING)
ASSIGN = Move((S.PENDING, S.ASSIGNED, S.CLAIMED), S.ASSIGNED)  # if another person's claim is active, by admins only
POSTPONE = Move((S.CLAIMED,), S.POSTPONED)
RESUME = Move((S.POSTPONED,), S.PENDING)  # at its time, or earlier on request
ASK = Move((S.CLAIMED,), S.ASKED)
ANSWER = Move((S.ASKED,), S.ASSIGNED)  # to the asker: answered, or unanswered at the question's time
TAKE_ASKED = Move((S.ASKED,), S.CLAIMED)  # by the asker, or by a person asked
DECIDE = Move((S.CLAIMED,), S.DECIDED)
UNDO = Move((S.DECIDED,), S.CLAIMED)  # until redemption begins
REOPEN = Move((S.DECIDED,), S.PENDING)  # counted as one of several blind decisions; the next person decides
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

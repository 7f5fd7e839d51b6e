"""The states of a review and which may follow which (DESIGN section 4)."""

from enum import StrEnum


class ReviewStatus(StrEnum):
    PENDING = "PENDING"
    CLAIMED = "CLAIMED"
    DECIDED = "DECIDED"
    REDEEMING = "REDEEMING"
    REDEEMED = "REDEEMED"
    APPLIED = "APPLIED"
    EXPIRED = "EXPIRED"
    ORPHANED = "ORPHANED"


class Decision(StrEnum):
    APPROVE = "approve"
    REJECT = "reject"


S = ReviewStatus
TRANSITIONS: dict[ReviewStatus, frozenset[ReviewStatus]] = {
    S.PENDING: frozenset({S.CLAIMED, S.EXPIRED, S.ORPHANED}),
    S.CLAIMED: frozenset({S.CLAIMED, S.PENDING, S.DECIDED, S.EXPIRED, S.ORPHANED}),
    # Back to CLAIMED is the undo, until the redeemer has begun.
    S.DECIDED: frozenset({S.CLAIMED, S.REDEEMING, S.APPLIED}),
    S.REDEEMING: frozenset({S.REDEEMING, S.REDEEMED, S.APPLIED}),
    S.REDEEMED: frozenset({S.REDEEMING, S.APPLIED}),
    S.APPLIED: frozenset(),
    S.EXPIRED: frozenset(),
    S.ORPHANED: frozenset(),
}
UNDECIDED = (S.PENDING, S.CLAIMED)
DECIDED = (
    S.DECIDED,
    S.REDEEMING,
    S.REDEEMED,
)  # decided and not yet applied: ORPHANED and EXPIRED are forbidden from here
CLOSED = (S.APPLIED, S.EXPIRED, S.ORPHANED)

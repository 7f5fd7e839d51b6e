"""A review's state from the viewer's perspective."""

from dataclasses import dataclass

from config import clock
from config.phrase import Phrase, begin_sentence
from review.identity import Person, ReviewRef
from review.items.reviews import Review
from review.queries import is_asked
from review.status import Decision, Delivery, ReviewStatus

_DONE = {Decision.APPROVE: "approved", Decision.REJECT: "rejected"}
_REJECTED = Phrase("The run ends as rejected. Nothing is published.")
_CHECKED = Phrase("It is compared with the first decision. What was published stays as it is.")
_COUNTED = Phrase(
    "It is compared with other reviewers' decisions, which no one is shown. The run continues once enough agree."
)
_NOT_CHECKED = Phrase("The first decision stands; no second person reviewed it in time.")
_WENT = {
    Delivery.DELIVERED: Phrase("%(caller)s received the decision."),
    Delivery.UNCERTAIN: Phrase(
        "Delivery to %(caller)s could not be confirmed; it may have received the decision earlier. The decision "
        "is kept."
    ),
    Delivery.UNDELIVERED: Phrase(
        "%(caller)s stopped waiting before the decision was delivered. The decision is kept and returned on its "
        "next request."
    ),
    Delivery.TO_FETCH: Phrase("%(caller)s can fetch the decision."),
}


@dataclass(frozen=True)
class ViewerState:
    """``until``, ``at``: stored instants. ``by_me``: decided by the viewer."""

    kind: str  # mine, free, barred, held, assigned, postponed, asked, decided, expired, orphaned or late
    who: str = ""
    at: str = ""
    did: str = ""
    by_me: bool = False
    can_undo: bool = False
    decision_id: str = ""
    is_blind: bool = False  # another person decided as one of several blind reviewers
    until: str = ""  # stored instant, when the undo window ends
    asked: str = ""  # the person or group asked
    asks_me: bool = False
    is_assigned: bool = False  # to the viewer, who has not claimed it yet
    may_take: bool = False  # the question that waits for an answer
    barred_by: str = ""  # a Bar
    went: str = Phrase("The run continues.")  # what happens to a decision
    again: str = Phrase("Nothing was published. Re-run to request a new review.")  # of a review that no one took

    @property
    def mine(self) -> bool:
        return self.kind == "mine"

    @property
    def open_to_me(self) -> bool:
        """Whether the viewer's input can still be submitted, now or after claiming the review."""
        return self.kind in {"mine", "free"}


def viewer_state_of(review: Review, person: Person) -> ViewerState:
    now = clock.iso(clock.now())
    if review.decision_id:
        return _state_of_decided(review, person, now)
    if review.status in (ReviewStatus.EXPIRED, ReviewStatus.ORPHANED):
        again = (
            _tell_caller(Phrase("%(caller)s was notified that the review expired."), review)
            if review.caller
            else ViewerState.again
        )
        again = _NOT_CHECKED if _is_check(review) else again
        return ViewerState(str(review.status).lower(), at=review.updated_at, again=again)
    if review.deadline <= now:
        return ViewerState("late", at=review.deadline)
    return _state_of_held(review, person, now) or _state_of_free(review, person)


def _state_of_held(review: Review, person: Person, now: str) -> ViewerState | None:
    if review.status == ReviewStatus.POSTPONED:
        return ViewerState("postponed", review.holder_name or "", review.postponed_until or "")
    if review.status == ReviewStatus.ASKED:
        return _state_of_asked(review, person)
    if review.status == ReviewStatus.ASSIGNED and review.holder != person.id:
        return ViewerState("assigned", review.holder_name or "")
    if review.status == ReviewStatus.CLAIMED and review.holder == person.id:
        return ViewerState("mine", at=review.lease_until or "")
    if review.status == ReviewStatus.CLAIMED and (review.lease_until or "") > now:
        return ViewerState("held", review.holder_name or "", review.lease_until or "")
    return None


def _state_of_asked(review: Review, person: Person) -> ViewerState:
    asks_me, mine = is_asked(review, person.id), review.holder == person.id
    barred = person.id in (review.barred.as_dict() if review.barred else {})
    return ViewerState(
        "asked",
        Phrase("You") if mine else review.holder_name or "",
        review.postponed_until or "",
        asked="you" if asks_me and len(review.question_to or ()) == 1 else review.question_to_name or "",
        asks_me=asks_me,
        may_take=(asks_me or mine) and not barred,
    )


def _state_of_free(review: Review, person: Person) -> ViewerState:
    bar = (review.barred.as_dict() if review.barred else {}).get(person.id)
    if bar:
        return ViewerState("barred", barred_by=bar)
    return ViewerState("free", is_assigned=review.status == ReviewStatus.ASSIGNED and review.holder == person.id)


def _state_of_decided(review: Review, person: Person, now: str) -> ViewerState:
    mine = review.reviewer == person.id
    blind = bool(review.quorum) and not mine
    in_time = review.status == ReviewStatus.DECIDED and (review.redeem_after or "") > now
    return ViewerState(
        "decided",
        # The adjudicator must not know whose answer is which.
        who=Phrase("You") if mine else Phrase("Another person") if _is_check(review) else review.reviewer_name or "",
        at=review.reviewedAt or "",
        did="decided" if blind else _DONE.get(Decision(review.decision or Decision.APPROVE), ""),
        is_blind=blind,
        by_me=mine,
        can_undo=mine and in_time,
        decision_id=review.decision_id or "",
        until=review.redeem_after or "",
        went=_describe_what_follows(review),
    )


def _describe_what_follows(review: Review) -> str:
    if _is_check(review):
        return _CHECKED
    if review.quorum:
        return _COUNTED
    if review.caller:
        return _describe_outcome(review)
    return _REJECTED if review.decision == Decision.REJECT else ViewerState.went


def _is_check(review: Review) -> bool:
    return ReviewRef("", review.document_id, review.reviewId).is_check


def _describe_outcome(review: Review) -> str:
    if review.status == ReviewStatus.DECIDED or not review.delivery:
        return Phrase("Delivering the decision to %(caller)s.").fill(caller=review.caller)
    return _tell_caller(_WENT[Delivery(review.delivery)], review)


def _tell_caller(words: Phrase, review: Review) -> str:
    return begin_sentence(words.fill(caller=review.caller))

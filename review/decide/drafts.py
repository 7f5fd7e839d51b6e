"""Drafts: what a reviewer types, saved field by field and visible only to them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from django.conf import settings
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock
from config.errors import Conflict
from config.transaction import NEW, Change, Check, Put, Update, transact
from review.identity import Person, ReviewRef
from review.items.reviews import Review, ReviewDraft, may_move
from review.status import RENEW, UNDECIDED


@dataclass(frozen=True)
class TypedValues:
    """Input since the last save: field → text; ``reason``: None if untouched.

    ``confirmed``: field → text confirmed as right, None if withdrawn.
    ``answers``: field → why it has no value, empty if withdrawn.
    """

    values: Mapping[str, str] = field(default_factory=dict)
    reason: str | None = None
    confirmed: Mapping[str, str | None] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        return not self.values and self.reason is None and not self.confirmed and not self.answers


@dataclass(frozen=True)
class SavedDraft:
    """``until``: end of the lease after a save by its holder; empty if this page no longer holds the review."""

    at: str
    until: str = ""


def save_draft(ref: ReviewRef, typed: TypedValues, *, by: Person, version: int, begun: bool) -> SavedDraft:
    """Save the holder's input and renew the claim in one transaction, since typing shows presence.

    Without the claim the text is still saved as long as no one has decided. ``begun``: whether the page knows of a
    draft; a wrong guess only costs a second call.

    Raises:
        Conflict: the review is decided or has ended; nothing was saved.

    """
    until = clock.iso(clock.in_seconds(settings.REVIEW_LEASE_SECONDS))
    mine: Condition = may_move(RENEW) & (Review.holder == by.id) & (Review.version == version)
    in_time: Condition = Review.deadline > clock.iso(clock.now())
    guard = Update(ref.key, [Review.lease_until.set(until)], mine & in_time, name="review")
    try:
        at = _write(ref, typed, by, guard, begun)
    except Conflict as conflict:
        if "review" not in conflict.failed:
            raise
        return SavedDraft(keep_draft(ref, typed, by=by, begun=begun))
    return SavedDraft(at, until)


def keep_draft(ref: ReviewRef, typed: TypedValues, *, by: Person, begun: bool = False) -> str:
    """Save the input of someone who may have lost the claim, and return when it was saved.

    Raises:
        Conflict: the review is decided or has ended; nothing was saved.

    """
    return _write(ref, typed, by, Check(ref.key, Review.status.is_in(*UNDECIDED), name="review"), begun)


def _write(ref: ReviewRef, typed: TypedValues, by: Person, guard: Change, begun: bool) -> str:
    """Create the draft or add to it, whichever applies: another tab may create it, or its TTL delete it, meanwhile."""
    at = clock.iso(clock.now())
    ways: list[Callable[[ReviewRef, TypedValues, Person, str], Change]] = [_begin, _add]
    first, second = reversed(ways) if begun else ways
    for way in (first, second):
        try:
            transact([guard, way(ref, typed, by, at)])
        except Conflict as conflict:
            if "review" in conflict.failed:
                raise
        else:
            return at
    transact([guard, first(ref, typed, by, at)])
    return at


def _draft_ttl() -> int:
    """Return a TTL in epoch seconds, later than the deadline of any open review."""
    return int(clock.in_seconds(settings.REVIEW_DRAFT_SECONDS).timestamp())


def _begin(ref: ReviewRef, typed: TypedValues, by: Person, at: str) -> Put:
    key = ref.draft_key(by.id)
    answers = {name: one for name, one in typed.answers.items() if one}
    confirmed = {name: text for name, text in typed.confirmed.items() if text is not None}
    draft = ReviewDraft(
        *key, values=dict(typed.values), confirmed=confirmed, answers=answers, reason=typed.reason, savedAt=at,
        TimeToLive=_draft_ttl(),
    )  # fmt: skip
    return Put(draft)


def _add(ref: ReviewRef, typed: TypedValues, by: Person, at: str) -> Update:
    """Update path by path, so that two tabs do not overwrite each other's fields."""
    actions: list[Action] = [ReviewDraft.savedAt.set(at), ReviewDraft.TimeToLive.set(_draft_ttl())]
    actions += [ReviewDraft.values[name].set(text) for name, text in typed.values.items()]
    for name, looked_at in typed.confirmed.items():
        path = ReviewDraft.confirmed[name]
        actions.append(path.remove() if looked_at is None else path.set(looked_at))
    for name, answer in typed.answers.items():
        path = ReviewDraft.answers[name]
        actions.append(path.set(answer) if answer else path.remove())
    if typed.reason is not None:
        actions.append(ReviewDraft.reason.set(typed.reason))
    return Update(ref.draft_key(by.id), actions, ~NEW)

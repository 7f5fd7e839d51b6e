"""Comparison of unsent input with the current values, so that nothing typed is lost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from review.items.reviews import ReviewDraft
from workflows.stages import results
from workflows.stages.base import FieldSpec


@dataclass(frozen=True)
class Draft:
    """Input that was not sent or not accepted.

    ``typed``: field → text. ``stored``: the part saved in the table at ``saved_at``. ``lost``: someone was first.
    ``confirmed``: field → text confirmed as right; None: as in the table. ``answers``: field → why it has no value,
    empty if it has one. ``unseen``: unchecked fields that stopped the decision; ``anyway``: the value that submits it
    all the same, empty if the project does not allow that.
    """

    typed: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    reason_error: str = ""
    reject_reason: str = ""  # of the project's list
    lost: bool = False
    notice: str = ""
    stored: Mapping[str, str] = field(default_factory=dict)
    saved_at: str = ""
    confirmed: Mapping[str, str] | None = None
    answers: Mapping[str, str] = field(default_factory=dict)
    unseen: tuple[str, ...] = ()
    anyway: str = ""

    def over(self, kept: ReviewDraft | None) -> "Draft":
        """Merge with the saved draft; this request's input is newer."""
        if kept is None:
            return self
        stored: dict[str, str] = kept.values.as_dict()
        typed = {**stored, **self.typed}
        confirmed = kept.confirmed.as_dict() if self.confirmed is None else self.confirmed
        answers = {**kept.answers.as_dict(), **self.answers}
        reason = self.reason or kept.reason or ""
        return replace(
            self, typed=typed, stored=stored, saved_at=kept.savedAt, reason=reason, confirmed=confirmed, answers=answers
        )


@dataclass(frozen=True)
class Difference:
    label: str
    theirs: str
    mine: str


@dataclass(frozen=True)
class Comparison:
    """``kept``: all of it is saved in the table."""

    differences: tuple[Difference, ...]
    kept: bool


def compare_draft(
    fields: Sequence[FieldSpec], *, holds: Mapping[str, str | None], shown: Mapping[str, str | None], draft: Draft
) -> Comparison | None:
    """Compare a draft. ``holds``: field → current value; ``shown``: values found. None if nothing was typed."""
    changed = [one for one in fields if not _same(one.type, draft.typed.get(one.name), shown.get(one.name))]
    if not changed:
        return None
    differing = [one for one in changed if not _same(one.type, draft.typed[one.name], holds.get(one.name))]
    rows = tuple(Difference(one.label, holds.get(one.name) or "", draft.typed[one.name].strip()) for one in differing)
    return Comparison(rows, all(draft.stored.get(one.name) == draft.typed[one.name] for one in changed))


def _same(kind: str, typed: str | None, value: str | None) -> bool:
    """``typed``: None if the field was not touched."""
    if typed is None:
        return True
    return results.normalise_value(kind, typed.strip(" \r\n")) == results.normalise_value(kind, value or "")

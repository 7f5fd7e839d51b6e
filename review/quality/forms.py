"""The adjudication form: one of two answers, or another value."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from config.phrase import Phrase
from projects.settings.columns import TABLE
from review.quality.adjudication import Choice, Outcome
from review.quality.comparison import Comparison, FieldPair
from review.status import Decision
from workflows.stages import results
from workflows.stages.assessment.answers import label_nothing
from workflows.stages.base import FieldSpec
from workflows.stages.document_types.of_result import KEY, NONE
from workflows.stages.tables.rows import read_rows

A, B, OTHER = "a", "b", "other"
DECISION = "decision"  # the name of the choice between two decisions
_CHOICE, _OTHER = "choice-", "other-"
_UNCHOSEN = Phrase("Choose A, B or another value.")
_DECISIONS = {Decision.APPROVE.value: Phrase("Approve"), Decision.REJECT.value: Phrase("Reject")}


@dataclass(frozen=True)
class Side:
    """One of the two answers. ``rows``: of a table field."""

    word: str
    text: str
    rows: Sequence[Sequence[str]] = ()
    empty: bool = False
    chosen: bool = False


@dataclass(frozen=True)
class DisputedField:
    """A differing field on the form. ``other``: a typed third value; ``takes_other``: whether that is possible."""

    name: str
    label: str
    a: Side
    b: Side
    takes_other: bool
    other_chosen: bool = False
    other: str = ""
    error: str = ""

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.a, self.b


@dataclass(frozen=True)
class Answered:
    """A posted form: the outcome, or errors by field."""

    outcome: Outcome | None
    errors: Mapping[str, str]


def is_swapped(review_id: str) -> bool:
    """Return whether A is the second reviewer's answer, so that the order does not reveal the author."""
    return bool(hashlib.sha256(f"order {review_id}".encode()).digest()[0] & 1)


@dataclass(frozen=True)
class Posted:
    """Chosen and typed values with their errors; empty on first display."""

    values: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)

    def is_chosen(self, name: str, word: str) -> bool:
        return self.values.get(f"{_CHOICE}{name}") == word


NOT_POSTED = Posted()


def list_disputed(
    found: Comparison, *, swapped: bool, types: Mapping[str, str], posted: Posted = NOT_POSTED
) -> list[DisputedField]:
    """``types``: document type's id → name."""
    if not found.is_decided_alike:
        words = [Side(A, _DECISIONS[one]) for one in (found.first, found.second)]
        return [_show((DECISION, Phrase("Decision")), words, posted, swapped=swapped)]
    return [
        _show(
            (one.name, one.label),
            [_side(one, one.first, one.first_answer, types), _side(one, one.second, one.second_answer, types)],
            posted,
            swapped=swapped,
            takes_other=_takes_other(one),
        )
        for one in found.differences
    ]


def _takes_other(pair: FieldPair) -> bool:
    """Return whether a third value can be typed; not for document types and tables."""
    return pair.name != KEY and pair.type != TABLE


def _side(pair: FieldPair, value: str | None, answer: str, types: Mapping[str, str]) -> Side:
    if pair.name == KEY:
        return Side(A, types.get(value or "", value or NONE))
    if not value:
        return Side(A, label_nothing(answer), empty=True)
    return Side(A, value, read_rows(value) if pair.type == TABLE else ())


def _show(
    called: tuple[str, str], sides: Sequence[Side], posted: Posted, *, swapped: bool, takes_other: bool = False
) -> DisputedField:
    name, label = called
    first, second = reversed(sides) if swapped else sides
    return DisputedField(
        name,
        label,
        replace(first, word=A, chosen=posted.is_chosen(name, A)),
        replace(second, word=B, chosen=posted.is_chosen(name, B)),
        takes_other,
        posted.is_chosen(name, OTHER),
        posted.values.get(f"{_OTHER}{name}", ""),
        posted.errors.get(name, ""),
    )


def read_outcome(
    posted: Mapping[str, str], found: Comparison, fields: Sequence[FieldSpec], *, swapped: bool
) -> Answered:
    """``fields``: of both document types, to validate typed values."""
    if not found.is_decided_alike:
        side = _is_first(posted.get(f"{_CHOICE}{DECISION}", ""), swapped=swapped)
        if side is None:
            return Answered(None, {DECISION: Phrase("Choose A or B.")})
        return Answered(Outcome(found.first if side else found.second), {})
    choices: list[Choice] = []
    errors: dict[str, str] = {}
    for pair in found.differences:
        word = posted.get(f"{_CHOICE}{pair.name}", "")
        side = _is_first(word, swapped=swapped)
        if side is not None:
            value, answer = (pair.first, pair.first_answer) if side else (pair.second, pair.second_answer)
            choices.append(Choice(pair, value, answer))
        elif word == OTHER and _takes_other(pair):
            typed = posted.get(f"{_OTHER}{pair.name}", "")
            if error := results.validate_corrections(fields, {pair.name: typed}).get(pair.name):
                errors[pair.name] = error
            choices.append(Choice(pair, results.to_stored_form(pair.type, typed)))
        else:
            errors[pair.name] = _UNCHOSEN
    return Answered(None if errors else Outcome(found.first, choices), errors)


def _is_first(word: str, *, swapped: bool) -> bool | None:
    """Return whether it is the first answer; None if it is neither."""
    return (word == A) != swapped if word in (A, B) else None

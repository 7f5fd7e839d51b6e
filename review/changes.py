"""What people changed of a result, field by field: before and after, who and when; pure."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from workflows.stages.assessment.answers import describe_nothing

_MOST_BYTES = 150_000  # of one row's changes: an item of the table has 400 KB
_SHORTER = (200, 40)


@dataclass(frozen=True)
class FieldChange:
    """``before``: what the person had in front of them; None: no value."""

    field: str
    label: str
    before: str | None
    after: str | None
    answer: str = ""  # why there is no value after it, if they said so


@dataclass(frozen=True)
class AcceptedWarning:
    """What a person was warned of, and why the value is right all the same."""

    field: str
    text: str
    reason: str


@dataclass(frozen=True)
class PersonsChange:
    """A change with who made it, for the next person who is asked. ``at``: stored instant."""

    field: str
    label: str
    before: str | None
    after: str | None
    by: str
    at: str
    answer: str = ""

    @property
    def nothing(self) -> str:
        """What is said where it left no value."""
        return describe_nothing(self.answer)


def changes_to_store(
    changes: Sequence[FieldChange], *, decision_id: str, by: Mapping[str, str], at: str
) -> list[dict[str, Any]]:
    """As the decision's object has them."""
    return [{**asdict(one), "by": dict(by), "at": at, "decision_id": decision_id} for one in changes]


def last_changes(decision: Mapping[str, Any]) -> dict[str, PersonsChange]:
    """Field → its last change, of a decision's object: its own changes and those of the approvals before it."""
    return {
        one["field"]: PersonsChange(
            one["field"],
            one["label"],
            one["before"],
            one["after"],
            str(one["by"]["name"]),
            str(one["at"]),
            str(one.get("answer") or ""),
        )
        for one in decision.get("changes", ())
    }


def describe_rejection(decision: Mapping[str, Any]) -> str:
    """Why it was rejected, of a decision's object: the reason of the project's list, and the person's own words.

    >>> describe_rejection({"reject_reason": "Not ours", "reason": "Sent to the wrong firm"})
    'Not ours: Sent to the wrong firm'
    """
    return ": ".join(one for one in (decision.get("reject_reason"), decision.get("reason")) if one)


def row_changes(changes: Sequence[FieldChange]) -> list[dict[str, Any]]:
    """As a row of the table has them: values are cut where all of them together would not fit into an item."""
    rows = [asdict(one) for one in changes]
    for longest in _SHORTER:
        if len(json.dumps(rows, ensure_ascii=False).encode()) <= _MOST_BYTES:
            break
        rows = [{name: _cut_text(text, longest) for name, text in row.items()} for row in rows]
    return rows


def _cut_text(text: str | None, longest: int) -> str | None:
    return text if text is None or len(text) <= longest else f"{text[:longest]}…"

"""Changes that people made to a result, by field: before, after, who and when. Pure functions."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from workflows.stages.assessment.answers import describe_nothing
from workflows.stages.tables.changes import list_cells

_MOST_BYTES = 150_000  # of one row's changes; an item can have 400 KB
_SHORTER = (200, 40)


@dataclass(frozen=True)
class FieldChange:
    """``before``: the value shown to the person; None: no value."""

    field: str
    label: str
    before: str | None
    after: str | None
    answer: str = ""  # why there is no value now, if the person said so


@dataclass(frozen=True)
class AcceptedWarning:
    """A warning that a person overrode, with the reason."""

    field: str
    text: str
    reason: str


@dataclass(frozen=True)
class PersonsChange:
    """A change with its author, shown to the next reviewer. ``at``: stored instant."""

    field: str
    label: str
    before: str | None
    after: str | None
    by: str
    at: str
    answer: str = ""

    @property
    def cells(self) -> Sequence[Mapping[str, Any]]:
        """What changed in a table; empty for another value."""
        return list_cells({"what": self.label, "before": self.before, "after": self.after or self.nothing})

    @property
    def nothing(self) -> str:
        """The text shown if no value is left."""
        return describe_nothing(self.answer)


def changes_to_store(
    changes: Sequence[FieldChange], *, decision_id: str, by: Mapping[str, str], at: str
) -> list[dict[str, Any]]:
    """Return changes in the form of the decision's object."""
    return [{**asdict(one), "by": dict(by), "at": at, "decision_id": decision_id} for one in changes]


def last_changes(decision: Mapping[str, Any]) -> dict[str, PersonsChange]:
    """Return field → last change in a decision's object, including changes of earlier approvals."""
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
    """Return the rejection's reason in a decision's object: the project's listed reason and the person's text.

    >>> describe_rejection({"reject_reason": "Not ours", "reason": "Sent to the wrong firm"})
    'Not ours: Sent to the wrong firm'
    """
    return ": ".join(one for one in (decision.get("reject_reason"), decision.get("reason")) if one)


def row_changes(changes: Sequence[FieldChange]) -> list[dict[str, Any]]:
    """Return changes in the form of table rows; values are truncated if they would not fit into an item."""
    rows = [asdict(one) for one in changes]
    for longest in _SHORTER:
        if len(json.dumps(rows, ensure_ascii=False).encode()) <= _MOST_BYTES:
            break
        rows = [{name: _cut_text(text, longest) for name, text in row.items()} for row in rows]
    return rows


def _cut_text(text: str | None, longest: int) -> str | None:
    return text if text is None or len(text) <= longest else f"{text[:longest]}…"

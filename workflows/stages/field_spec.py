"""One field that a run reads; imported by everything that reads, judges or shows fields."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from projects.settings.columns import Column, read_columns


@dataclass(frozen=True)
class FieldSpec:
    """One field that a run reads, by the project's list or by the schemas that govern it.

    ``type``: text, date, amount, currency, number, boolean or table. ``threshold``: 0–1. ``allowed``: its only values,
    in their stored form; empty for any. ``default``: its value if nothing is found. ``date_range``: which dates are
    plausible, a key of ``projects.settings.values.DATE_RANGES``; empty of older runs, and of what is no date.
    ``description`` and ``examples``: what the project's admin tells models of it. ``columns``: of a table, as an admin
    writes them.
    """

    name: str
    label: str
    type: str
    required: bool
    threshold: float
    allowed: tuple[str, ...] = ()
    default: str = ""
    date_range: str = ""
    description: str = ""
    examples: str = ""
    columns: str = ""

    # What ``from_stored`` does without; rows leave it out where it is empty, since each kilobyte is a unit.
    OPTIONAL: ClassVar = frozenset({"allowed", "default", "date_range", "description", "examples", "columns"})

    @property
    def told(self) -> str:
        """What models are told of it beside its label; empty or sentences.

        >>> FieldSpec("total", "Total", "amount", True, 0.8, description="With tax.", examples="33.90").told
        'With tax. For example: 33.90.'
        """
        parts = [self.description, f"For example: {self.examples}" if self.examples else ""]
        return " ".join(part if part[-1] in ".!?" else f"{part}." for part in parts if part)

    @property
    def table_columns(self) -> tuple[Column, ...]:
        """Empty if it is no table."""
        return read_columns(self.columns) if self.columns else ()

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> "FieldSpec":
        """From JSON that holds at least these entries; of an older version without the others.

        Raises:
            KeyError: another entry is missing.

        """
        required, threshold = bool(stored["required"]), float(stored["threshold"])
        allowed, default = tuple(stored.get("allowed") or ()), str(stored.get("default") or "")
        dates = str(stored.get("date_range") or "")
        description, examples, columns = (
            str(stored.get(name) or "") for name in ("description", "examples", "columns")
        )
        return cls(
            stored["name"], stored["label"], stored["type"], required, threshold, allowed, default, dates,
            description, examples, columns,
        )  # fmt: skip


def with_threshold(fields: Iterable[FieldSpec], before: float, after: float) -> tuple[FieldSpec, ...]:
    """The fields under another general threshold; one with a threshold of its own keeps it."""
    return tuple(replace(one, threshold=after) if one.threshold == before else one for one in fields)

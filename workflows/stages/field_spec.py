"""The specification of a field that a run extracts; imported by everything that reads, assesses or shows fields."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from projects.settings.columns import Column, read_columns


@dataclass(frozen=True)
class FieldSpec:
    """A field that a run extracts, from the project's list or its schemas.

    ``type``: text, date, amount, currency, number, boolean or table. ``threshold``: 0–1. ``allowed``: its only values,
    in stored form; empty for any. ``default``: its value if nothing is found. ``date_range``: plausible dates, a key of
    ``projects.settings.values.DATE_RANGES``; empty in older runs, and for other types. ``description`` and
    ``examples``: hints for models. ``columns``: of a table, as an admin writes them.
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

    # Optional entries of ``from_stored``; omitted if empty, since each kilobyte costs a write unit.
    OPTIONAL: ClassVar = frozenset({"allowed", "default", "date_range", "description", "examples", "columns"})

    @property
    def told(self) -> str:
        """Return what models are told besides the label; empty or sentences.

        >>> FieldSpec("total", "Total", "amount", True, 0.8, description="With tax.", examples="33.90").told
        'With tax. For example: 33.90.'
        """
        parts = [self.description, f"For example: {self.examples}" if self.examples else ""]
        return " ".join(part if part[-1] in ".!?" else f"{part}." for part in parts if part)

    @property
    def table_columns(self) -> tuple[Column, ...]:
        """Empty unless it is a table."""
        return read_columns(self.columns) if self.columns else ()

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> "FieldSpec":
        """Parse JSON with at least the required entries; older versions lack others.

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
    """Apply another general threshold; fields with their own keep it."""
    return tuple(replace(one, threshold=after) if one.threshold == before else one for one in fields)

"""Filters of the document list, parsed from and written to URLs. Pure functions."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from django.http import QueryDict
from django.utils.http import urlencode

from config.phrase import Phrase
from projects.documents.items import DocumentStatus
from projects.documents.states import status_of, word_of

ROWS = 3  # attributes that the form asks for at once
_FIRST_DAY = dt.date(1970, 1, 2)


class Op(StrEnum):
    """Comparison operators for attribute values, as in URLs."""

    IS = "is"
    BEGINS = "begins"
    BETWEEN = "between"


OPS = {Op.IS: Phrase("is"), Op.BEGINS: Phrase("starts with"), Op.BETWEEN: Phrase("between")}


@dataclass(frozen=True)
class AttributeFilter:
    """``value``: empty for any; ``upto``: end of a range; either end may be open."""

    key: str
    op: Op = Op.IS
    value: str = ""
    upto: str = ""


@dataclass(frozen=True)
class Filters:
    """``day``: None for any. ``tag_value``: used only with a tag."""

    day: dt.date | None = None
    status: DocumentStatus | None = None
    classification: str = ""
    tag: str = ""
    tag_value: str = ""
    attributes: Sequence[AttributeFilter] = field(default_factory=tuple)

    @property
    def status_word(self) -> str:
        return word_of(self.status) if self.status else ""

    @property
    def needs_vocabulary(self) -> bool:
        """Whether answering needs the site's attributes and document types."""
        return bool(self.classification or self.attributes)

    @property
    def query(self) -> str:
        """The query string of these filters, without empty ones."""
        pairs: list[tuple[str, Any]] = [
            ("day", self.day.isoformat() if self.day else ""),
            ("status", self.status_word),
            ("class", self.classification),
            ("tag", self.tag),
            ("value", self.tag_value if self.tag else ""),
        ]
        rows = [(("a", one.key), ("o", one.op), ("v", one.value), ("to", one.upto)) for one in self.attributes]
        return urlencode([pair for pair in pairs if pair[1]] + [pair for row in rows for pair in row])


def filters_from(query: QueryDict, today: dt.date) -> Filters:
    """Parse filters; invalid values are ignored."""
    return Filters(
        day=_day(query.get("day", ""), today),
        status=status_of(query.get("status", "")),
        classification=query.get("class", "").strip(),
        tag=" ".join(query.get("tag", "").split()),
        tag_value=" ".join(query.get("value", "").split()),
        attributes=tuple(_attributes(query)),
    )


def _attributes(query: QueryDict) -> list[AttributeFilter]:
    columns = [query.getlist(name) for name in ("a", "o", "v", "to")]

    def at(column: Sequence[str], i: int) -> str:
        return column[i].strip() if i < len(column) else ""

    rows = [[at(column, i) for column in columns] for i in range(min(len(columns[0]), ROWS))]
    return [
        AttributeFilter(key, Op(op) if op in set(Op) else Op.IS, value, upto) for key, op, value, upto in rows if key
    ]


def _day(text: str, today: dt.date) -> dt.date | None:
    """Parse a day; future days are ignored."""
    try:
        day = dt.date.fromisoformat(text)
    except ValueError:
        return None
    return min(max(day, _FIRST_DAY), today)

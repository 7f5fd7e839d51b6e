"""Rows of rollups, and the attributes of a review that they need."""

from collections.abc import Iterable
from typing import Any, Self

from pynamodb.attributes import UnicodeAttribute

from config.item import Item
from workflows.runs.items import DecidedFields


class Rollup(Item):
    """The sums of a day or week, for a site or project and one document type or all: a number attribute per figure.

    Access: a range of days or weeks of one type (the sort key), in one Query. A missing name is zero.
    """

    _wire: dict[str, Any]

    @classmethod
    def from_raw_data(cls, data: dict[str, Any]) -> Self:
        item = super().from_raw_data({name: data[name] for name in ("PK", "SK")})
        item._wire = data
        return item

    @property
    def numbers(self) -> dict[str, int]:
        return {name: int(number) for name, wire in self._wire.items() if (number := wire.get("N", "0")) != "0"}

    def numbers_without(self, prefix: str) -> dict[str, int]:
        """Return all but the figures whose names begin with ``prefix``."""
        return {
            name: int(number)
            for name, wire in self._wire.items()
            if (number := wire.get("N", "0")) != "0" and not name.startswith(prefix)
        }

    def pick(self, names: Iterable[str]) -> dict[str, int]:
        """Return the figures of these names, without the others' digits being read."""
        return {name: int(self._wire[name]["N"]) for name in names if name in self._wire}

    @property
    def first(self) -> str:
        """The day, or the Monday of the week."""
        return self.SK.rpartition("#")[2]


class AppliedDecision(DecidedFields):
    """The attributes of a decision that are counted."""

    reviewer = UnicodeAttribute()
    reviewer_name = UnicodeAttribute(null=True)


class ReviewTimes(Item):
    """When a review was claimed and decided by the same person."""

    claimed_at = UnicodeAttribute(null=True)
    reviewedAt = UnicodeAttribute(null=True)  # noqa: N815 - the seeds' names are what is stored

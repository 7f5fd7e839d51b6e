"""The sums of a day, and what is read of a review for them."""

from typing import Any, Self

from pynamodb.attributes import UnicodeAttribute

from config.item import Item
from workflows.runs.items import DecidedFields


class DayFigures(Item):
    """One site's or project's sums of a day, of one document type or all: a number attribute for each figure.

    Access: a range of days of one type (the sort key), in one Query. A name that is not there is zero.
    """

    numbers: dict[str, int]

    @classmethod
    def from_raw_data(cls, data: dict[str, Any]) -> Self:
        item = super().from_raw_data({name: data[name] for name in ("PK", "SK")})
        item.numbers = {name: int(wire["N"]) for name, wire in data.items() if "N" in wire and wire["N"] != "0"}
        return item

    @property
    def day(self) -> str:
        return self.SK.rpartition("#")[2]


class AppliedDecision(DecidedFields):
    """A decision as far as it is counted."""

    reviewer = UnicodeAttribute()
    reviewer_name = UnicodeAttribute(null=True)


class ReviewTimes(Item):
    """When a review was claimed and decided, by the same person."""

    claimed_at = UnicodeAttribute(null=True)
    reviewedAt = UnicodeAttribute(null=True)  # noqa: N815 - the seeds' names are what is stored

"""Items of second reviews and of reviewer statistics."""

from typing import Any, Self

from pynamodb.attributes import ListAttribute, UnicodeAttribute

from config import table
from config.due.items import DueWork
from config.item import Item, map_attribute


class ReviewCheck(DueWork):
    """A decision and its blind second review. ``first``: the decision that the run continued with.

    Access: by review; differing ones of a queue, oldest first (GSI1); due until the second review is open (GSI2).
    """

    due_entity = table.REVIEW_CHECK
    review_id = UnicodeAttribute(null=True)  # null only in index rows
    status = UnicodeAttribute()  # a review.status.CheckStatus
    of_queue = UnicodeAttribute(null=True)  # of the first review, in stored form
    name = UnicodeAttribute()
    project_id = UnicodeAttribute()
    project_name = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute()
    workflow_id = UnicodeAttribute()
    barred = map_attribute(null=True)  # user id → why this person may not adjudicate
    reasons: ListAttribute[str] = ListAttribute(null=True)  # labels of all fields that differ
    first_decision_id = UnicodeAttribute(null=True)
    first_decision = UnicodeAttribute(null=True)
    first_id = UnicodeAttribute(null=True)
    first_name = UnicodeAttribute(null=True)
    first_uri = UnicodeAttribute(null=True)
    first_sha256 = UnicodeAttribute(null=True)
    second_decision = UnicodeAttribute(null=True)
    second_id = UnicodeAttribute(null=True)
    second_name = UnicodeAttribute(null=True)
    second_uri = UnicodeAttribute(null=True)
    second_sha256 = UnicodeAttribute(null=True)
    outcome = UnicodeAttribute(null=True)  # the decision confirmed by adjudication
    outcome_uri = UnicodeAttribute(null=True)
    outcome_sha256 = UnicodeAttribute(null=True)
    judge_id = UnicodeAttribute(null=True)
    judge_name = UnicodeAttribute(null=True)
    judged_at = UnicodeAttribute(null=True)
    wrong: ListAttribute[str] = ListAttribute(null=True)  # labels of fields that were published wrongly
    hidden = map_attribute(null=True)  # while the document is deleted
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute(null=True)


class QualityFigures(Item):
    """One reviewer's monthly figures, by site or project: a number attribute per figure.

    Access: all reviewers of a range of months (the sort key), one Query. Missing figures are zero.
    """

    user_name = UnicodeAttribute(null=True)
    numbers: dict[str, int]

    @classmethod
    def from_raw_data(cls, data: dict[str, Any]) -> Self:
        item = super().from_raw_data(data)
        item.numbers = {name: int(float(wire["N"])) for name, wire in data.items() if "N" in wire and wire["N"] != "0"}
        return item

    @property
    def user_id(self) -> str:
        return self.SK.rpartition("#")[2]

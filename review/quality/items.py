"""A review that was chosen to be reviewed twice, and the sums of what came of such reviews."""

from typing import Any, Self

from pynamodb.attributes import ListAttribute, UnicodeAttribute

from config import table
from config.due.items import DueWork
from config.item import Item, map_attribute


class ReviewCheck(DueWork):
    """A decision beside the one of a second person, who has not seen it. ``first`` is what the run went on with.

    Access: by its review; a queue's that differ, the oldest first (GSI1); due until the second review is open (GSI2).
    """

    due_entity = table.REVIEW_CHECK
    review_id = UnicodeAttribute(null=True)  # null only in index rows
    status = UnicodeAttribute()  # a review.status.CheckStatus
    of_queue = UnicodeAttribute(null=True)  # that the first review waited in, as it is stored
    name = UnicodeAttribute()
    project_id = UnicodeAttribute()
    project_name = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute()
    workflow_id = UnicodeAttribute()
    barred = map_attribute(null=True)  # user id → why this person may not say which of the two is right
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
    outcome = UnicodeAttribute(null=True)  # the decision that was found right
    outcome_uri = UnicodeAttribute(null=True)
    outcome_sha256 = UnicodeAttribute(null=True)
    judge_id = UnicodeAttribute(null=True)
    judge_name = UnicodeAttribute(null=True)
    judged_at = UnicodeAttribute(null=True)
    wrong: ListAttribute[str] = ListAttribute(null=True)  # labels of fields that were published otherwise
    hidden = map_attribute(null=True)  # while the document is deleted
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute(null=True)


class QualityFigures(Item):
    """One reviewer's sums of a month, of a site or a project: a number attribute for each figure.

    Access: all reviewers of a range of months (the sort key), in one Query. A name that is not there is zero.
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

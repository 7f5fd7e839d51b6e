"""What a run adds to the figures of its days, and that it is to be added; summed by ``workflows.insight``."""

from pynamodb.attributes import UnicodeAttribute

from config import table
from config.due.items import DueWork


class RunFigures(DueWork):
    """One run's part of every sum, kept so that a newer state adds only the difference, and sums can be recounted.

    Access: all of a bucket; those that failed at a step for a reason (GSI1), the last first; due (GSI2).
    A purge takes its ids from it; what it added stays.
    """

    due_entity = table.RUN_FIGURES
    project_id = UnicodeAttribute()
    document_id = UnicodeAttribute(null=True)
    workflow_id = UnicodeAttribute(null=True)
    received_at = UnicodeAttribute(null=True)  # if its document came with it
    ended_at = UnicodeAttribute(null=True)  # absent while it is under way
    classification_id = UnicodeAttribute(null=True)  # as it was counted
    counted = UnicodeAttribute(null=True)  # JSON: day → name → number, as the sums have it

    @property
    def failed_at(self) -> str:
        """Of a row of the list of failures."""
        return str(self.GSI1SK).partition("#")[0]

"""Rows of executions without a document, and their input (seed 003)."""

from enum import StrEnum

from pynamodb.attributes import NumberAttribute, UnicodeAttribute, UnicodeSetAttribute

from config import table
from config.due.items import DueWork
from config.item import Item
from workflows.runs.items import Run, RunStatus


class ExecutionOutcome(StrEnum):
    """The outcome, stored as written."""

    COMPLETED = "completed"
    REJECTED = "rejected"
    EXPIRED = "expired"
    FAILED = "failed"
    CANCELLED = "cancelled"


STATUS_AT_END = {
    ExecutionOutcome.COMPLETED: RunStatus.COMPLETED,
    ExecutionOutcome.REJECTED: RunStatus.COMPLETED,
    ExecutionOutcome.EXPIRED: RunStatus.FAILED,
    ExecutionOutcome.FAILED: RunStatus.FAILED,
    ExecutionOutcome.CANCELLED: RunStatus.FAILED,
}


class InputExecution(DueWork):
    """An execution and its progress. Access: by id (AP2); by definition family, newest first (GSI1, AP3); due (GSI2).

    Attributes that an engine reads have the same names as in ``workflows.runs.items.Execution``.
    """

    due_entity = table.INPUT_EXECUTION
    executionId = UnicodeAttribute()  # noqa: N815 - the seed's names, as stored
    workflowId = UnicodeAttribute()  # noqa: N815 - the definition's family
    status = UnicodeAttribute()  # a RunStatus
    currentStep = NumberAttribute()  # noqa: N815
    triggeredBy = UnicodeAttribute()  # noqa: N815 - the id of who started it
    createdAt = UnicodeAttribute()  # noqa: N815
    updatedAt = UnicodeAttribute()  # noqa: N815
    started_by = UnicodeAttribute(null=True)  # the name at that time
    title = UnicodeAttribute(null=True)  # gone after a purge
    definition = UnicodeAttribute()  # the pinned version
    outcome = UnicodeAttribute(null=True)  # an ExecutionOutcome
    reason = UnicodeAttribute(null=True)  # why it ended, if it was not completed
    request_id = UnicodeAttribute(null=True)
    engine_attempt = NumberAttribute()
    step_attempt = NumberAttribute(null=True)  # the attempt that reached the current step
    engine = UnicodeAttribute(null=True)
    stopped = NumberAttribute(null=True)
    handed = UnicodeAttribute(null=True)
    last_transition = UnicodeAttribute(null=True)
    waits_until = UnicodeAttribute(null=True)  # the end of the current wait
    review = UnicodeAttribute(null=True)  # the id of the review that it waits for
    reviews = UnicodeSetAttribute(null=True)  # the ids of all its reviews
    input_sha256 = UnicodeAttribute()
    purged_at = UnicodeAttribute(null=True)

    def run_on(self, site: str) -> Run:
        """Return the run under which engines know it: one without a document."""
        return Run(site, "", "", self.executionId)


class ExecutionInput(Item):
    """The input as JSON. Access: by the execution."""

    json = UnicodeAttribute()
    sha256 = UnicodeAttribute()

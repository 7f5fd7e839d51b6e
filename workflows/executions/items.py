"""An execution without a document, and what started it (seed 003)."""

from enum import StrEnum

from pynamodb.attributes import NumberAttribute, UnicodeAttribute, UnicodeSetAttribute

from config import table
from config.due.items import DueWork
from config.item import Item
from workflows.runs.items import Run, RunStatus


class ExecutionOutcome(StrEnum):
    """How it ended; stored as written."""

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
    """Where it stands. Access: by id (AP2); of a definition's family, newest first (GSI1, AP3); due (GSI2).

    The names that an engine reads are those of ``workflows.runs.items.Execution``.
    """

    due_entity = table.INPUT_EXECUTION
    executionId = UnicodeAttribute()  # noqa: N815 - the seed's names, as stored
    workflowId = UnicodeAttribute()  # noqa: N815 - the definition's family
    status = UnicodeAttribute()  # a RunStatus
    currentStep = NumberAttribute()  # noqa: N815
    triggeredBy = UnicodeAttribute()  # noqa: N815 - the id of who started it
    createdAt = UnicodeAttribute()  # noqa: N815
    updatedAt = UnicodeAttribute()  # noqa: N815
    started_by = UnicodeAttribute(null=True)  # the name, as it was then
    title = UnicodeAttribute(null=True)  # gone after a purge
    definition = UnicodeAttribute()  # the pinned version
    outcome = UnicodeAttribute(null=True)  # an ExecutionOutcome
    reason = UnicodeAttribute(null=True)  # of an end that no one wished for
    request_id = UnicodeAttribute(null=True)
    engine_attempt = NumberAttribute()
    step_attempt = NumberAttribute(null=True)  # the attempt that brought it to its step
    engine = UnicodeAttribute(null=True)
    stopped = NumberAttribute(null=True)
    handed = UnicodeAttribute(null=True)
    last_transition = UnicodeAttribute(null=True)
    review = UnicodeAttribute(null=True)  # the id of the review that it waits for
    reviews = UnicodeSetAttribute(null=True)  # the ids of all that it asked for
    input_sha256 = UnicodeAttribute()
    purged_at = UnicodeAttribute(null=True)

    def run_on(self, site: str) -> Run:
        """What the engines call it: a run of no document."""
        return Run(site, "", "", self.executionId)


class ExecutionInput(Item):
    """What started it, as JSON. Access: by the execution."""

    json = UnicodeAttribute()
    sha256 = UnicodeAttribute()

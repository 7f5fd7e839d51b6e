"""A run and its records: execution, transitions, step board (seeds 000 and 003)."""

from pynamodb.attributes import (
    BooleanAttribute,
    NumberAttribute,
    NumberSetAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
)

from config import table
from config.due.items import DueWork
from config.item import Item, map_attribute


class Execution(DueWork):
    """Where a run stands. Kept under 1 KiB: claims and heartbeats cost one write unit.

    Access: by id (AP2), under its family in GSI1 (AP3), due for a look in GSI2.
    """

    due_entity = table.EXECUTION
    executionId = UnicodeAttribute()  # noqa: N815 - the seeds' names are what is stored
    workflowId = UnicodeAttribute()  # noqa: N815 - the definition's family
    status = UnicodeAttribute()
    currentStep = NumberAttribute()  # noqa: N815
    triggeredBy = UnicodeAttribute()  # noqa: N815
    createdAt = UnicodeAttribute()  # noqa: N815
    updatedAt = UnicodeAttribute()  # noqa: N815
    definition = UnicodeAttribute()  # the pinned version, e.g. document-analysis.v1
    left_out = NumberSetAttribute(null=True)  # steps that the document does not need
    pages = NumberAttribute(null=True)  # or segments, as soon as they are counted
    engine_attempt = NumberAttribute()
    engine = UnicodeAttribute(null=True)  # that drives this attempt; Step Functions where unset
    stopped = NumberAttribute(null=True)  # the attempt that was ended, where the engine remembers none
    handed = UnicodeAttribute(null=True)  # the last transition that such an engine has handed on
    step_attempt = NumberAttribute(null=True)  # the attempt that brought the run to its step; the first where unset
    project_id = UnicodeAttribute()
    document_id = UnicodeAttribute()
    last_transition = UnicodeAttribute(null=True)
    result_sha256 = UnicodeAttribute(null=True)  # of the assessed result; a review shows exactly this
    routing_sha256 = UnicodeAttribute(null=True)  # of what the rules said after the analysis
    decision_id = UnicodeAttribute(null=True)  # of the applied decision
    decision_sha256 = UnicodeAttribute(null=True)
    truth_sha256 = UnicodeAttribute(null=True)  # of what was found true where two reviews of the decided result differ
    outcome = UnicodeAttribute(null=True)
    keeps = UnicodeAttribute(null=True)  # the run whose result stays the document's unless a person decides in this one
    carried = UnicodeAttribute(null=True)  # the decision that it took over from a run that does not count
    failed = NumberSetAttribute(null=True)  # segments (0-based) that a stage could not do
    afresh = UnicodeSetAttribute(null=True)  # artifact folders that the step it is at begins without
    only = NumberSetAttribute(null=True)  # segments that this attempt is about; all where unset
    batch_line = UnicodeAttribute(
        null=True
    )  # whose slot of a batch it holds, as workflows.batches.actions.lanes.Place says
    aside = BooleanAttribute(
        null=True
    )  # its steps are done where large documents' are, behind other sites' single pages
    job = UnicodeAttribute(
        null=True, attr_name="step_job"
    )  # JSON of workflows.engine.external_job.Job: whom the step waits for


class Transition(Item):
    """One completed step of a run, with its result (AP4)."""

    fromStep = NumberAttribute()  # noqa: N815
    toStep = NumberAttribute()  # noqa: N815
    result = UnicodeAttribute()
    data = map_attribute(null=True)
    occurredAt = UnicodeAttribute()  # noqa: N815


class WorkflowSteps(Item):
    """The step board (seed 000). GSI1 groups boards by the state of their analysis."""

    data = map_attribute()
    name = UnicodeAttribute(null=True)
    project_id = UnicodeAttribute(null=True)
    project_name = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)
    workflow_id = UnicodeAttribute(null=True)
    current_step = UnicodeAttribute(null=True)
    page_count = NumberAttribute(null=True)
    outcome = UnicodeAttribute(null=True)
    aside = BooleanAttribute(null=True)  # as the execution says, for its page
    asks_at = UnicodeSetAttribute(null=True)  # steps at which a model is asked, whose calls are kept
    hidden = map_attribute(null=True)  # while the document is deleted
    keeps = UnicodeAttribute(null=True)  # as the execution says, for its page
    replaced_by = UnicodeAttribute(null=True)  # the run of a newer content, which has put its pages in these' place
    layers = UnicodeAttribute(null=True)  # as in the run's own row, for who shows its files
    segments_of = UnicodeAttribute(null=True)  # the run whose segment rows count for this one; its own where unset
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()


class Segment(Item):
    """One page or chunk of a run (index 0-based)."""

    data = map_attribute()
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()

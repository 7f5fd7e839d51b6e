"""What a run is: its four ids, the states it may have, and its rows and its document's (seeds 000 and 003)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from pynamodb.attributes import (
    BooleanAttribute,
    ListAttribute,
    NumberAttribute,
    NumberSetAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
)

from config import clock, table
from config.due.items import DueWork
from config.errors import CountersignError
from config.item import Item, map_attribute
from projects.personal.masking import mask_value
from workflows.definitions.blueprint import END as END  # noqa: PLC0414 - the words of a run are found in one module
from workflows.definitions.blueprint import Outcome as Outcome  # noqa: PLC0414 - of a definition's last step, too
from workflows.stages.assessment.answers import describe_nothing


class ReviewCheckpoint(Item):
    document_id = UnicodeAttribute()
    sk = UnicodeAttribute(default="REVIEW")
    tenant_id = UnicodeAttribute()
    status = UnicodeAttribute()  # pending_review | approved | rejected | expired
    warranty_state = UnicodeAttribute()  # JSON: pointer and sha256 of everything the paused run needs, never the token
    created_at = UnicodeAttribute()


class DecidedFields(Item):
    """``changes``: maps of field, label, before, after, answer; ``confirmed`` and ``unseen``: labels of fields that
    were found right, and of fields that were approved though no one had checked them.
    """

    changes: ListAttribute[Mapping[str, str | None]] = ListAttribute(null=True)
    confirmed: ListAttribute[str] = ListAttribute(null=True)
    unseen: ListAttribute[str] = ListAttribute(null=True)
    reject_reason = UnicodeAttribute(null=True)  # of the project's list
    warnings: ListAttribute[Mapping[str, str]] = ListAttribute(null=True)  # that were accepted: field, text, reason

    def tell(self, hidden: frozenset[str] = frozenset()) -> Sequence[Mapping[str, Any]]:
        """For a list of changes: what, before, after; of ``hidden`` fields without their values."""
        changes = [
            {
                "what": one["label"],
                "before": mask_value(one["before"]) if one["field"] in hidden else one["before"],
                "after": (mask_value(one["after"]) if one["field"] in hidden else one["after"])
                or _describe_answer(one.get("answer")),
            }
            for one in _as_dicts(self.changes)
        ]
        # A rule speaks of several fields' values.
        warned = (
            []
            if hidden
            else [
                {"what": "Warning accepted", "before": one["text"], "after": one["reason"]}
                for one in _as_dicts(self.warnings)
            ]
        )
        named = (("Confirmed", self.confirmed), ("Not checked", self.unseen))
        rejected = [{"what": "Rejection reason", "before": None, "after": self.reject_reason}]
        return [
            *(rejected if self.reject_reason else ()),
            *changes,
            *warned,
            *({"what": what, "before": None, "after": ", ".join(one)} for what, one in named if one),
        ]


def _describe_answer(answer: str | None) -> str | None:
    return describe_nothing(answer) if answer else None


def _as_dicts(stored: Sequence[Any] | None) -> Sequence[Mapping[str, Any]]:
    return [one.as_dict() if hasattr(one, "as_dict") else one for one in stored or ()]


class ProjectDocument(Item):
    """A document as its project lists it, newest first in GSI1; in GSI2 all of a site by status."""

    data = map_attribute()
    hidden = map_attribute(null=True)  # its place in the list and its status, while the document is deleted
    name = UnicodeAttribute(null=True)
    status = UnicodeAttribute(null=True)
    outcome = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)
    workflow_id = UnicodeAttribute(null=True)
    project_id = UnicodeAttribute(null=True)
    project_name = UnicodeAttribute(null=True)
    current_step = UnicodeAttribute(null=True)  # the one at which its run waits for a person, while it does
    file_type = UnicodeAttribute(null=True)
    file_size = NumberAttribute(null=True)
    page_count = NumberAttribute(null=True)
    runs = UnicodeSetAttribute(null=True)  # of the content, where there are several beside each other
    decided = UnicodeAttribute(
        null=True
    )  # the run whose result a person decided or chose, while that is the document's
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()

    @property
    def counts(self) -> str:
        """The run whose result is the document's; while another is under way, the one that a person decided."""
        return str((None if self.outcome else self.decided) or self.workflow_id or "")


class ProjectWorkflow(Item):
    """A run as its project lists it."""

    data = map_attribute()
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()


class DocumentWorkflow(Item):
    """A run of a document, with the settings frozen at its start."""

    data = map_attribute()
    settings = UnicodeAttribute(null=True)  # JSON of RunSettings: what was configured when the run began
    definition = UnicodeAttribute(null=True)  # the pinned version, for lists; absent in runs of the first
    follows = UnicodeAttribute(null=True)  # the document's run before this one, of an earlier content
    beside = UnicodeAttribute(null=True)  # the run of the same content that this one took the first steps from
    began_at = UnicodeAttribute(null=True)  # the name of the first step that it does itself, if it is not the first
    layers = UnicodeAttribute(null=True)  # JSON of workflows.runs.run_files.Layers: where its artifacts lie
    s3version = UnicodeAttribute(null=True)  # the content that the run reads, whatever is uploaded later
    project_name = UnicodeAttribute(null=True)
    micros = NumberAttribute(null=True)  # what its steps cost, retries included, in millionths of a dollar
    unpriced = NumberAttribute(null=True)  # steps that used what has no price
    routing = UnicodeAttribute(null=True)  # JSON of workflows.rules.routing.Routing: what the rules said at the start
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()


class DocumentEvent(DueWork):
    due_entity = table.DOCUMENT_EVENT  # also of a batch: its key ends as a document's
    event_id = UnicodeAttribute()
    type = UnicodeAttribute()
    occurredAt = UnicodeAttribute()  # noqa: N815 - the seeds' names are what is stored
    correlationId = UnicodeAttribute()  # noqa: N815 - the run
    request_id = UnicodeAttribute(null=True)  # of the page, program or task that did it, as the log has it
    by = UnicodeAttribute(null=True)  # the name of who did it, as it was then
    userId = UnicodeAttribute(null=True)  # noqa: N815 - whose name that was: names change and are not unique
    status = UnicodeAttribute(null=True)
    reviewer = UnicodeAttribute(null=True)  # the id of who decided
    decision = UnicodeAttribute(null=True)
    # Where the run's file and work are found outside the desk (workflows.runs.events).
    bucket = UnicodeAttribute(null=True)
    s3_key = UnicodeAttribute(null=True)
    s3version = UnicodeAttribute(null=True)
    executionArn = UnicodeAttribute(null=True)  # noqa: N815
    jobId = UnicodeAttribute(null=True)  # noqa: N815 - an outside service's
    retryCount = NumberAttribute(null=True)  # noqa: N815
    facts = map_attribute(null=True)
    bus_type = UnicodeAttribute(null=True)
    bus_detail = UnicodeAttribute(null=True)  # JSON, as it goes out


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


class SyncService(StrEnum):
    """Where a document is sent, stored as written."""

    WEBHOOK = "WEBHOOK"
    EVENTBRIDGE = "EVENTBRIDGE"
    SEARCH = "SEARCH"


class SyncStatus(StrEnum):
    """Whether it arrived, stored as written."""

    COMPLETE = "COMPLETE"
    FAILED = "FAILED"
    PENDING = "PENDING"  # it is sent again


class DocumentSync(Item):
    """One sending of a document to elsewhere. Access: by document, newest first; what has not arrived (GSI1)."""

    documentId = UnicodeAttribute(null=True)  # noqa: N815 - the seed's names, as stored; absent only in index rows
    service = UnicodeAttribute(null=True)  # a SyncService
    syncDate = UnicodeAttribute(null=True)  # noqa: N815
    userId = UnicodeAttribute(null=True)  # noqa: N815
    status = UnicodeAttribute()  # a SyncStatus
    type = UnicodeAttribute(null=True)  # of the event
    message = UnicodeAttribute(null=True)
    target = UnicodeAttribute(null=True)  # of a webhook, its address
    content = UnicodeAttribute(null=True)  # what was sent, ids alone, as JSON; to send it again

    @property
    def at(self) -> str:
        return self.SK.partition("#")[2]


class DocumentOcr(Item):
    """``ocrStatus``: requested, failed, skipped or successful. ``jobId``: the run. Access: by document."""

    documentId = UnicodeAttribute()  # noqa: N815 - the seed's names, as stored
    inserteddate = UnicodeAttribute()
    userId = UnicodeAttribute()  # noqa: N815
    contentType = UnicodeAttribute()  # noqa: N815
    ocrEngine = UnicodeAttribute(null=True)  # noqa: N815
    ocrStatus = UnicodeAttribute()  # noqa: N815
    jobId = UnicodeAttribute()  # noqa: N815
    ocrOutputType = UnicodeAttribute(null=True)  # noqa: N815


class DefinitionDocument(Item):
    """At which step of a definition a document stands (seed 002). Access: by document; of a family, under way (GSI2).

    Of two runs of one family the one that moved last is told: ``workflow_id``, with the key of its execution.
    """

    documentId = UnicodeAttribute(null=True)  # noqa: N815 - the seed's names, as stored; absent only in index rows
    workflowId = UnicodeAttribute(null=True)  # noqa: N815 - the family's name
    workflowName = UnicodeAttribute(null=True)  # noqa: N815 - the version
    status = UnicodeAttribute()  # a StepStatus
    actionPk = UnicodeAttribute(null=True)  # noqa: N815
    actionSk = UnicodeAttribute(null=True)  # noqa: N815
    currentStepId = UnicodeAttribute(null=True)  # noqa: N815 - the step's name; absent once it has ended
    document_id = UnicodeAttribute()
    workflow_id = UnicodeAttribute()
    current_step = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute()


class Execution(DueWork):
    """Where a run stands. Kept under 1 KiB: claims and heartbeats cost one write unit.

    Access: by id (AP2), under its family in GSI1 (AP3), due for a look in GSI2.
    """

    due_entity = table.EXECUTION
    executionId = UnicodeAttribute()  # noqa: N815 - the seeds' names are what is stored
    workflow_id = UnicodeAttribute(null=True)  # of an imported run, whose place in the list is another id's
    workflowId = UnicodeAttribute()  # noqa: N815 - the definition's family
    status = UnicodeAttribute()
    currentStep = NumberAttribute()  # noqa: N815
    triggeredBy = UnicodeAttribute()  # noqa: N815
    createdAt = UnicodeAttribute()  # noqa: N815
    updatedAt = UnicodeAttribute()  # noqa: N815
    request_id = UnicodeAttribute(null=True)  # of the page or program that began it; its logs and calls carry it
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
    batch_line = UnicodeAttribute(null=True)  # whose slot of a batch it holds, as workflows.batches.actions.Place says
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
    definition = UnicodeAttribute(null=True)  # the pinned version; an index row has none
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


class Spending(Item):
    """Access: all of a site and month (the partition); those of one project (the head of the sort key).

    ``steps``: how often a step, or a part of one, added what it used; ``unpriced``: how often without a price.
    ``micros``: millionths of a dollar.
    """

    project_id = UnicodeAttribute()
    service = UnicodeAttribute()
    model = UnicodeAttribute()
    steps = NumberAttribute(default=0)
    pages = NumberAttribute(default=0)
    calls = NumberAttribute(default=0)
    tokens_in = NumberAttribute(default=0)
    tokens_out = NumberAttribute(default=0)
    ms = NumberAttribute(default=0)
    micros = NumberAttribute(default=0)
    unpriced = NumberAttribute(default=0)


COUNTS = ("steps", "pages", "calls", "tokens_in", "tokens_out", "ms", "micros", "unpriced")


@dataclass(frozen=True)
class Run:
    """Which run of which document: enough to find every record and every file of it."""

    site: str
    project_id: str
    document_id: str
    workflow_id: str

    @classmethod
    def new(cls, site: str, project_id: str, document_id: str) -> Self:
        """One that nothing is written of yet."""
        return cls(site, project_id, document_id, clock.new_ulid())


class RunStatus(StrEnum):
    """Of an execution (seed 003), stored as written."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


class StepStatus(StrEnum):
    """Of one step on the board, and of the whole board in GSI1 (seed 000)."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"


class ActionType(StrEnum):
    """What is done with a document after it is published (seed 002), stored as written."""

    OCR = "OCR"
    QUEUE = "QUEUE"
    NOTIFY = "NOTIFY"
    PUBLISH = "PUBLISH"
    WEBHOOK = "WEBHOOK"


ACTION_WORDS = {
    ActionType.OCR.value: "Store text as a file",
    ActionType.QUEUE.value: "Add to a queue",
    ActionType.NOTIFY.value: "Send an email",
    ActionType.PUBLISH.value: "Publish to the event bus",
    ActionType.WEBHOOK.value: "Call a webhook",
}


class ActionStatus(StrEnum):
    """Of one action (seed 002), stored as written."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    WAITING_FOR_RETRY = "WAITING_FOR_RETRY"
    IN_QUEUE = "IN_QUEUE"  # a person is to look at the document, and the actions behind wait for that
    COMPLETE = "COMPLETE"
    FAILED = "FAILED"
    SKIPPED = "SKIPPED"


class QuestionStatus(StrEnum):
    """Of a question that someone asked about a page."""

    ASKED = "asked"
    ANSWERED = "answered"
    FAILED = "failed"
    DELETED = "deleted"  # its number stays taken


class FollowUpStatus(StrEnum):
    """Of what is done after a publication."""

    OPEN = "OPEN"
    WAITING = "WAITING"  # for a person: one takes the document out of a queue, or has a failed action done again
    DONE = "DONE"
    CANCELLED = "CANCELLED"  # the document was deleted


A, F = ActionStatus, FollowUpStatus
ACTION_TRANSITIONS: dict[ActionStatus, frozenset[ActionStatus]] = {
    A.PENDING: frozenset({A.RUNNING, A.IN_QUEUE, A.SKIPPED}),
    A.RUNNING: frozenset({A.RUNNING, A.COMPLETE, A.WAITING_FOR_RETRY, A.FAILED}),
    A.WAITING_FOR_RETRY: frozenset({A.RUNNING, A.PENDING, A.SKIPPED}),
    A.IN_QUEUE: frozenset({A.COMPLETE, A.SKIPPED}),
    A.FAILED: frozenset({A.PENDING, A.SKIPPED}),
    A.COMPLETE: frozenset(),
    A.SKIPPED: frozenset(),
}
ACTION_ENDED = (A.COMPLETE, A.SKIPPED)

RUN_ENDS: dict[Outcome, RunStatus] = {
    Outcome.PUBLISHED: RunStatus.COMPLETED,
    Outcome.REJECTED: RunStatus.COMPLETED,
    Outcome.EXPIRED: RunStatus.FAILED,
    Outcome.FAILED: RunStatus.FAILED,
    Outcome.PARTIAL: RunStatus.FAILED,
    Outcome.CANCELLED: RunStatus.FAILED,
}


class RunState(StrEnum):
    """What a run may do next depends on this: its step while it runs, its outcome afterwards. Not stored."""

    RUNNING = "running"  # a machine works on its step
    WAITING = "waiting"  # its step is an approval
    PUBLISHED = "published"
    REJECTED = "rejected"
    EXPIRED = "expired"
    FAILED = "failed"
    PARTIAL = "partial"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class RunMove:
    """One change of a run's state: from any of ``sources`` to ``to``; a run that begins has no source."""

    sources: tuple[RunState, ...]
    to: RunState


R = RunState
UNDER_WAY = (R.RUNNING, R.WAITING)
# What the writes' conditions ask of the state; step, attempt and lease come on top of it.
START = RunMove((), R.RUNNING)
ADVANCE = RunMove((R.RUNNING,), R.RUNNING)
WAIT = RunMove((R.RUNNING,), R.WAITING)
DECIDE = RunMove((R.WAITING,), R.RUNNING)
ASK_ANOTHER = RunMove((R.WAITING,), R.WAITING)  # an approval that follows on another
PUBLISH = RunMove((R.RUNNING,), R.PUBLISHED)
REJECT = RunMove(UNDER_WAY, R.REJECTED)  # by the decision itself, or by a step after it
EXPIRE = RunMove(UNDER_WAY, R.EXPIRED)  # by the deadline, or by a step that its definition ends with
FAIL = RunMove(UNDER_WAY, R.FAILED)
END_PARTIAL = RunMove((R.RUNNING,), R.PARTIAL)  # pages failed, as engine/partial.py says after assess
CANCEL = RunMove((R.RUNNING,), R.CANCELLED)  # a person who is asked rejects instead
# What expired has a review that is closed, what was decided is decided.
RESUME = RunMove((R.PARTIAL, R.FAILED, R.CANCELLED), R.RUNNING)
RUN_MOVES = (
    START, ADVANCE, WAIT, DECIDE, ASK_ANOTHER, PUBLISH, REJECT, EXPIRE, FAIL, END_PARTIAL, CANCEL, RESUME,
)  # fmt: skip
RESUMABLE = tuple(Outcome(state) for state in RESUME.sources)


def state_of(outcome: Outcome | str | None, *, waits: bool) -> RunState:
    """``waits``: the run's step is an approval."""
    if outcome:
        return RunState(outcome)
    return RunState.WAITING if waits else RunState.RUNNING


def check_can_move(before: RunState | None, after: RunState) -> None:
    """Raises: CountersignError, since a caller that asks for such a move is wrong whatever the table holds."""
    if not any(after == move.to and (before in move.sources if before else not move.sources) for move in RUN_MOVES):
        raise CountersignError(f"A run cannot go from {before or 'nothing'} to {after}.")

"""The run: its four ids, its states and transitions, and its rows and those of its document (seeds 000 and 003)."""

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
from config.phrase import Phrase
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
    """The fields of a decision.

    ``changes``: maps of field, label, before, after, answer; ``confirmed`` and ``unseen``: labels of fields that were
    found right, and of fields that were approved unchecked.
    """

    changes: ListAttribute[Mapping[str, str | None]] = ListAttribute(null=True)
    confirmed: ListAttribute[str] = ListAttribute(null=True)
    unseen: ListAttribute[str] = ListAttribute(null=True)
    reason = UnicodeAttribute(null=True)
    reject_reason = UnicodeAttribute(null=True)  # one of the project's list
    warnings: ListAttribute[Mapping[str, str]] = ListAttribute(null=True)  # accepted warnings: field, text, reason

    def tell(self, hidden: frozenset[str] = frozenset()) -> Sequence[Mapping[str, Any]]:
        """Return the changes for a list: label, before, after; of ``hidden`` fields without their values."""
        changes = [
            {
                "what": one["label"],
                "before": mask_value(one["before"]) if one["field"] in hidden else one["before"],
                "after": (mask_value(one["after"]) if one["field"] in hidden else one["after"])
                or _describe_answer(one.get("answer")),
            }
            for one in _as_dicts(self.changes)
        ]
        # A rule's warning may contain several fields' values.
        warned = (
            []
            if hidden
            else [
                {"what": Phrase("Warning accepted"), "before": one["text"], "after": one["reason"]}
                for one in _as_dicts(self.warnings)
            ]
        )
        named = ((Phrase("Confirmed"), self.confirmed), (Phrase("Not checked"), self.unseen))
        rejected = [{"what": Phrase("Rejection reason"), "before": None, "after": self.reject_reason}]
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

    is_foreign = False  # set on rows that only the seed-000 system wrote
    data = map_attribute()
    hidden = map_attribute(null=True)  # its index keys and status while the document is deleted
    name = UnicodeAttribute(null=True)
    status = UnicodeAttribute(null=True)
    outcome = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)
    workflow_id = UnicodeAttribute(null=True)
    project_id = UnicodeAttribute(null=True)
    project_name = UnicodeAttribute(null=True)
    current_step = UnicodeAttribute(null=True)  # the step at which its run is in review
    file_type = UnicodeAttribute(null=True)
    file_size = NumberAttribute(null=True)
    page_count = NumberAttribute(null=True)
    runs = UnicodeSetAttribute(null=True)  # of the file version, if there are several
    decided = UnicodeAttribute(null=True)  # the run whose result a person decided or selected, while that is in use
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()

    @property
    def counts(self) -> str:
        """The run whose result is in use; during another run, the one that a person decided."""
        return str((None if self.outcome else self.decided) or self.workflow_id or "")


class ProjectWorkflow(Item):
    """A run as its project lists it."""

    data = map_attribute()
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()


class DocumentWorkflow(Item):
    """A run of a document, with the settings frozen at its start."""

    data = map_attribute()
    settings = UnicodeAttribute(null=True)  # JSON of RunSettings, frozen at the start of the run
    definition = UnicodeAttribute(null=True)  # the pinned version, for lists; absent in runs of the first
    follows = UnicodeAttribute(null=True)  # the document's previous run, of an earlier file version
    beside = UnicodeAttribute(null=True)  # the run of the same file version whose first steps it inherits
    began_at = UnicodeAttribute(null=True)  # its first own step, if that is not the first one
    layers = UnicodeAttribute(null=True)  # JSON of workflows.runs.run_files.Layers: the locations of its artifacts
    s3version = UnicodeAttribute(null=True)  # the file version that the run reads
    project_name = UnicodeAttribute(null=True)
    name = UnicodeAttribute(null=True)  # of an imported document: that system names the object instead
    micros = NumberAttribute(null=True)  # cost of its steps with retries, in millionths of a dollar
    unpriced = NumberAttribute(null=True)  # steps with usage that has no price
    routing = UnicodeAttribute(null=True)  # JSON of definitions.rules.Routing, evaluated at the start
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()

    @property
    def file_name(self) -> str:
        return str(self.name or self.data["file_name"])


class DocumentEvent(DueWork):
    due_entity = table.DOCUMENT_EVENT  # also for batches: their key ends like a document's
    event_id = UnicodeAttribute()
    type = UnicodeAttribute()
    occurredAt = UnicodeAttribute()  # noqa: N815 - the seeds' names are what is stored
    correlationId = UnicodeAttribute()  # noqa: N815 - the run
    request_id = UnicodeAttribute(null=True)  # of the request or task, as in the logs
    by = UnicodeAttribute(null=True)  # the name at that time
    userId = UnicodeAttribute(null=True)  # noqa: N815 - whose name that was: names change and are not unique
    status = UnicodeAttribute(null=True)
    reviewer = UnicodeAttribute(null=True)  # the id of the person who decided
    decision = UnicodeAttribute(null=True)
    # Where to find the run's file and work outside of the table (workflows.runs.events).
    bucket = UnicodeAttribute(null=True)
    s3_key = UnicodeAttribute(null=True)
    s3version = UnicodeAttribute(null=True)
    executionArn = UnicodeAttribute(null=True)  # noqa: N815
    jobId = UnicodeAttribute(null=True)  # noqa: N815 - an outside service's
    retryCount = NumberAttribute(null=True)  # noqa: N815
    facts = map_attribute(null=True)
    bus_type = UnicodeAttribute(null=True)
    bus_detail = UnicodeAttribute(null=True)  # JSON, as published


class RunFigures(DueWork):
    """What a run has added to each rollup, so that a new state adds only the difference, and recounts are possible.

    Access: all of a bucket; those that failed at a step for a reason (GSI1), latest first; due (GSI2). A purge removes
    its ids; what it added stays.
    """

    due_entity = table.RUN_FIGURES
    project_id = UnicodeAttribute()
    document_id = UnicodeAttribute(null=True)
    workflow_id = UnicodeAttribute(null=True)
    received_at = UnicodeAttribute(null=True)  # if its document arrived with it
    ended_at = UnicodeAttribute(null=True)  # absent while it is in progress
    classification_id = UnicodeAttribute(null=True)  # as it was counted
    counted = UnicodeAttribute(null=True)  # JSON: day → name → number, as in the rollups

    @property
    def failed_at(self) -> str:
        """When it failed, for rows of the list of failures."""
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
    PENDING = "PENDING"  # it will be sent again


class DocumentSync(Item):
    """A delivery of a document. Access: by document, newest first; undelivered ones (GSI1)."""

    documentId = UnicodeAttribute(null=True)  # noqa: N815 - the seed's names, as stored; absent only in index rows
    service = UnicodeAttribute(null=True)  # a SyncService
    syncDate = UnicodeAttribute(null=True)  # noqa: N815
    userId = UnicodeAttribute(null=True)  # noqa: N815
    status = UnicodeAttribute()  # a SyncStatus
    type = UnicodeAttribute(null=True)  # of the event
    message = UnicodeAttribute(null=True)
    target = UnicodeAttribute(null=True)  # for webhooks, the URL
    content = UnicodeAttribute(null=True)  # what was sent, ids only, as JSON, to send it again
    delivered_at = UnicodeAttribute(null=True)  # of a failed attempt: when a later one arrived

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
    """The current step of a document in a definition (seed 002). Access: by document; by family, in progress (GSI2).

    Of two runs of one family it is the one that moved last: ``workflow_id``, with the key of its execution.
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
    """The state of a run. Kept under 1 KiB, so that claims and heartbeats cost one write unit.

    Access: by id (AP2), by family in GSI1 (AP3), due work in GSI2.
    """

    due_entity = table.EXECUTION
    executionId = UnicodeAttribute()  # noqa: N815 - the seeds' names are what is stored
    workflow_id = UnicodeAttribute(null=True)  # of an imported run, which is listed under another id
    workflowId = UnicodeAttribute()  # noqa: N815 - the definition's family
    status = UnicodeAttribute()
    currentStep = NumberAttribute()  # noqa: N815
    triggeredBy = UnicodeAttribute()  # noqa: N815
    createdAt = UnicodeAttribute()  # noqa: N815
    updatedAt = UnicodeAttribute()  # noqa: N815
    request_id = UnicodeAttribute(null=True)  # of the request that began it; its logs and calls have it
    definition = UnicodeAttribute()  # the pinned version, e.g. document-analysis.v1
    left_out = NumberSetAttribute(null=True)  # steps that the document skips
    pages = NumberAttribute(null=True)  # or segments, once they are counted
    engine_attempt = NumberAttribute()
    engine = UnicodeAttribute(null=True)  # the engine of this attempt; Step Functions if unset
    stopped = NumberAttribute(null=True)  # the attempt that was stopped, for engines without state
    handed = UnicodeAttribute(null=True)  # the last transition after which such an engine ordered what follows
    step_attempt = NumberAttribute(null=True)  # the attempt that reached the current step; the first if unset
    project_id = UnicodeAttribute()
    document_id = UnicodeAttribute()
    last_transition = UnicodeAttribute(null=True)
    result_sha256 = UnicodeAttribute(null=True)  # of the assessed result; a review shows exactly this
    routing_sha256 = UnicodeAttribute(null=True)  # of the rules' result after the analysis
    decision_id = UnicodeAttribute(null=True)  # of the applied decision
    decision_sha256 = UnicodeAttribute(null=True)
    truth_sha256 = UnicodeAttribute(null=True)  # of the adjudicated values if two reviews of the decided result differ
    outcome = UnicodeAttribute(null=True)
    keeps = UnicodeAttribute(null=True)  # the run whose result stays in use unless a person decides this one
    carried = UnicodeAttribute(null=True)  # the decision inherited from a run whose result is not in use
    failed = NumberSetAttribute(null=True)  # failed segments (0-based)
    afresh = UnicodeSetAttribute(null=True)  # artifact folders that the current step rewrites
    only = NumberSetAttribute(null=True)  # segments of this attempt; all if unset
    batch_line = UnicodeAttribute(null=True)  # the batch slot that it holds, as workflows.batches.actions.Place says
    aside = BooleanAttribute(null=True)  # its steps are processed with large documents, after other sites' single pages
    waits_until = UnicodeAttribute(null=True)  # the end of the current wait
    job = UnicodeAttribute(
        null=True, attr_name="step_job"
    )  # JSON of workflows.engine.external_job.Job: the job that the step waits for


class Transition(Item):
    """One completed step of a run, with its result (AP4)."""

    fromStep = NumberAttribute()  # noqa: N815
    toStep = NumberAttribute()  # noqa: N815
    result = UnicodeAttribute()
    data = map_attribute(null=True)
    occurredAt = UnicodeAttribute()  # noqa: N815


class WorkflowSteps(Item):
    """The step board (seed 000). GSI1 groups boards by the status of their run."""

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
    aside = BooleanAttribute(null=True)  # copied from the execution
    asks_at = UnicodeSetAttribute(null=True)  # steps that call a model, and store the calls
    hidden = map_attribute(null=True)  # while the document is deleted
    keeps = UnicodeAttribute(null=True)  # copied from the execution
    replaced_by = UnicodeAttribute(null=True)  # the run of a newer file version, which has replaced its page images
    layers = UnicodeAttribute(null=True)  # copied from the run's own row, to open its files
    segments_of = UnicodeAttribute(null=True)  # the run whose segment rows apply to this one; its own if unset
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()


class Segment(Item):
    """One page or chunk of a run (index 0-based)."""

    data = map_attribute()
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()


class Spending(Item):
    """Access: all of a site and month (the partition); those of one project (the prefix of the sort key).

    ``steps``: how often a step, or a part of one, added usage; ``unpriced``: how often without a price. ``micros``:
    millionths of a dollar.
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
    """The ids of a run: enough to find each of its rows and files."""

    site: str
    project_id: str
    document_id: str
    workflow_id: str

    @classmethod
    def new(cls, site: str, project_id: str, document_id: str) -> Self:
        """Return a run with a new id."""
        return cls(site, project_id, document_id, clock.new_ulid())


class RunStatus(StrEnum):
    """The status of an execution (seed 003), stored as written."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


class StepStatus(StrEnum):
    """The status of a step on the board, and of the whole board in GSI1 (seed 000)."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"


class ActionType(StrEnum):
    """The types of rule actions after publication (seed 002), stored as written."""

    OCR = "OCR"
    QUEUE = "QUEUE"
    NOTIFY = "NOTIFY"
    PUBLISH = "PUBLISH"
    WEBHOOK = "WEBHOOK"


ACTION_WORDS = {
    ActionType.OCR.value: Phrase("Store text as a file"),
    ActionType.QUEUE.value: Phrase("Add to a queue"),
    ActionType.NOTIFY.value: Phrase("Send an email"),
    ActionType.PUBLISH.value: Phrase("Publish to the event bus"),
    ActionType.WEBHOOK.value: Phrase("Call a webhook"),
}


class ActionStatus(StrEnum):
    """The status of a rule action (seed 002), stored as written."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    WAITING_FOR_RETRY = "WAITING_FOR_RETRY"
    IN_QUEUE = "IN_QUEUE"  # a person has to look at the document; later actions wait
    COMPLETE = "COMPLETE"
    FAILED = "FAILED"
    SKIPPED = "SKIPPED"


class QuestionStatus(StrEnum):
    """The status of a question about a page."""

    ASKED = "asked"
    ANSWERED = "answered"
    FAILED = "failed"
    DELETED = "deleted"  # its number is not reused


class FollowUpStatus(StrEnum):
    """The status of the follow-ups of a publication."""

    OPEN = "OPEN"
    WAITING = "WAITING"  # for a person, who takes the document out of a queue or retries a failed action
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
    """What a run may do next depends on this: its step's type while it runs, its outcome afterwards. Not stored."""

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
    """A transition of a run's state: from any of ``sources`` to ``to``; a new run has no source."""

    sources: tuple[RunState, ...]
    to: RunState


R = RunState
UNDER_WAY = (R.RUNNING, R.WAITING)
# The conditions on state of each write; conditions on step, attempt and lease are added.
START = RunMove((), R.RUNNING)
ADVANCE = RunMove((R.RUNNING,), R.RUNNING)
WAIT = RunMove((R.RUNNING,), R.WAITING)
DECIDE = RunMove((R.WAITING,), R.RUNNING)
ASK_ANOTHER = RunMove((R.WAITING,), R.WAITING)  # an approval after another one
PUBLISH = RunMove((R.RUNNING,), R.PUBLISHED)
REJECT = RunMove(UNDER_WAY, R.REJECTED)  # by the decision itself, or by a step after it
EXPIRE = RunMove(UNDER_WAY, R.EXPIRED)  # by the deadline, or by a final step of its definition
FAIL = RunMove(UNDER_WAY, R.FAILED)
END_PARTIAL = RunMove((R.RUNNING,), R.PARTIAL)  # pages failed: engine/partial.py, after the assessment
CANCEL = RunMove((R.RUNNING,), R.CANCELLED)  # in review, a person rejects it instead
# Expired runs have a closed review, and decided ones a decision.
RESUME = RunMove((R.PARTIAL, R.FAILED, R.CANCELLED), R.RUNNING)
RUN_MOVES = (
    START, ADVANCE, WAIT, DECIDE, ASK_ANOTHER, PUBLISH, REJECT, EXPIRE, FAIL, END_PARTIAL, CANCEL, RESUME,
)  # fmt: skip
RESUMABLE = tuple(Outcome(state) for state in RESUME.sources)
PARTIAL_AT = "assess"  # the last step before review and publication


class ResumeWay(StrEnum):
    """How to resume a run: retry its failed pages, continue without them, retry the failed step, or an earlier one."""

    RETRY = "retry"
    ACCEPT = "accept"
    AGAIN = "again"
    STAGE = "stage"


def state_of(outcome: Outcome | str | None, *, waits: bool) -> RunState:
    """``waits``: the run's step is an approval."""
    if outcome:
        return RunState(outcome)
    return RunState.WAITING if waits else RunState.RUNNING


def check_can_move(before: RunState | None, after: RunState) -> None:
    """Raises: CountersignError, since such a transition is a bug of the caller, whatever the table holds."""
    if not any(after == move.to and (before in move.sources if before else not move.sources) for move in RUN_MOVES):
        raise CountersignError(f"A run cannot go from {before or 'nothing'} to {after}.")


class Join(DueWork):
    """The fan-out of a stage in an engine attempt. It also keeps the token of the step that waits for it.

    Access: by run, stage and attempt; those of a site that want more slots in GSI1; due work in GSI2. No attribute that
    a slice changes is projected, so a join costs one write unit.

    ``lanes`` maps each taken slot to the slice that it processes; ``sent`` is the number of the next one. A slice is
    counted and its successor taken in one write, so a redelivered message finds the successor in its lane.
    """

    due_entity = table.JOIN
    project_id = UnicodeAttribute()
    document_id = UnicodeAttribute()
    workflow_id = UnicodeAttribute()
    step = NumberAttribute()
    attempt = NumberAttribute()
    slices = NumberAttribute()  # number of slices
    planned = NumberAttribute()  # number of indices in all slices
    sent = NumberAttribute(default=0)  # slices that have had a slot; the number of the next one
    lanes = map_attribute()
    done = NumberSetAttribute(null=True)  # numbers of slices, from 0
    failed = NumberSetAttribute(null=True)  # segments, from 0
    error = UnicodeAttribute(null=True)  # error of one of them
    counts = map_attribute()
    seen = NumberAttribute(default=0)  # slices done at the sweeper's last check
    stalls = NumberAttribute(default=0)  # consecutive checks without progress
    waits_until = UnicodeAttribute(null=True)  # until then it counts as waiting for a service, not as stalled
    created_at = UnicodeAttribute()

    @property
    def at_work(self) -> dict[int, int]:
        """Map each lane to its slice."""
        return {int(lane): int(number) for lane, number in (self.lanes.as_dict() if self.lanes else {}).items()}

    @property
    def has_more(self) -> bool:
        """Return True if slices wait for a slot."""
        return int(self.sent) < int(self.slices)

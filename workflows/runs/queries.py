"""Reads of runs, named by access pattern; a page is one Query."""

import datetime as dt
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from django.conf import settings
from django.utils.translation import gettext

from config import clock, table
from config.errors import NotFound
from config.item import Item, Page
from config.phrase import Phrase
from config.table import InvalidKey, Key
from projects.documents.items import Document, DocumentStatus
from workflows.definitions import versions
from workflows.definitions.blueprint import Definition
from workflows.runs import seed_000
from workflows.runs.items import (
    RESUMABLE,
    DecidedFields,
    DefinitionDocument,
    DocumentEvent,
    DocumentOcr,
    DocumentSync,
    DocumentWorkflow,
    Execution,
    Join,
    ProjectDocument,
    Run,
    Segment,
    StepStatus,
    Transition,
    WorkflowSteps,
)

SEGMENTS_A_PAGE = 50
_MOST_JOINS = 100  # joins of a run: each stage has one an attempt
_DAYS_AT_ONCE = 8
_PLACE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z(#[0-9A-Z]{26})?")
_AFTER = "~"  # sorts after every suffix


def execution(run: Run) -> Execution:
    """AP2, strongly consistent. Raises: NotFound."""
    return Execution.load(table.EXECUTION.key(run.site, execution_id=run.workflow_id))


def execution_key(site: str, workflow_id: str) -> Key:
    """For pages that read the execution together with other rows."""
    return table.EXECUTION.key(site, execution_id=workflow_id)


def definition_of(found: Execution) -> Definition:
    """Return the version that the run pins."""
    return versions.find_definition(found.definition)


def executions(site: str, family: str, *, cursor: str | None = None) -> Page[Execution]:
    """AP3: list a family's runs, newest first."""
    pk = table.EXECUTION.gsi1_partition(site, workflow_id=family)
    return Execution.page(pk, index="GSI1", newest_first=True, cursor=cursor)


def list_syncs(site: str, document_id: str, *, cursor: str | None = None) -> Page[DocumentSync]:
    """List a document's deliveries, newest first; one Query."""
    pk = table.DOCUMENT_SYNC.partition_key(site, document_id=document_id)
    prefix = DocumentSync.SK.startswith(table.DOCUMENT_SYNC.sort_prefix())
    return DocumentSync.page(pk, sk=prefix, newest_first=True, cursor=cursor)


def get_sync(site: str, document_id: str, at: str) -> DocumentSync:
    """``at``: its stored instant. Raises: NotFound."""
    try:
        return DocumentSync.load(table.DOCUMENT_SYNC.key(site, document_id=document_id, datetime=at))
    except (NotFound, table.InvalidKey) as error:
        raise NotFound(gettext("There is no such delivery.")) from error


def list_documents_at_steps(site: str, family: str, *, cursor: str | None = None) -> Page[DefinitionDocument]:
    """List the documents with a run of this definition in progress, with their steps; one Query."""
    pk = table.DEFINITION_DOCUMENT.gsi2_partition(site, workflow_id=family)
    return DefinitionDocument.page(pk, index="GSI2", cursor=cursor)


def transitions(site: str, workflow_id: str, *, cursor: str | None = None) -> Page[Transition]:
    """AP4: list the transitions of a run, oldest first."""
    pk = table.TRANSITION.partition_key(site, execution_id=workflow_id)
    prefix = Transition.SK.startswith(table.TRANSITION.sort_prefix())
    return Transition.page(pk, sk=prefix, limit=100, cursor=cursor, consistent=True)


def transition_from(run: Run, step: int) -> Transition | None:
    """Return the latest transition out of ``step``, or None; usually one Query."""
    pk = table.TRANSITION.partition_key(run.site, execution_id=run.workflow_id)
    prefix = Transition.SK.startswith(table.TRANSITION.sort_prefix())
    rows = Transition.every(pk, sk=prefix, newest_first=True, consistent=True)
    return next((row for row in rows if int(row.fromStep) == step), None)


def last_transition(run: Run, found: Execution) -> Transition:
    """Return the transition to the run's current step. Raises: NotFound."""
    names = {"execution_id": run.workflow_id, "transition_id": str(found.last_transition)}
    return Transition.load(table.TRANSITION.key(run.site, **names))


def project_documents(site: str, project_id: str, *, cursor: str | None = None) -> Page[ProjectDocument]:
    """List a project's documents, last changed first; one more call for rows of an earlier system."""
    pk = table.PROJECT_DOCUMENT.gsi1_partition(site, project_id=project_id)
    page = ProjectDocument.page(pk, index="GSI1", newest_first=True, cursor=cursor)
    seed_000.fill_documents(page.rows)
    return page


def in_progress(site: str, *, cursor: str | None = None) -> Page[WorkflowSteps]:
    """List runs in progress, including those in review and those of an earlier system."""
    pk = table.WORKFLOW_STEPS.gsi1_partition(site)
    moving = WorkflowSteps.GSI1SK == StepStatus.IN_PROGRESS
    page = WorkflowSteps.page(pk, sk=moving, index="GSI1", cursor=cursor)
    seed_000.fill_boards(site, page.rows)
    return page


def documents_with_status(
    site: str, status: DocumentStatus, *, cursor: str | None = None, limit: int = settings.PAGE_SIZE
) -> Page[ProjectDocument]:
    """List a site's documents with this status, longest first."""
    pk = table.DOCUMENT_BY_STATUS.gsi2_partition(site, status=status)
    page = ProjectDocument.page(pk, index="GSI2", limit=limit, cursor=cursor)
    seed_000.fill_documents(page.rows)
    return page


_OF_DOCUMENTS = ("queue", "user_name")
_OF_BOARDS = ("current_step", "definition", "page_count", "updated_at", "workflow_id")


class Around(NamedTuple):
    """What a list adds to its rows: boards and fan-outs by run id, documents by their own."""

    boards: Mapping[str, WorkflowSteps] = {}
    documents: Mapping[str, Document] = {}
    joins: Mapping[str, Join] = {}


def read_around(
    site: str,
    workflow_ids: Sequence[str],
    document_ids: Sequence[str],
    steps: Collection[str],
    stages: Iterable[tuple[str, str]] = (),
) -> Around:
    """Return those that exist with what lists show of them: one call for a hundred.

    ``steps``: the steps whose state the boards' ``data`` is to have: ten of each made a fifth of the overview.
    ``stages``: runs and their current stages, as ``first_joins`` has them.
    """
    joins = _join_keys(site, stages)
    boards = {table.WORKFLOW_STEPS.key(site, workflow_id=one): one for one in workflow_ids}
    documents: dict[Key, str] = {}
    for one in document_ids:
        with suppress(InvalidKey):  # id of an earlier system
            documents[table.DOCUMENT.key(site, document_id=one)] = one
    if not boards and not documents:
        return Around()
    names = [*_OF_BOARDS, *_OF_DOCUMENTS, *(f"data.{step}" for step in steps)]
    if joins:
        names += [one.attr_name for one in Join.get_attributes().values()]
    found = Item.together([*boards, *documents, *joins], only=names)
    return Around(
        {boards[key]: WorkflowSteps.from_raw_data(row) for key, row in found.items() if key in boards},
        {documents[key]: Document.from_raw_data(row) for key, row in found.items() if key in documents},
        {joins[key]: Join.from_raw_data(row) for key, row in found.items() if key in joins},
    )


def boards_of(site: str, workflow_ids: Iterable[str]) -> Mapping[str, WorkflowSteps]:
    """Return the boards that exist by run id; one call for a hundred."""
    keys = {table.WORKFLOW_STEPS.key(site, workflow_id=one): one for one in workflow_ids}
    return {keys[found.key]: found for found in WorkflowSteps.load_many(list(keys), consistent=False)}


def board(site: str, workflow_id: str, *, consistent: bool = False) -> WorkflowSteps:
    """Return the step board, which is all that a progress poll reads.

    Raises: NotFound, also if the document was deleted.
    """
    found = WorkflowSteps.load(table.WORKFLOW_STEPS.key(site, workflow_id=workflow_id), consistent=consistent)
    if found.hidden is not None:
        raise NotFound(gettext("The document for this run was deleted."))
    return found


def segments(site: str, workflow_id: str, *, cursor: str | None = None) -> Page[Segment]:
    pk = table.SEGMENT.partition_key(site, workflow_id=workflow_id)
    prefix = Segment.SK.startswith(table.SEGMENT.sort_prefix())
    return Segment.page(pk, sk=prefix, limit=SEGMENTS_A_PAGE, cursor=cursor)


def document_workflow(site: str, document_id: str, workflow_id: str) -> DocumentWorkflow:
    """Raises: NotFound."""
    key = table.DOCUMENT_WORKFLOW.key(site, document_id=document_id, workflow_id=workflow_id)
    return DocumentWorkflow.load(key, consistent=False)


def document_of(run: Run) -> DocumentWorkflow:
    """Return the run's own row, strongly consistent. Raises: NotFound."""
    key = table.DOCUMENT_WORKFLOW.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id)
    return DocumentWorkflow.load(key)


def document_workflows(site: str, document_id: str, *, cursor: str | None = None) -> Page[DocumentWorkflow]:
    """List a document's runs, newest first, since their ids are time-ordered."""
    pk = table.DOCUMENT_WORKFLOW.partition_key(site, document_id=document_id)
    prefix = DocumentWorkflow.SK.startswith(table.DOCUMENT_WORKFLOW.sort_prefix())
    return DocumentWorkflow.page(pk, sk=prefix, newest_first=True, cursor=cursor)


def get_ocr(site: str, document_id: str) -> DocumentOcr:
    """Raises: NotFound if OCR has not been requested yet."""
    return DocumentOcr.load(table.DOCUMENT_OCR.key(site, document_id=document_id), consistent=False)


def project_document(site: str, project_id: str, document_id: str) -> ProjectDocument:
    """Raises: NotFound."""
    return ProjectDocument.load(table.PROJECT_DOCUMENT.key(site, project_id=project_id, document_id=document_id))


def run_kept_instead(board: WorkflowSteps) -> str:
    """Return the run whose result stays in use although this one has ended; empty if none. One read at most."""
    if not board.keeps or not board.outcome:
        return ""
    site = table.site_of(board.PK)
    counts = project_document(site, str(board.project_id), str(board.document_id)).counts
    return "" if counts == board.workflow_id else counts


def lineage(site: str, document_id: str, *, cursor: str | None = None) -> Page[DocumentEvent]:
    """List a document's lineage, oldest first."""
    pk = table.DOCUMENT_EVENT.partition_key(site, document_id=document_id)
    prefix = DocumentEvent.SK.startswith(table.DOCUMENT_EVENT.sort_prefix())
    return DocumentEvent.page(pk, sk=prefix, limit=100, cursor=cursor, consistent=True)


def list_told_events(site: str, after: str, *, limit: int) -> tuple[list[DocumentEvent], str]:
    """List the events published after this cursor, oldest first, and return the next cursor.

    One Query for each day up to the first with events, ``_DAYS_AT_ONCE`` at most, and one batch read. Events of the
    last few seconds are held back: another process may still write an earlier one.

    Raises:
        NotFound: ``after`` is not a valid cursor.

    """
    unknown = Phrase("This cursor is unknown. Start again with since.")
    if not _PLACE.fullmatch(after):
        raise NotFound(unknown)
    try:
        day = clock.parse(after[:10])
    except ValueError as error:
        raise NotFound(unknown) from error
    until = table.datetime_us(clock.now() - dt.timedelta(seconds=settings.EVENT_SETTLE_SECONDS))
    rows: Sequence[DocumentEvent] = ()
    for _ in range(_DAYS_AT_ONCE):
        if after >= until:
            break
        pk = table.DOCUMENT_EVENT.gsi1_partition(site, date=table.date_partition(day))
        window = DocumentEvent.GSI1SK.between(f"{after}{_AFTER}", until)
        rows = DocumentEvent.page(pk, sk=window, index="GSI1", limit=limit).rows
        day += dt.timedelta(days=1)
        if rows or table.date_partition(day) > until[:10]:
            break
        after = max(after, table.datetime_us(day))
    places = {row.key: str(row.GSI1SK) for row in rows}
    found = {row.key: row for row in DocumentEvent.load_many(list(places), consistent=False)}
    return [found[key] for key in places if key in found], max([after, *places.values()])


_REJECTED = "HUMAN_REVIEW_REJECTED"


def decision_key(event: DocumentEvent) -> Key | None:
    """Return the key of the event's decision, if that has details of its fields or is a rejection with its reason."""
    facts = event.facts.as_dict() if event.facts is not None else {}
    told = event.type == _REJECTED or any(facts.get(name) for name in ("corrected", "confirmed", "unseen"))
    if not (told and facts.get("review") and facts.get("decision")):
        return None
    return table.REVIEW_DECISION.key(
        table.site_of(event.PK),
        document_id=event.PK.rpartition("#")[2],
        review_id=str(facts["review"]),
        decision_id=str(facts["decision"]),
    )


def list_decided_fields(events: Iterable[DocumentEvent]) -> Mapping[Key, DecidedFields]:
    """Return the decisions of these events; no call if there are none. Purged ones are omitted."""
    keys = [key for key in map(decision_key, events) if key]
    return {found.key: found for found in DecidedFields.load_many(keys)}


def latest_event(run: Run, kind: str) -> DocumentEvent | None:
    """Return the newest event of this kind in a run's lineage, or None; usually one Query."""
    pk = table.DOCUMENT_EVENT.partition_key(run.site, document_id=run.document_id)
    prefix = DocumentEvent.SK.startswith(table.DOCUMENT_EVENT.sort_prefix())
    rows = DocumentEvent.every(pk, sk=prefix, newest_first=True, consistent=True)
    return next((row for row in rows if row.type == kind and row.correlationId == run.workflow_id), None)


@dataclass(frozen=True)
class Progress:
    """The progress of a run: finished steps of all, the current step's label, and the outcome."""

    done: int
    total: int
    current: str
    outcome: str | None

    @property
    def moving(self) -> bool:
        return self.outcome is None


def progress(row: WorkflowSteps, definition: Definition) -> Progress:
    """Compute the progress from the board or its index row, without a further call."""
    names = [step.name for step in definition.steps]
    current = str(row.current_step or names[0])
    ended = bool(row.outcome) and row.outcome not in RESUMABLE
    done = len(names) if ended else names.index(current) if current in names else 0
    return Progress(done, len(names), current, row.outcome)


def list_joins(site: str, workflow_id: str) -> Mapping[str, Join]:
    """Return the latest fan-out by stage name; one Query."""
    pk = table.JOIN.partition_key(site, workflow_id=workflow_id)
    rows = Join.page(pk, sk=Join.SK.startswith(table.JOIN.sort_prefix()), limit=_MOST_JOINS).rows
    return {str(row.SK).split("#")[1]: row for row in sorted(rows, key=lambda row: int(row.attempt))}


def _join_keys(site: str, stages: Iterable[tuple[str, str]]) -> dict[Key, str]:
    return {
        table.JOIN.key(site, workflow_id=workflow_id, stage=stage, attempt=1): workflow_id
        for workflow_id, stage in stages
    }


def first_joins(site: str, stages: Iterable[tuple[str, str]]) -> Mapping[str, Join]:
    """Return fan-outs by run id, for runs and their current stages; one call for a hundred.

    Only those of the first attempt: later ones would take a Query for each run.
    """
    keys = _join_keys(site, stages)
    return {keys[found.key]: found for found in Join.load_many(list(keys), consistent=False)}

"""Rows of the seed-000 system, read as ours: values that it stores in ``data`` or elsewhere are filled in, in memory.

Its rows have no flat attributes, its runs no execution, lineage or outcome. Nothing here writes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pynamodb.attributes import UnicodeAttribute

from config import table
from config.errors import NotFound
from config.item import Item, map_attribute
from workflows.definitions import versions
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS, SHIPPED, Definition
from workflows.definitions.seed_000 import LABELS, TEN_STEPS
from workflows.runs.items import DocumentWorkflow, ProjectDocument, Segment, StepStatus, WorkflowSteps
from workflows.runs.preprocess import PREPROCESSORS

_OURS = tuple(reversed(SHIPPED.values()))  # newest first, as its steps may include those of older ones
_ENDED = ("completed", "failed")


class Row(Item):
    """Any row of that system: all consist of ``data`` and two times."""

    data = map_attribute(null=True)
    created_at = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute(null=True)


@dataclass(frozen=True)
class Link:
    """What the run's own row adds to its board; ``pages`` is 0 until they are counted."""

    status: str = ""
    error: str | None = None
    pages: int = 0
    tools: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def of_step(self, name: str) -> Mapping[str, Any]:
        return self.tools.get(PREPROCESSORS.get(name, "")) or {}


def wrote(workflow_id: str | None) -> bool:
    """Return True if that system made the run.

    >>> wrote("wf_V1StGXR8_Z5jdHi6B-myT"), wrote("01J9ZQ4Y0B9K4E3W5T8R7M2N1P")
    (True, False)
    """
    return str(workflow_id or "").startswith(table.EARLIER_RUN)


def definition_of(board: WorkflowSteps) -> Definition:
    """Return the definition to show a board with, by the board's own steps if the index has them."""
    if wrote(board.workflow_id):
        return TEN_STEPS
    if board.definition:
        return versions.find_definition(board.definition)
    named = board.data.as_dict() if board.data is not None else {}
    if named:
        return next((one for one in _OURS if all(step.name in named for step in one.steps)), DOCUMENT_ANALYSIS)
    at = str(board.current_step)
    known = (one for one in (DOCUMENT_ANALYSIS, *_OURS) if any(step.name == at for step in one.steps))
    return next(known, DOCUMENT_ANALYSIS)


def is_foreign(row: ProjectDocument) -> bool:
    """Return True if only that system knows the document; an import makes it ours."""
    return _lacks(row)


def fill_documents(rows: Sequence[ProjectDocument]) -> None:
    """Complete the rows of a list; one more call if the index projects no ``data``."""
    theirs = [row for row in rows if _lacks(row)]
    _fetch(theirs)
    for row in theirs:
        data = row.data.as_dict() if row.data is not None else {}
        row.is_foreign = True
        row.document_id = _tail(row.SK)
        row.project_id = data.get("project_id") or _tail(row.PK)
        row.name = data.get("name") or row.document_id
        row.status = data.get("status")
        row.file_type = data.get("file_type")
        row.file_size = data.get("file_size")


def fill_boards(site: str, rows: Sequence[WorkflowSteps]) -> dict[str, Link]:
    """Complete boards from their runs, documents and projects; return each run's own row by id.

    At most two more calls: one for what the index omits, one for all names.
    """
    theirs = [row for row in rows if _lacks(row) and wrote(_tail(row.PK))]
    _fetch(theirs)
    known = [row for row in theirs if row.data is not None]  # others were deleted meanwhile
    found = {row.key: row for row in Row.load_many([key for row in known for key in _around(site, row)])}
    return {_tail(row.PK): _fill_board(row, [found.get(key) for key in _around(site, row)]) for row in known}


def _lacks(row: Any) -> bool:
    return row.document_id is None


def _around(site: str, row: WorkflowSteps) -> list[table.Key]:
    """Return the keys of a board's run, in one of two places by kind, of its project and of its document."""
    data = row.data.as_dict()
    ids = {"document_id": data.get("document_id") or "-", "workflow_id": _tail(row.PK)}
    project_id = data.get("project_id") or "-"
    return [
        table.DOCUMENT_WORKFLOW.key(site, **ids),
        table.WEB_WORKFLOW.key(site, **ids),
        table.PROJECT.key(site, project_id=project_id),
        table.PROJECT_DOCUMENT.key(site, project_id=project_id, document_id=ids["document_id"]),
    ]


def _fill_board(row: WorkflowSteps, around: Sequence[Row | None]) -> Link:
    run, project, document = around[0] or around[1], around[2], around[3]
    board, told, settings, named = (
        one.data.as_dict() if one is not None and one.data is not None else {} for one in (row, run, project, document)
    )
    link = Link(
        status=str(told.get("status") or ""),
        error=told.get("error") or None,
        pages=int(told.get("total_segments") or (board.get("segment_builder") or {}).get("segment_count") or 0),
        tools=told.get("preprocess") or {},
    )
    row.workflow_id = _tail(row.PK)
    row.document_id = str(board.get("document_id") or "")
    row.project_id = str(board.get("project_id") or "")
    row.name = named.get("name") or told.get("file_name") or row.workflow_id  # its runs name the object, by an ID
    row.project_name = settings.get("name") or row.project_id
    row.current_step = _current(board)
    row.page_count = link.pages or None
    row.outcome = link.status if link.status in _ENDED else None
    _fill_times(row, board, run)
    return link


def _fill_times(row: WorkflowSteps, board: Mapping[str, Any], run: Row | None) -> None:
    """Derive missing times from the steps. The end of a run changes its own row only."""
    told = [one for one in (row, run) if one is not None]
    of_steps = [
        str(at)
        for step in board.values()
        if isinstance(step, Mapping)
        for at in (step.get("started_at"), step.get("ended_at"))
        if at
    ]
    began = [str(one.created_at) for one in told if one.created_at][:1] or of_steps
    changed = [str(one.updated_at) for one in told if one.updated_at] or [*began, *of_steps]
    row.created_at, row.updated_at = min(began, default=None), max(changed, default=None)


def _current(board: Mapping[str, Any]) -> str:
    """``current_step`` may be empty, or an ended step: then return the running step, or the next."""
    statuses = {name: str((board.get(name) or {}).get("status") or "") for name in LABELS}
    for status in (StepStatus.FAILED, StepStatus.IN_PROGRESS, StepStatus.PENDING):
        for name, of_step in statuses.items():
            if of_step == status:
                return name
    return str(board.get("current_step") or next(iter(LABELS)))


def _fetch(rows: Iterable[Any]) -> None:
    missing = {row.key: row for row in rows if row.data is None}
    for found in Row.load_many(list(missing), consistent=False):
        missing[found.key].data = found.data


def _tail(key: str) -> str:
    return key.rpartition("#")[2]


def newest_run(site: str, document_id: str) -> str | None:
    """Return a document's newest run, if its project's list names none: one Query, two for web pages.

    That system's ids are not time-ordered, so all are read.
    """
    row = newest_link(site, document_id)
    return _tail(row.SK) if row else None


def newest_link(site: str, document_id: str) -> DocumentWorkflow | None:
    """Return the own row of a document's newest run, as ``newest_run``."""
    for entity in (table.DOCUMENT_WORKFLOW, table.WEB_WORKFLOW):
        pk = entity.partition_key(site, document_id=document_id)
        prefix = DocumentWorkflow.SK.startswith(entity.sort_prefix())
        rows = list(DocumentWorkflow.every(pk, sk=prefix, consistent=True))
        if rows:
            return max(rows, key=lambda row: row.created_at or "")
    return None


def first_segment(site: str, workflow_id: str) -> int:
    """Return the number of its first segment in keys and file names: 0, or 1 if rows count from one.

    One Query.
    """
    pk = table.SEGMENT.partition_key(site, workflow_id=workflow_id)
    rows = Segment.page(pk, sk=Segment.SK.startswith(table.SEGMENT.sort_prefix()), limit=1).rows
    return 1 if rows and int(rows[0].data["segment_index"]) == 1 else 0


def analysis_of_row(site: str, workflow_id: str, segment: int) -> Mapping[str, Any]:
    """Return what the row of a segment holds beside its file: ``image_analysis``, as ``ai_analysis``; empty if nothing.

    One GetItem.
    """
    try:
        row = Segment.load(table.SEGMENT.key(site, workflow_id=workflow_id, segment_index=segment))
    except NotFound:
        return {}
    told = row.data.as_dict().get("image_analysis")
    return {"ai_analysis": told} if told else {}

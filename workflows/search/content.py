"""The searchable content of a document: its name, its published fields, the text of each page."""

import itertools
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from config import table
from config.errors import NotFound
from config.table import InvalidKey
from workflows.runs import queries, run_files, seed_000
from workflows.runs.items import DocumentWorkflow, Outcome, ProjectDocument, StepStatus
from workflows.search.index import Entry, Kind, Part
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

Beat = Callable[[], None]
_LANES = 4  # objects read concurrently
# Where the seed-000 system stores the text of a segment that has no other.
_ALSO_TEXT = ("paddleocr", "format_parser", "webcrawler_content", "bda_indexer")
_AHEAD = 32  # pages in memory at a time, however long the document is


@dataclass(frozen=True)
class DocumentRef:
    """The ids of a document in an event."""

    site: str
    project_id: str
    document_id: str


class RunUnderWay(Exception):
    """What was published earlier stays searchable until the run has ended."""


def entry_of(which: DocumentRef, beat: Beat) -> Entry | None:
    """Return the document's current entry, strongly consistent; None if it should not be found.

    A deleted or purged document has no entry, nor has one whose newest run published nothing.

    Raises:
        RunUnderWay: a run is in progress.
        Unavailable: the table does not answer.

    """
    try:
        row = queries.project_document(which.site, which.project_id, which.document_id)
    except (NotFound, InvalidKey):
        return None
    if row.hidden is not None:
        return None
    if row.status == StepStatus.IN_PROGRESS:
        raise RunUnderWay
    if row.outcome != Outcome.PUBLISHED or not row.workflow_id:
        return None
    run = DocumentWorkflow.load(
        table.DOCUMENT_WORKFLOW.key(which.site, document_id=which.document_id, workflow_id=row.workflow_id)
    )
    return Entry(
        site=which.site,
        document_id=which.document_id,
        project_id=which.project_id,
        project_name=str(run.project_name or ""),
        name=str(row.name or which.document_id),
        file_type=str(row.file_type or ""),
        run_id=row.workflow_id,
        status=str(row.outcome),
        created_at=row.created_at,
        parts=_parts(which, row, run, beat),
    )


def _parts(which: DocumentRef, row: ProjectDocument, run: DocumentWorkflow, beat: Beat) -> Iterator[Part]:
    store = run_files.open_run_files(DocumentFiles(which.site, which.project_id, which.document_id), run.layers)
    yield Part(Kind.NAME, str(row.name or ""))
    run_id = str(row.workflow_id)
    yield from _fields(store, run_id)
    first = seed_000.first_segment(which.site, run_id) if seed_000.wrote(run_id) else 0
    yield from _pages(store, int(run.data["total_segments"] or 0), first, beat)


def _fields(store: DocumentFiles, run_id: str) -> Iterator[Part]:
    """Yield the published values, with a reviewer's corrections."""
    try:
        fields = json.loads(store.read(files.output(run_id)))["fields"]
    except NotFound:  # purged meanwhile: what is written now is refused, or removed by the purge's event
        return
    for one in fields:
        if one.get("value"):
            yield Part(Kind.FIELD, str(one["value"]), one.get("page"), str(one.get("label") or one["name"]))


def _pages(store: DocumentFiles, count: int, first: int, beat: Beat) -> Iterator[Part]:
    """``first``: the number of the first page in file names."""
    with ThreadPoolExecutor(_LANES) as lanes:
        for start in range(0, count, _AHEAD):
            beat()
            indices = range(start, min(start + _AHEAD, count))
            named = (first + index for index in indices)
            for index, text in zip(indices, lanes.map(_text, itertools.repeat(store), named), strict=False):
                if text:
                    yield Part(Kind.PAGE, text, index)


def _text(store: DocumentFiles, index: int) -> str:
    """``index``: as in the file name; empty if nothing was read, or if it was purged meanwhile."""
    try:
        segment = json.loads(store.read(files.segment(index)))
    except NotFound:
        return ""
    if text := segment.get("text_content"):
        return str(text)
    spoken = " ".join(str(one.get("transcript") or "") for one in segment.get("transcribe_segments") or ())
    return next((str(text) for name in _ALSO_TEXT if (text := segment.get(name))), spoken)

"""Writes of a run's segment rows."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import Any

from config import clock, table
from config.item import translate_store_errors
from workflows.runs.items import Run, Segment, StepStatus
from workflows.runs.run_files import files_of
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

_BATCH = 25  # DynamoDB's limit of one BatchWriteItem
_LANES = 4
_MOST_TEXT = 2_000  # characters of an answer in a row
Analyses = Mapping[int, Sequence[Mapping[str, str]]]


def write(run: Run, count: int) -> None:
    """Write the rows of segments 0 to ``count - 1``."""
    write_some(run, range(count), {})


def write_some(
    run: Run, indices: Sequence[int], failed: Mapping[int, str], *, images: bool = True,
    store: DocumentFiles | None = None, analyses: Analyses = MappingProxyType({}),
) -> None:  # fmt: skip
    """Write the rows of ``indices``, with the message of a failed segment. Idempotent.

    ``images``: False if the file is text. ``store``: where the run has its segments. ``analyses``: question and answer
    of each; long answers are truncated, the segment's file has all of them.

    BatchWrite is not atomic, and need not be: the step advances the run only afterwards.
    """
    documents = store or files_of(run)
    now = clock.iso(clock.now())

    def data_of(index: int) -> dict[str, Any]:
        place = documents.root + documents.place(files.segment(index))
        data: dict[str, Any] = {"segment_index": index, "s3_key": place}
        if images:
            data["image_uri"] = documents.uri(files.page_image(index))
        if index in failed:
            data |= {"status": StepStatus.FAILED.value, "error": failed[index]}
        if index in analyses:
            data["image_analysis"] = [
                {name: text[:_MOST_TEXT] for name, text in one.items()} for one in analyses[index]
            ]
        return data

    def write(batch: Sequence[int]) -> None:
        rows = [
            Segment(
                *table.segment_key(run.site, run.workflow_id, index),
                data=data_of(index),
                created_at=now,
                updated_at=now,
            )
            for index in batch
        ]
        with translate_store_errors(), Segment.batch_write() as writer:
            for row in rows:
                writer.save(row)

    batches = [indices[start : start + _BATCH] for start in range(0, len(indices), _BATCH)]
    if len(batches) == 1:
        write(batches[0])
        return
    with ThreadPoolExecutor(_LANES) as lanes:
        list(lanes.map(write, batches))

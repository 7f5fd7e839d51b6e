"""The segment rows of a run."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from config import clock, table
from config.item import translate_store_errors
from workflows.runs.items import Run, Segment, StepStatus
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

_BATCH = 25  # DynamoDB's limit of one BatchWriteItem
_LANES = 4


def write(run: Run, count: int) -> None:
    """The rows of segments 0 to ``count - 1``."""
    write_some(run, range(count), {})


def write_some(
    run: Run, indices: Sequence[int], failed: Mapping[int, str], *, images: bool = True,
    store: DocumentFiles | None = None,
) -> None:  # fmt: skip
    """Put the rows of ``indices``, a failed segment's with its sentence; again is harmless, the same rows come out.

    ``images``: each has one; False if the file is text. ``store``: where the run has its segments.

    BatchWrite is not atomic, and need not be: the step that calls this advances the run only afterwards.
    """
    documents = store or DocumentFiles(run.site, run.project_id, run.document_id)
    now = clock.iso(clock.now())

    def write(batch: Sequence[int]) -> None:
        _write_batch(run, documents, batch, failed, now, images=images)

    batches = [indices[start : start + _BATCH] for start in range(0, len(indices), _BATCH)]
    if len(batches) == 1:
        write(batches[0])
        return
    with ThreadPoolExecutor(_LANES) as lanes:
        list(lanes.map(write, batches))


def _write_batch(
    run: Run, documents: DocumentFiles, indices: Sequence[int], failed: Mapping[int, str], now: str, *, images: bool
) -> None:
    with translate_store_errors(), Segment.batch_write() as batch:
        for index in indices:
            data = {"segment_index": index, "s3_key": documents.root + documents.place(files.segment(index))}
            if images:
                data["image_uri"] = documents.uri(files.page_image(index))
            if index in failed:
                data |= {"status": StepStatus.FAILED.value, "error": failed[index]}
            key = table.segment_key(run.site, run.workflow_id, index)
            batch.save(Segment(*key, data=data, created_at=now, updated_at=now))

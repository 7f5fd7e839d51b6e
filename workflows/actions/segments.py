"""The segment rows of a run."""

from concurrent.futures import ThreadPoolExecutor

from config import clock, table
from config.item import translated
from workflows import files
from workflows.frozen import Run
from workflows.items.runs import Segment
from workflows.storage import DocumentFiles

_BATCH = 25  # DynamoDB's limit of one BatchWriteItem
_LANES = 4


def write(run: Run, count: int) -> None:
    """Put the rows of segments 0 to ``count - 1``; again is harmless, the same rows come out.

    BatchWrite is not atomic, and need not be: the step that calls this advances the run only afterwards.
    """
    now = clock.iso(clock.now())
    starts = range(0, count, _BATCH)
    with ThreadPoolExecutor(_LANES) as lanes:
        list(lanes.map(lambda start: _write_batch(run, range(start, min(start + _BATCH, count)), now), starts))


def _write_batch(run: Run, indices: range, now: str) -> None:
    documents = DocumentFiles(run.site, run.project_id, run.document_id)
    with translated(), Segment.batch_write() as batch:
        for index in indices:
            data = {
                "segment_index": index,
                "s3_key": documents.root + files.segment(index),
                "image_uri": documents.uri(files.page_image(index)),
            }
            key = table.segment_key(run.site, run.workflow_id, index)
            batch.save(Segment(*key, data=data, created_at=now, updated_at=now))

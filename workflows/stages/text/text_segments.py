"""Segments of files that are text: as many as a reader makes of them, without an image each (CONTRACTS 2.4).

How many there are shows only when the file is read: until then the placeholder of ``segment_prep`` stands for all.
"""

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from config.errors import Refused, StageFailed
from workflows.stages import artifacts, formats, kinds
from workflows.stages.base import StageContext, StageResult
from workflows.stages.formats import xml
from workflows.stages.formats.blocks import Chunk
from workflows.stages.pages import paged
from workflows.storage import files

MOST = 30_000
_TOO_MANY = f"This file has more than {MOST:,} segments. Split it and upload the parts."
_NOTHING = "This file contains no text. If it contains images, export it as PDF and upload that."


def write_placeholder(context: StageContext) -> StageResult:
    """What ``segment_prep`` writes of a file without pages."""
    write_text_metadata(context, [""])
    return StageResult("completed", facts={})


def write_text_segments(context: StageContext) -> StageResult:
    """Read the file into chunks. Raises: StageFailed."""
    try:
        count, titles = _write_chunks(context, formats.read_chunks(context.original, context.file_type))
        if context.file_type == formats.XML and (invoice := xml.invoice_in(context.original)):
            artifacts.write_json(context.artifacts, files.EINVOICE, invoice.to_stored())
    except Refused as error:
        raise StageFailed(str(error)) from error
    if not count:
        raise StageFailed(_NOTHING)
    paged.CHUNKS.finish(context.artifacts, range(count), {"chunk_count": count})
    write_text_metadata(context, titles)
    return StageResult("completed", facts={"chunks": count, "segment_count": count})


def _write_chunks(context: StageContext, chunks: Iterator[Chunk]) -> tuple[int, list[str]]:
    """Write them in batches: of the whole file only the titles are held."""
    titles: list[str] = []
    while batch := list(itertools.islice(chunks, paged.LIGHT)):
        start = len(titles)
        if start + len(batch) > MOST:
            raise StageFailed(_TOO_MANY)
        entries = [_entry(start + number, chunk) for number, chunk in enumerate(batch)]
        paged.CHUNKS.write(context.artifacts, entries)
        titles += [chunk.title for chunk in batch]
        context.heartbeat()
    return len(titles), titles


def _entry(index: int, chunk: Chunk) -> dict[str, Any]:
    return {"chunk_index": index, "text": chunk.text, "title": chunk.title}


def write_text_metadata(context: StageContext, titles: Iterable[str]) -> None:
    """Write ``preprocessed/metadata.json`` for segments that have these titles, whatever it said before."""
    entries = [
        {
            "segment_index": index,
            "segment_type": kinds.segment_type(context.file_type),
            "image": None,
            "width": 0,
            "height": 0,
            "title": title,
        }
        for index, title in enumerate(titles)
    ]
    paged.PREPARED.write(context.artifacts, entries)
    head = {"file_type": context.file_type, "segment_count": len(entries), "failed": []}
    paged.PREPARED.finish(context.artifacts, range(len(entries)), head)

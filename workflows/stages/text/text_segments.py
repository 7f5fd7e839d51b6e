"""Segments of text files: as many as the reader makes, without images (CONTRACTS 2.4).

Their number is only known when the file is read: until then the placeholder of ``segment_prep`` stands for all.
"""

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from config.errors import Refused, StageFailed
from config.phrase import Sentence
from workflows.stages import artifacts, file_kinds, formats
from workflows.stages.base import StageContext, StageResult
from workflows.stages.formats import xml
from workflows.stages.formats.blocks import Chunk
from workflows.stages.pages import paged
from workflows.storage import files

MOST = 30_000
_TOO_MANY = Sentence("This file has more than %(most)s segments. Split it and upload the parts.").fill(most=f"{MOST:,}")
_NOTHING = Sentence("This file contains no text. If it contains images, export it as PDF and upload that.")


def write_placeholder(context: StageContext) -> StageResult:
    """Write the output of ``segment_prep`` for a file without pages."""
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
    """Write them in batches; only the titles of the whole file are held."""
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
    """Write ``preprocessed/metadata.json`` for segments with these titles, replacing it."""
    entries = [
        {
            "segment_index": index,
            "segment_type": file_kinds.segment_type(context.file_type),
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

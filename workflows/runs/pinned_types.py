"""The types that a run may find its document to be of, and the copy of them that runs pin: one object in S3."""

import json
from dataclasses import asdict
from functools import lru_cache

from config.errors import CountersignError, StageFailed, Unavailable
from workflows.stages.document_types.types import PinnedTypes, book_of
from workflows.storage import files
from workflows.storage.objects import SiteFiles


def pin(site: str, book: PinnedTypes) -> str:
    """Keep the book as it is now and return its sha256; an empty one needs none."""
    if not book.types:
        return ""
    content = {"version": 1, "types": [asdict(one) for one in book.types]}
    return SiteFiles(site).pin_json(files.pinned_types, content)


def load_types(site: str, sha256: str) -> PinnedTypes:
    """What the run froze at its start.

    Raises:
        StageFailed: it is not there any more, or not what was pinned.
        Unavailable: S3 does not answer.

    """
    if not sha256:
        return PinnedTypes()
    try:
        return _read_pinned_types(site, sha256)
    except Unavailable:
        raise
    except CountersignError as error:
        raise StageFailed("The document types of this run cannot be loaded. Upload the file again.") from error


@lru_cache(maxsize=32)
def _read_pinned_types(site: str, sha256: str) -> PinnedTypes:
    """Objects never change, so a worker reads each once. Raises: NotFound, Tampered."""
    body = SiteFiles(site).read_pinned(files.pinned_types(sha256), sha256)
    return book_of(json.loads(body)["types"])

"""The document types that a run chooses from, as runs pin them: one content-addressed object in S3."""

import json
from dataclasses import asdict
from functools import lru_cache

from django.utils.translation import gettext

from config.errors import CountersignError, StageFailed, Unavailable
from workflows.stages.document_types.types import PinnedTypes, book_of
from workflows.storage import files
from workflows.storage.objects import SiteFiles


def pin(site: str, book: PinnedTypes) -> str:
    """Store the current types and return their sha256; empty if there are none."""
    if not book.types:
        return ""
    content = {"version": 1, "types": [asdict(one) for one in book.types]}
    return SiteFiles(site).pin_json(files.pinned_types, content)


def load_types(site: str, sha256: str) -> PinnedTypes:
    """Load the pinned types.

    Raises:
        StageFailed: they are missing, or not what was pinned.
        Unavailable: S3 does not answer.

    """
    if not sha256:
        return PinnedTypes()
    try:
        return _read_pinned_types(site, sha256)
    except Unavailable:
        raise
    except CountersignError as error:
        raise StageFailed(gettext("The document types of this run cannot be loaded. Upload the file again.")) from error


@lru_cache(maxsize=32)
def _read_pinned_types(site: str, sha256: str) -> PinnedTypes:
    """Immutable, so cached by each worker. Raises: NotFound, Tampered."""
    body = SiteFiles(site).read_pinned(files.pinned_types(sha256), sha256)
    return book_of(json.loads(body)["types"])

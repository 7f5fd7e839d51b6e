"""The prompts that runs pin: one object in S3, named by its content and written once for many runs."""

import json
from functools import lru_cache

from config.errors import CountersignError, StageFailed, Unavailable
from projects.prompts.book import PromptBook, book_from, make_shipped_book
from workflows.storage import files
from workflows.storage.objects import SiteFiles


def pin_prompts(site: str, book: PromptBook) -> str:
    """Keep the prompts as they are now and return their sha256."""
    return SiteFiles(site).pin_json(files.promptbook, book.to_json())


def load_prompts(site: str, sha256: str) -> PromptBook:
    """What the run pinned when it started; the shipped prompts if it pinned none.

    Raises:
        StageFailed: the object is gone, or is not what was pinned.
        Unavailable: S3 does not answer.

    """
    if not sha256:
        return make_shipped_book()
    try:
        return _read_pinned_prompts(site, sha256)
    except Unavailable:
        raise
    except CountersignError as error:
        raise StageFailed("The prompts of this run cannot be loaded. Upload the file again.") from error


@lru_cache(maxsize=32)
def _read_pinned_prompts(site: str, sha256: str) -> PromptBook:
    """Objects never change, so a worker reads each once. Raises: NotFound, Tampered."""
    return book_from(json.loads(SiteFiles(site).read_pinned(files.promptbook(sha256), sha256)))

"""What a search index is to everybody else: another one takes its place by ``settings.SEARCH_INDEX``."""

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, cast

from django.conf import settings
from django.utils.module_loading import import_string

from workflows.search.words import Term


class Kind(StrEnum):
    """Stored as written: what of a document a text is."""

    NAME = "name"
    FIELD = "field"
    PAGE = "page"


@dataclass(frozen=True)
class Part:
    """A text of a document. ``page`` is 0-based, None if it is of no page; ``label`` is a field's."""

    kind: Kind
    text: str
    page: int | None = None
    label: str = ""


@dataclass(frozen=True)
class Entry:
    """A document as it is found. ``created_at`` is an instant as stored, ``parts`` may be read once, piece by piece."""

    site: str
    document_id: str
    project_id: str
    project_name: str
    name: str
    file_type: str
    run_id: str
    status: str
    created_at: str
    parts: Iterable[Part]


@dataclass(frozen=True)
class SearchHit:
    """A document that was found: some of its parts that hold a word, and how many do."""

    entry: Entry
    total: int


@dataclass(frozen=True)
class SearchPage:
    """Documents, the latest first; ``next`` is an opaque cursor, or None on the last page."""

    hits: Sequence[SearchHit]
    next: str | None


@dataclass(frozen=True)
class KnownDocument:
    """A document that an index has heard of."""

    project_id: str
    document_id: str


class SearchIndex(Protocol):
    """``mark`` names the state of a document's entry. What is written names the mark that was there before its content

    was read, and is refused if it is not there any more: so nothing older takes the place of something newer, in
    whatever order, however often and by however many workers it is done (ADR 0009).
    """

    def mark(self, site: str, document_id: str) -> str:
        """Empty if the index has never heard of the document."""

    def add(self, entry: Entry, *, after: str) -> None:
        """Put the entry in the place of what was there; until then searches find what was there.

        Raises: Conflict, Unavailable.
        """

    def remove(self, site: str, project_id: str, document_id: str, *, after: str) -> None:
        """Nothing of the document is found or kept, but that it was heard of.

        Raises: Conflict, Unavailable.
        """

    def leave(self, site: str, document_id: str) -> None:
        """It was looked at, and stays as it is."""

    def find(
        self, site: str, terms: Sequence[Term], *, cursor: str | None = None, closed: Iterable[str] = ()
    ) -> SearchPage:
        """Documents of this site, and of no other, that hold every term; those of ``closed`` projects in their names.

        Raises: NotFound if the cursor is of another search; Unavailable.
        """

    def unseen(self, site: str, since: str, limit: int) -> Sequence[KnownDocument]:
        """Documents that no one has looked at since that instant."""

    def forget(self, before: str) -> None:
        """Drop what is kept of removed documents that were last looked at before that instant."""


@functools.cache
def search_index() -> SearchIndex:
    return cast("SearchIndex", import_string(settings.SEARCH_INDEX)())

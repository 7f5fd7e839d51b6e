"""The interface of search indexes; ``settings.SEARCH_INDEX`` chooses the implementation."""

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, cast

from django.conf import settings
from django.utils.module_loading import import_string

from workflows.search.words import Term


class Kind(StrEnum):
    """The kind of a text of a document, stored as written."""

    NAME = "name"
    FIELD = "field"
    PAGE = "page"


@dataclass(frozen=True)
class Part:
    """A text of a document. ``page`` is 0-based, None outside of pages; ``label`` is a field's."""

    kind: Kind
    text: str
    page: int | None = None
    label: str = ""


@dataclass(frozen=True)
class Entry:
    """The searchable content of a document. ``created_at``: stored instant; ``parts``: may be a one-time iterator."""

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
    """A document that was found: some of its matching parts, and their number."""

    entry: Entry
    total: int


@dataclass(frozen=True)
class SearchPage:
    """Documents, latest first; ``next`` is an opaque cursor, or None on the last page."""

    hits: Sequence[SearchHit]
    next: str | None


@dataclass(frozen=True)
class KnownDocument:
    """A document that the index knows."""

    project_id: str
    document_id: str


class SearchIndex(Protocol):
    """``mark`` identifies the state of a document's entry, for optimistic locking.

    A write names the mark that was read before the document's content, and is refused if it has changed. So nothing
    older replaces something newer, in whatever order, however often and by however many workers it is written (ADR
    0009).
    """

    def mark(self, site: str, document_id: str) -> str:
        """Empty if the index does not know the document."""

    def add(self, entry: Entry, *, after: str) -> None:
        """Replace the document's entry; until then searches find the earlier one.

        Raises: Conflict, Unavailable.
        """

    def remove(self, site: str, project_id: str, document_id: str, *, after: str) -> None:
        """Remove the document's entry, except for the fact that it was known.

        Raises: Conflict, Unavailable.
        """

    def leave(self, site: str, document_id: str) -> None:
        """Record that it was checked and is unchanged."""

    def find(
        self, site: str, terms: Sequence[Term], *, cursor: str | None = None, closed: Iterable[str] = ()
    ) -> SearchPage:
        """Find documents of this site with every term; those of ``closed`` projects only by name.

        Raises: NotFound if the cursor belongs to another search; Unavailable.
        """

    def unseen(self, site: str, since: str, limit: int) -> Sequence[KnownDocument]:
        """List documents that were not checked since that instant."""

    def forget(self, before: str) -> None:
        """Drop the records of removed documents that were last checked before that instant."""


@functools.cache
def search_index() -> SearchIndex:
    return cast("SearchIndex", import_string(settings.SEARCH_INDEX)())

"""The search index in Django's database: SQLite's FTS5 or PostgreSQL's tsvector, with common tables around them."""

import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from django.core import signing
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections, transaction
from django.utils.translation import gettext

from config import clock
from config.errors import Conflict, NotFound, Unavailable
from workflows.search import dialects
from workflows.search.index import Entry, Kind, KnownDocument, Part, SearchHit, SearchPage
from workflows.search.models import SearchDocument, SearchPart
from workflows.search.words import Term, clean_text, split_words

PAGE_SIZE = 10  # documents
PARTS_SHOWN = 3  # of each document
_BATCH = 100  # parts of one transaction: SQLite blocks other writers meanwhile
_PART_WORDS = 5_000  # words of one row: a tsvector holds a megabyte and 16,383 positions
_SHOWN = ("project_id", "project_name", "name", "file_type", "run_id", "status", "created_at")


@contextmanager
def translate_database_errors() -> Iterator[None]:
    """Raises: Unavailable if the database is unavailable, not set up, or locked for long."""
    try:
        yield
    except DatabaseError as error:
        raise Unavailable(gettext("Search is unavailable. Try again in a moment.")) from error


class DatabaseIndex:
    """A ``SearchIndex``. New parts get a new generation; the document's row says which generation is searchable."""

    def __init__(self, using: str = DEFAULT_DB_ALIAS) -> None:
        self._using = using
        self._documents = SearchDocument.objects.using(using)
        self._parts = SearchPart.objects.using(using)

    @functools.cached_property
    def _dialect(self) -> dialects.Dialect:
        return dialects.dialect_of(connections[self._using].vendor)

    def mark(self, site: str, document_id: str) -> str:
        with translate_database_errors():
            found = self._documents.filter(site=site, document_id=document_id).values_list("generation", flat=True)
            return found.first() or ""

    def add(self, entry: Entry, *, after: str) -> None:
        generation = clock.ulid_after(after or None)
        with translate_database_errors():
            row, _ = self._documents.get_or_create(site=entry.site, document_id=entry.document_id)
            try:
                for some in _make_batches(enumerate(_rows(entry.parts)), _BATCH):
                    self._put(row, generation, some)
                shown = {name: clean_text(getattr(entry, name)) for name in _SHOWN}
                self._turn(row, after, generation, is_found=True, **shown)
            except BaseException:
                self._clear(row.pk, generation=generation)
                raise
            self._clear(row.pk, generation__lt=generation)

    def remove(self, site: str, project_id: str, document_id: str, *, after: str) -> None:
        generation = clock.ulid_after(after or None)
        with translate_database_errors():
            row, _ = self._documents.get_or_create(site=site, document_id=document_id)
            nothing = dict.fromkeys(_SHOWN, "") | {"project_id": project_id}
            self._turn(row, after, generation, is_found=False, **nothing)
            self._clear(row.pk, generation__lt=generation)
            if self._dialect.tidy:
                with connections[self._using].cursor() as cursor:
                    cursor.execute(self._dialect.tidy)

    def leave(self, site: str, document_id: str) -> None:
        with translate_database_errors():
            self._documents.filter(site=site, document_id=document_id).update(seen_at=clock.iso(clock.now()))

    def _turn(self, row: SearchDocument, after: str, generation: str, **values: Any) -> None:
        """Raises: Conflict if someone was faster."""
        same = self._documents.filter(pk=row.pk, generation=after)
        if not same.update(generation=generation, seen_at=clock.iso(clock.now()), **values):
            raise Conflict(gettext("This document was already indexed by another worker."))

    def _put(self, row: SearchDocument, generation: str, some: Sequence[tuple[int, tuple[Part, list[str]]]]) -> None:
        parts = [
            SearchPart(
                document=row, generation=generation, position=position,
                kind=part.kind, page=part.page, label=part.label, text=part.text,
            )
            for position, (part, _) in some
        ]  # fmt: skip
        with transaction.atomic(self._using), connections[self._using].cursor() as cursor:
            made = self._parts.bulk_create(parts)
            found = [folded for _, (_, folded) in some]
            values = [(one.pk, self._dialect.to_index_text(folded)) for one, folded in zip(made, found, strict=True)]
            cursor.executemany(self._dialect.insert, values)

    def _clear(self, document: int, **which: str) -> None:
        """Delete only generations older than the searchable one, or its own: another worker may be writing the next."""
        while True:
            gone = list(self._parts.filter(document=document, **which).values_list("pk", flat=True)[: _BATCH * 5])
            if not gone:
                return
            with transaction.atomic(self._using), connections[self._using].cursor() as cursor:
                cursor.executemany(self._dialect.delete, [(pk,) for pk in gone])
                self._parts.filter(pk__in=gone).delete()

    def find(
        self, site: str, terms: Sequence[Term], *, cursor: str | None = None, closed: Iterable[str] = ()
    ) -> SearchPage:
        names_only = sorted(closed)
        signer = signing.Signer(salt=f"search {site} {terms!r}")  # a cursor of another search is invalid here
        start = _start(signer, cursor) if cursor else None
        with translate_database_errors(), connections[self._using].cursor() as database:
            database.execute(*self._dialect.documents(site, terms, start, PAGE_SIZE + 1, names_only))
            rows = database.fetchall()
            shown = rows[:PAGE_SIZE]
            keys = [row[0] for row in shown]
            if keys:
                database.execute(*self._dialect.parts(terms, keys, PARTS_SHOWN, names_only))
            parts = database.fetchall() if keys else []
        hits = [_hit(site, row, [part for part in parts if part[0] == row[0]]) for row in shown]
        last = shown[-1] if len(rows) > PAGE_SIZE else None
        return SearchPage(hits, signer.sign_object((last[-1], last[1])) if last else None)

    def unseen(self, site: str, since: str, limit: int) -> Sequence[KnownDocument]:
        with translate_database_errors():
            rows = self._documents.filter(site=site, seen_at__lt=since).order_by("seen_at", "document_id")[:limit]
            return [KnownDocument(row.project_id, row.document_id) for row in rows]

    def forget(self, before: str) -> None:
        with translate_database_errors():
            self._documents.filter(is_found=False, seen_at__lt=before).delete()


def _start(signer: signing.Signer, cursor: str) -> tuple[str, str]:
    try:
        created_at, document_id = signer.unsign_object(cursor)
    except signing.BadSignature as error:
        raise NotFound(gettext("This page of results is no longer available. Search again.")) from error
    return created_at, document_id


def _rows(parts: Iterable[Part]) -> Iterator[tuple[Part, list[str]]]:
    """Yield each part with its words; a long part is split into several rows."""
    for part in parts:
        text = clean_text(part.text)
        start = 0
        folded: list[str] = []
        for word in split_words(text):
            if len(folded) >= _PART_WORDS:
                yield replace(part, text=text[start : word.start], label=clean_text(part.label)), folded
                start, folded = word.start, []
            folded.append(word.folded)
        if folded:
            yield replace(part, text=text[start:], label=clean_text(part.label)), folded


def _make_batches(rows: Iterable[Any], size: int) -> Iterator[list[Any]]:
    left = iter(rows)
    while some := list(itertools.islice(left, size)):
        yield some


def _hit(site: str, row: Sequence[Any], parts: Sequence[Sequence[Any]]) -> SearchHit:
    found = [Part(Kind(kind), text, page, label) for _, kind, page, label, text, _ in parts]
    shown = dict(zip(_SHOWN, row[2:], strict=True))
    return SearchHit(Entry(site=site, document_id=row[1], parts=found, **shown), parts[0][-1] if parts else 0)

"""SQL of both databases to store and query words. Words consist of letters and digits, so they need no quoting."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from workflows.search.words import Term

Statement = tuple[str, list[Any]]

# The parts that contain a term and belong to the searchable generation; {words} depends on the dialect.
_HOLDING = """
    FROM search_searchwords w
    JOIN search_searchpart p ON p.id = w.{key}
    JOIN search_searchdocument d ON d.id = p.document_id AND d.generation = p.generation AND d.is_found
    WHERE w.words {matches}{open}"""
# People who may not see personal values search only the names of documents with such values.
_OPEN = " AND (p.kind = 'name' OR d.project_id NOT IN ({projects}))"
_DOCUMENTS = """
    SELECT d.id, d.document_id, d.project_id, d.project_name, d.name, d.file_type, d.run_id, d.status, d.created_at
    FROM search_searchdocument d
    WHERE d.site = %s AND d.is_found {terms} {start}
    ORDER BY d.created_at DESC, d.document_id DESC LIMIT %s"""
_TERM = "AND d.id IN (SELECT p.document_id {holding} AND d.site = %s)"
_START = "AND (d.created_at, d.document_id) < (%s, %s)"
# Texts are only read for the few parts that are shown.
_PARTS = """
    SELECT p.document_id, p.kind, p.page, p.label, p.text, chosen.total
    FROM (
        SELECT p.id AS id, COUNT(*) OVER (PARTITION BY p.document_id) AS total,
            ROW_NUMBER() OVER (PARTITION BY p.document_id ORDER BY p.position) AS place
        {holding} AND d.id IN ({keys})
    ) chosen
    JOIN search_searchpart p ON p.id = chosen.id
    WHERE chosen.place <= %s ORDER BY p.document_id, p.position"""


class Dialect(ABC):
    """Statements and their parameters; rows of ``documents`` begin with the key that ``parts`` takes."""

    key: str
    matches: str
    insert: str
    delete: str
    tidy: str = ""  # removes what a deletion leaves behind

    @abstractmethod
    def to_index_text(self, words: Sequence[str]) -> str:
        """Return the words of a part in the format of ``insert``."""

    @abstractmethod
    def query(self, terms: Sequence[Term]) -> str:
        """Return a query for any of the terms, in the database's syntax."""

    def _where_held(self, closed: Sequence[str]) -> str:
        """Takes the query and then the ``closed`` projects as parameters."""
        open_parts = _OPEN.format(projects=", ".join(["%s"] * len(closed))) if closed else ""
        return _HOLDING.format(key=self.key, matches=self.matches, open=open_parts)

    def documents(
        self, site: str, terms: Sequence[Term], start: tuple[str, str] | None, limit: int, closed: Sequence[str] = ()
    ) -> Statement:
        """Find documents with every term, latest first; in ``closed`` projects only by name."""
        every = " ".join(_TERM.format(holding=self._where_held(closed)) for _ in terms)
        asked = [value for term in terms for value in (self.query([term]), *closed, site)]
        statement = _DOCUMENTS.format(terms=every, start=_START if start else "")
        return statement, [site, *asked, *(start or ()), limit]

    def parts(self, terms: Sequence[Term], keys: Sequence[int], shown: int, closed: Sequence[str] = ()) -> Statement:
        """Find the first parts of each document with any term, and their number."""
        statement = _PARTS.format(holding=self._where_held(closed), keys=", ".join(["%s"] * len(keys)))
        return statement, [self.query(terms), *closed, *keys, shown]


class Fts5(Dialect):
    key = "rowid"
    matches = "MATCH %s"
    insert = "INSERT INTO search_searchwords (rowid, words) VALUES (%s, %s)"
    delete = "DELETE FROM search_searchwords WHERE rowid = %s"
    # FTS5 only marks words as deleted and keeps them in the file until their segments are merged. Up to 500 of its
    # pages at a time: a tenth of a second. A larger index is done after a few removals.
    tidy = "INSERT INTO search_searchwords (search_searchwords, rank) VALUES ('merge', -500)"

    def to_index_text(self, words: Sequence[str]) -> str:
        return " ".join(words)

    def query(self, terms: Sequence[Term]) -> str:
        """
        >>> Fts5().query([Term(("acme",), begins=True), Term(("12", "50"), begins=False)])
        '("acme" *) OR ("12 50")'
        """
        return " OR ".join(f'("{" ".join(term.words)}"{" *" if term.begins else ""})' for term in terms)


class Tsvector(Dialect):
    """Built without PostgreSQL's parser, which would split words differently."""

    key = "part_id"
    matches = "@@ CAST(%s AS tsquery)"
    insert = "INSERT INTO search_searchwords (part_id, words) VALUES (%s, CAST(%s AS tsvector))"
    delete = "DELETE FROM search_searchwords WHERE part_id = %s"

    def to_index_text(self, words: Sequence[str]) -> str:
        return " ".join(f"'{word}':{place}" for place, word in enumerate(words, start=1))

    def query(self, terms: Sequence[Term]) -> str:
        """
        >>> Tsvector().query([Term(("acme",), begins=True), Term(("12", "50"), begins=False)])
        "('acme':*) | ('12' <-> '50')"
        """
        return " | ".join(f"({' <-> '.join(self._words(term))})" for term in terms)

    def _words(self, term: Term) -> list[str]:
        *head, last = (f"'{word}'" for word in term.words)
        return [*head, f"{last}:*" if term.begins else last]


_DIALECTS: dict[str, Dialect] = {"sqlite": Fts5(), "postgresql": Tsvector()}


def dialect_of(vendor: str) -> Dialect:
    """Return the dialect by Django's vendor name; settings allow no other database."""
    return _DIALECTS[vendor]

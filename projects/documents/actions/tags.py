"""Writes of a document's tags: free words of people, with one value or several."""

import datetime as dt
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from config import clock, table
from config.errors import Conflict, Refused
from config.transaction import Change, Delete, Put
from projects.audit.events import Actor
from projects.documents.activity import ActivityChange
from projects.documents.items import Document, DocumentTag, flat_copies
from projects.documents.queries.documents import list_tags
from projects.documents.revisions import Revision, revise_document

LONGEST_KEY, LONGEST_VALUE = 100, 250  # letters
MAX_ROWS = 60  # of one document, all its tags together
_TYPE = "USERDEFINED"
Values = Sequence[str]


def add_tag(site: str, document_id: str, key: str, value: str, *, by: Actor) -> bool:
    """Give the document this tag, or one more value of it; False if it has that already.

    Two values added at once are both there. A tag may have no value: an empty text.

    Raises:
        NotFound: no such document, or it was deleted.
        Refused: the tag has no name, a text is too long, or the document has as many tags as it may have.

    """
    value = _tidy(value, LONGEST_VALUE)

    def add_value(values: Values) -> Values:
        return values if value in values else [*values, value]

    return _change(site, document_id, key, add_value, by)


def change_tag(site: str, document_id: str, key: str, before: str, after: str, *, by: Actor) -> bool:
    """Put ``after`` in the place of ``before``.

    Raises:
        Conflict: the tag has no such value any more.
        NotFound, Refused: as ``add_tag``.

    """
    after = _tidy(after, LONGEST_VALUE)

    def replace_value(values: Values) -> Values:
        if before not in values:
            raise Conflict(f"The tag “{key}” was changed by another user. {_now(values)}")
        return list(dict.fromkeys(after if value == before else value for value in values))

    return _change(site, document_id, key, replace_value, by)


def remove_tag(site: str, document_id: str, key: str, value: str | None = None, *, by: Actor) -> bool:
    """Take one value of the tag away, or the tag with all of them; False if it is gone already."""

    def remove_value(values: Values) -> Values:
        return [] if value is None else [one for one in values if one != value]

    return _change(site, document_id, key, remove_value, by)


def _now(values: Values) -> str:
    return f"Current value: {', '.join(value or 'none' for value in values)}." if values else "It was removed."


def _tidy(text: str, longest: int) -> str:
    tidy = unicodedata.normalize("NFC", " ".join(text.split()))
    if len(tidy) > longest:
        raise Refused(f"Use at most {longest} characters.")
    return tidy


def _change(site: str, document_id: str, key: str, change: Callable[[Values], Values], by: Actor) -> bool:
    key = _tidy(key, LONGEST_KEY)
    if not key:
        raise Refused("Enter a tag name.")

    def plan(document: Document, _at: dt.datetime) -> Revision | None:
        rows = list_tags(site, document_id)
        mine = [row for row in rows if row.tag_key == key]
        before = [row.tagValue or "" for row in mine]
        after = change(before)
        if list(after) == before:
            return None
        if len(rows) - len(mine) + len(after) > MAX_ROWS:
            raise Refused(f"A document can have up to {MAX_ROWS} tags and values. Remove one first.")
        told = ActivityChange(f"tag {key}", _format_values(before), _format_values(after))
        came = {row.tagValue or "": row for row in mine}
        return Revision([told], _Tag(site, document, key, after, came, by).write_changes())

    return revise_document(site, document_id, plan, by=by)


def _format_values(values: Values) -> str | None:
    return ", ".join(value or "(no value)" for value in values) if values else None


@dataclass(frozen=True)
class _Tag:
    """A tag as it is to be; ``came`` are its rows before, by value."""

    site: str
    document: Document
    key: str
    values: Values
    came: Mapping[str, DocumentTag]
    by: Actor

    def write_changes(self) -> list[Change]:
        """Its rows, and what of the old ones is in their way; the document's revision guards them all."""
        rows = [self._row(index, value) for index, value in enumerate(self.values)]
        kept = {row.SK for row in rows}
        gone = [Delete(row.key) for row in self.came.values() if row.SK not in kept]
        return [*(Put(row, overwrite=True) for row in rows), *gone]

    def _row(self, index: int, value: str) -> DocumentTag:
        """What was there before keeps who gave it and when: its place in the index does not move."""
        entity = table.DOCUMENT_TAG_VALUE if len(self.values) > 1 else table.DOCUMENT_TAG
        old = self.came.get(value)
        since = old.inserteddate if old and old.inserteddate else clock.iso(clock.now())
        at = table.datetime_s(clock.parse(since))
        parts: dict[str, Any] = {"document_id": self.document.document_id, "tag_key": self.key, "tag_value": value}
        parts |= {"index": index, "datetime": at}
        place = entity.key(self.site, **parts)
        return DocumentTag(
            place.pk,
            place.sk,
            **entity.gsi1(self.site, **parts),
            **entity.gsi2(self.site, **parts),
            **flat_copies(self.document),
            documentId=self.document.document_id,
            type=_TYPE,
            tagValue=value,
            tagValues=list(self.values) if len(self.values) > 1 else None,
            userId=old.userId if old else self.by.id,
            inserteddate=since,
        )

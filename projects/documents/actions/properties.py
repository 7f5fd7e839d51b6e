"""Writes of what people hang on a document: typed attributes, free tags, and metadata that no one searches by."""

import datetime as dt
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from config import clock, table
from config.errors import Conflict, Refused
from config.transaction import Change, Delete, Put
from projects.audit.events import Actor
from projects.documents.activity import ActivityChange, Revision, revise_document
from projects.documents.items import (
    Document,
    DocumentAttribute,
    DocumentAttributeVersion,
    DocumentMetadataVersion,
    DocumentTag,
    flat_copies,
)
from projects.documents.queries import in_order, list_attributes, list_tags
from projects.schemas import composite_keys
from projects.schemas.actions import mark_used
from projects.schemas.attribute_values import Value, format_value, in_key, parse_values, value_columns
from projects.schemas.governing import KINDS, AttributeDefinition, Schema
from projects.schemas.queries import attribute_definition, schemas_of

MAX_VALUES = 60  # of one document, all its attributes together
WATERMARK = KINDS["watermark"].data_type
Rows = Sequence[DocumentAttribute]
Values = Sequence[Value]


def set_attribute(
    site: str, document_id: str, key: str, values: Sequence[str], *, by: Actor, expected: Sequence[str] | None = None
) -> bool:
    """Give the attribute these values, as typed, and no other; False if it has them already.

    ``expected``: the values that the person saw, as ``shown`` writes them; without it the last writer wins.

    Raises:
        NotFound: no such document, or no such attribute on this site.
        Refused: a value is not of the attribute's type or not allowed, or there are too many.
        Conflict: the values are no longer the ``expected`` ones.

    """
    definition = attribute_definition(site, key)
    wanted = parse_values(definition, values)

    def replace_values(before: Values) -> Values:
        _check_expected(definition, before, expected)
        return wanted

    return _change(site, document_id, definition, replace_values, by)


def remove_attribute(
    site: str, document_id: str, key: str, *, by: Actor, expected: Sequence[str] | None = None
) -> bool:
    """Take the attribute with all its values away; False if it is gone already. Raises: as ``set_attribute``."""
    definition = attribute_definition(site, key)

    def none(before: Values) -> Values:
        if before:
            _check_expected(definition, before, expected)
        return []

    return _change(site, document_id, definition, none, by)


def _check_expected(definition: AttributeDefinition, before: Values, expected: Sequence[str] | None) -> None:
    if expected is not None and list(expected) != [format_value(value) for value in before]:
        now = ", ".join(format_value(value) for value in before)
        current = f"Current value: {now}." if now else "It was removed."
        raise Conflict(f"{definition.label} was changed by another user. {current} Your change was not saved.")


def _change(
    site: str, document_id: str, definition: AttributeDefinition, change: Callable[[Values], Values], by: Actor
) -> bool:
    def plan(document: Document, at: dt.datetime) -> Revision | None:
        return revise_attributes(site, document, [(definition, change)], at, by)

    return revise_document(site, document_id, plan, by=by)


def revise_attributes(
    site: str,
    document: Document,
    changes: Sequence[tuple[AttributeDefinition, Callable[[Values], Values]]],
    at: dt.datetime,
    by: Actor,
) -> Revision | None:
    """What the changes of these attributes write; None if all is so already. Raises: as ``set_attribute``."""
    rows = list_attributes(site, document.document_id)
    wanted: list[tuple[AttributeDefinition, Values]] = []
    for definition, change in changes:
        before = [row.value for row in in_order(_rows_of_key(rows, definition.key))]
        after = change(before)
        if list(after) != before:
            wanted.append((definition, after))
    return _Attributes(site, document, rows, by).revision(wanted, at) if wanted else None


def _rows_of_key(rows: Rows, key: str) -> Rows:
    return [row for row in rows if row.key_ == key and _is_plain(row)]


def _is_plain(row: DocumentAttribute) -> bool:
    return row.valueType != composite_keys.VALUE_TYPE


@dataclass(frozen=True)
class _Attributes:
    """All attribute rows of a document as they are; the document's revision guards them."""

    site: str
    document: Document
    rows: Rows
    by: Actor

    def revision(self, wanted: Sequence[tuple[AttributeDefinition, Values]], at: dt.datetime) -> Revision:
        plain = [row for row in self.rows if _is_plain(row)]
        values: dict[str, list[Value]] = {}
        for row in plain:
            values.setdefault(str(row.key_), []).append(row.value)
        values |= {definition.key: list(after) for definition, after in wanted}
        if sum(map(len, values.values())) > MAX_VALUES:
            raise Refused(f"A document can have up to {MAX_VALUES} attribute values. Remove one first.")
        ours, own = schemas_of(self.site, self.document.classification_id or "")
        keys = ours.composite_keys + (own.composite_keys if own else ())
        old = [row for row in self.rows if not _is_plain(row)]
        new = self._composite_rows(keys, values)
        told: list[ActivityChange] = []
        archived: list[DocumentAttributeVersion] = []
        used: list[AttributeDefinition] = []
        for definition, after in wanted:
            _check_allowed(definition, after, [schema for schema in (ours, own) if schema])
            mine = in_order(_rows_of_key(self.rows, definition.key))
            old += mine
            new += self._plain_rows(definition, after, mine)
            archived += [self._archive_row(row, at) for row in mine if row.value not in after]
            used += [definition] if after else []
            shown = ", ".join(map(_format_value, after)) if after else None
            told.append(ActivityChange(f"attribute {definition.label}", _format_values(mine), shown))
        changes = [
            *self._write_changes(new, old),
            *(Put(row) for row in archived),
            *mark_used(self.site, used),
        ]
        return Revision(told, changes, version=archived[0].key if archived else None)

    def _plain_rows(self, definition: AttributeDefinition, after: Values, mine: Rows) -> list[DocumentAttribute]:
        came = {row.value: row for row in mine}
        return [
            self._row(definition.key, in_key(value), definition.data_type, index, value_columns(value), came.get(value))
            for index, value in enumerate(after)
        ]

    def _composite_rows(
        self, keys: Sequence[Sequence[str]], values: Mapping[str, Sequence[Value]]
    ) -> list[DocumentAttribute]:
        return [
            self._row(row.key, row.value, composite_keys.VALUE_TYPE, 0, {"stringValue": row.value}, None)
            for row in composite_keys.composite_rows(keys, values)
        ]

    def _row(  # noqa: PLR0917 - the parts of one row
        self, key: str, in_the_key: str, value_type: str, index: int, value: dict[str, Any],
        old: DocumentAttribute | None,
    ) -> DocumentAttribute:  # fmt: skip
        parts = {"document_id": self.document.document_id, "key": key, "value": in_the_key}
        place = table.DOCUMENT_ATTRIBUTE.key(self.site, **parts)
        places: dict[str, Any] = table.DOCUMENT_ATTRIBUTE.gsi1(self.site, **parts)
        if value_type == WATERMARK:
            places |= table.DOCUMENT_ATTRIBUTE.gsi2(self.site, value_type=value_type, **parts)
        return DocumentAttribute(
            place.pk,
            place.sk,
            **places,
            **flat_copies(self.document),
            **value,
            documentId=self.document.document_id,
            key_=str(key),
            index=index,
            valueType=value_type,
            userId=old.userId if old else self.by.id,
            inserteddate=old.inserteddate if old else clock.iso(clock.now()),
        )

    def _write_changes(self, wanted: Sequence[DocumentAttribute], old: Rows) -> list[Change]:
        """Only what is not there as it is to be: a composite key's other rows stay untouched."""
        there = {row.SK: row for row in old}
        kept = {row.SK for row in wanted}
        new = [row for row in wanted if row.SK not in there or int(there[row.SK].index or 0) != row.index]
        return [
            *(Put(row, overwrite=True) for row in new),
            *(Delete(row.key) for row in old if row.SK not in kept),
        ]

    def _archive_row(self, row: DocumentAttribute, at: dt.datetime) -> DocumentAttributeVersion:
        value = row.value
        key = table.DOCUMENT_ATTRIBUTE_VERSION.key(
            self.site,
            document_id=self.document.document_id,
            key=str(row.key_),
            datetime_s=table.datetime_s(at),
            value=in_key(value),
        )
        return DocumentAttributeVersion(
            key.pk,
            key.sk,
            **value_columns(value),
            archive_sk=row.SK,
            documentId=self.document.document_id,
            key_=row.key_,
            index=row.index,
            valueType=row.valueType,
            userId=row.userId,
            inserteddate=row.inserteddate,
        )


def _format_values(rows: Rows) -> str | None:
    return ", ".join(_format_value(row.value) for row in rows) if rows else None


def _format_value(value: Value) -> str:
    return format_value(value) or "(no value)"


def _check_allowed(definition: AttributeDefinition, values: Values, schemas: Sequence[Schema]) -> None:
    """Raises: Refused if a schema names the values that are allowed and one is not among them."""
    for schema in schemas:
        allowed = next((use.allowed for use in schema.uses if use.key == definition.key), ())
        wrong = [format_value(value) for value in values if allowed and value not in parse_values(definition, allowed)]
        if wrong:
            raise Refused(
                f"“{wrong[0]}” is not allowed for {definition.label}. {schema.name} allows: {', '.join(allowed[:12])}."
            )


LONGEST_KEY, LONGEST_VALUE = 100, 250  # letters
MAX_ROWS = 60  # of one document, all its tags together
_TYPE = "USERDEFINED"
TagValues = Sequence[str]


def add_tag(site: str, document_id: str, key: str, value: str, *, by: Actor) -> bool:
    """Give the document this tag, or one more value of it; False if it has that already.

    Two values added at once are both there. A tag may have no value: an empty text.

    Raises:
        NotFound: no such document, or it was deleted.
        Refused: the tag has no name, a text is too long, or the document has as many tags as it may have.

    """
    value = _tidy(value, LONGEST_VALUE)

    def add_value(values: TagValues) -> TagValues:
        return values if value in values else [*values, value]

    return _change_tag(site, document_id, key, add_value, by)


def change_tag(site: str, document_id: str, key: str, before: str, after: str, *, by: Actor) -> bool:
    """Put ``after`` in the place of ``before``.

    Raises:
        Conflict: the tag has no such value any more.
        NotFound, Refused: as ``add_tag``.

    """
    after = _tidy(after, LONGEST_VALUE)

    def replace_value(values: TagValues) -> TagValues:
        if before not in values:
            raise Conflict(f"The tag “{key}” was changed by another user. {_now(values)}")
        return list(dict.fromkeys(after if value == before else value for value in values))

    return _change_tag(site, document_id, key, replace_value, by)


def remove_tag(site: str, document_id: str, key: str, value: str | None = None, *, by: Actor) -> bool:
    """Take one value of the tag away, or the tag with all of them; False if it is gone already."""

    def remove_value(values: TagValues) -> TagValues:
        return [] if value is None else [one for one in values if one != value]

    return _change_tag(site, document_id, key, remove_value, by)


def _now(values: TagValues) -> str:
    return f"Current value: {', '.join(value or 'none' for value in values)}." if values else "It was removed."


def _tidy(text: str, longest: int) -> str:
    tidy = unicodedata.normalize("NFC", " ".join(text.split()))
    if len(tidy) > longest:
        raise Refused(f"Use at most {longest} characters.")
    return tidy


def revise_tags(
    site: str, document: Document, changes: Mapping[str, Callable[[TagValues], TagValues]], by: Actor
) -> Revision | None:
    """What the changes of these tags write; None if all is so already.

    Raises:
        Refused: as ``add_tag``.

    """
    rows = list_tags(site, document.document_id)
    told: list[ActivityChange] = []
    writes: list[Change] = []
    count = len(rows)
    for name, change in changes.items():
        key = _tidy(name, LONGEST_KEY)
        if not key:
            raise Refused("Enter a tag name.")
        mine = [row for row in rows if row.tag_key == key]
        before = [row.tagValue or "" for row in mine]
        after = change(before)
        if list(after) == before:
            continue
        count += len(after) - len(mine)
        told.append(ActivityChange(f"tag {key}", _format_tag_values(before), _format_tag_values(after)))
        came = {row.tagValue or "": row for row in mine}
        writes += _Tag(site, document, key, after, came, by).write_changes()
    if told and count > MAX_ROWS:
        raise Refused(f"A document can have up to {MAX_ROWS} tags and values. Remove one first.")
    return Revision(told, writes) if told else None


def tidy_values(values: Sequence[str]) -> list[str]:
    """As a tag keeps them, each once. Raises: Refused, if one is too long."""
    return list(dict.fromkeys(_tidy(one, LONGEST_VALUE) for one in values))


def _change_tag(site: str, document_id: str, key: str, change: Callable[[TagValues], TagValues], by: Actor) -> bool:
    def plan(document: Document, _at: dt.datetime) -> Revision | None:
        return revise_tags(site, document, {key: change}, by)

    return revise_document(site, document_id, plan, by=by)


def _format_tag_values(values: TagValues) -> str | None:
    return ", ".join(value or "(no value)" for value in values) if values else None


@dataclass(frozen=True)
class _Tag:
    """A tag as it is to be; ``came`` are its rows before, by value."""

    site: str
    document: Document
    key: str
    values: TagValues
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


PREFIX = "md#"  # seed 002: what marks an entry
LONGEST_ENTRY_KEY, LONGEST_ENTRY = 100, 1000  # letters
MAX_ENTRIES = 40
_TOO_LONG = f"Names can have up to {LONGEST_ENTRY_KEY} characters, values up to {LONGEST_ENTRY:,}."


def metadata_of(document: Document) -> dict[str, str]:
    """The entries by their names, in order."""
    stored: Mapping[str, Any] = document.metadata.as_dict() if document.metadata is not None else {}
    return {key.removeprefix(PREFIX): str(value) for key, value in sorted(stored.items())}


def set_metadata(
    site: str, document_id: str, key: str, value: str | None, *, by: Actor, expected: str | None = None
) -> bool:
    """Write one entry, or take it away with None; False if it is so already.

    ``expected`` is the value that the person saw, an empty text for none; without it the last writer wins.

    Raises:
        NotFound: no such document, or it was deleted.
        Refused: it has no name, is too long, or there are too many.
        Conflict: the entry is no longer the ``expected`` one.

    """
    key = _tidy_name(key)

    def plan(document: Document, at: dt.datetime) -> Revision | None:
        old = metadata_of(document).get(key)
        if old != value and expected is not None and expected != (old or ""):
            current = f"Current value: {old}" if old else "It was removed."
            raise Conflict(f"“{key}” was changed by another user. {current}")
        return revise_metadata(site, document, {key: value}, at)

    return revise_document(site, document_id, plan, by=by)


def revise_metadata(
    site: str, document: Document, changes: Mapping[str, str | None], at: dt.datetime
) -> Revision | None:
    """What the changes of these entries write; None if all is so already. Raises: Refused, as ``set_metadata``."""
    before = metadata_of(document)
    wanted = {_tidy_name(key): value for key, value in changes.items()}
    if any(len(value or "") > LONGEST_ENTRY for value in wanted.values()):
        raise Refused(_TOO_LONG)
    changed = {key: value for key, value in wanted.items() if before.get(key) != value}
    if not changed:
        return None
    after = {name: text for name, text in (before | changed).items() if text is not None}
    if len(after) > MAX_ENTRIES:
        raise Refused(f"A document can have up to {MAX_ENTRIES} metadata entries. Remove one first.")
    was = _version(site, document, at) if before else None
    stored = {f"{PREFIX}{name}": text for name, text in after.items()}
    return Revision(
        [ActivityChange(f"metadata {key}", before.get(key), value) for key, value in changed.items()],
        [Put(was)] if was else [],
        [Document.metadata.set(stored)],
        was.key if was else None,
    )


def _tidy_name(key: str) -> str:
    tidy = unicodedata.normalize("NFC", " ".join(key.split()))
    if not tidy or len(tidy) > LONGEST_ENTRY_KEY:
        raise Refused(_TOO_LONG)
    return tidy


def _version(site: str, document: Document, at: dt.datetime) -> DocumentMetadataVersion:
    key = table.DOCUMENT_METADATA_VERSION.key(site, document_id=document.document_id, datetime_s=table.datetime_s(at))
    return DocumentMetadataVersion(
        key.pk,
        key.sk,
        documentId=document.document_id,
        path=document.path,
        inserteddate=document.inserteddate,
        lastModifiedDate=document.lastModifiedDate,
        deepLinkPath=document.deepLinkPath,
        metadata=document.metadata.as_dict(),
    )

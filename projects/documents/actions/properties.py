"""Writes of document properties: typed attributes, free tags, and metadata (not searchable)."""

import datetime as dt
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from config import clock, table
from config.errors import Conflict, NotFound, Refused
from config.phrase import Figure, Sentence
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
from projects.entities.references import check_there, name_references, resolve_texts
from projects.schemas import composite_keys
from projects.schemas.actions import create_definition, mark_used
from projects.schemas.attribute_values import Value, format_value, in_key, parse_values, value_columns
from projects.schemas.governing import ENTITY, KINDS, PUBLICATION, AttributeDefinition, Schema
from projects.schemas.queries import attribute_definition, schemas_of

MAX_VALUES = 60  # of one document, all its attributes together
WATERMARK = KINDS["watermark"].data_type
Rows = Sequence[DocumentAttribute]
Values = Sequence[Value]


def set_attribute(
    site: str, document_id: str, key: str, values: Sequence[str], *, by: Actor, expected: Sequence[str] | None = None
) -> bool:
    """Set the attribute to exactly these values, as typed; False if unchanged.

    ``expected``: the values that the person saw, formatted as in ``shown``; without it the last writer wins.

    Raises:
        NotFound: no such document, or no such attribute on this site.
        Refused: a value has the wrong type or is not allowed, or there are too many.
        Conflict: the values are not the ``expected`` ones.

    """
    definition = attribute_definition(site, key)
    wanted = parse_values(definition, resolve_texts(site, definition, values))

    def replace_values(before: Values) -> Values:
        _check_expected(definition, before, expected)
        return wanted

    return _change(site, document_id, definition, replace_values, by)


def remove_attribute(
    site: str, document_id: str, key: str, *, by: Actor, expected: Sequence[str] | None = None
) -> bool:
    """Remove the attribute with all values; False if absent. Raises: as ``set_attribute``."""
    definition = attribute_definition(site, key)

    def none(before: Values) -> Values:
        if before:
            _check_expected(definition, before, expected)
        return []

    return _change(site, document_id, definition, none, by)


def _check_expected(definition: AttributeDefinition, before: Values, expected: Sequence[str] | None) -> None:
    if expected is not None and list(expected) != [format_value(value) for value in before]:
        now = ", ".join(format_value(value) for value in before)
        current = gettext("Current value: %(value)s.") % {"value": now} if now else gettext("It was removed.")
        raise Conflict(
            gettext("%(label)s was changed by another user. %(current)s Your change was not saved.")
            % {"label": definition.label, "current": current}
        )


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
    """Plan changes of attributes; None if nothing changes. Raises: as ``set_attribute``."""
    if any(definition.kind == PUBLICATION for definition, _ in changes):
        raise Refused(
            gettext("This attribute is set while a document is public. Publish or withdraw the document instead.")
        )
    rows = list_attributes(site, document.document_id)
    wanted: list[tuple[AttributeDefinition, Values]] = []
    for definition, change in changes:
        before = [row.value for row in in_order(_rows_of_key(rows, definition.key))]
        after = change(before)
        if list(after) != before:
            wanted.append((definition, after))
    return _Attributes(site, document, rows, by).revision(wanted, at) if wanted else None


def mark_public(site: str, document: Document, *, by: Actor) -> list[Change]:
    """Plan the publication attribute, for the transaction that publishes the document; idempotent.

    Nothing if the site uses the key for another attribute.
    """
    definition = _ensure_publication_attribute(site, by)
    if definition.kind != PUBLICATION:
        return []
    row = _Attributes(site, document, (), by).row_without_value(definition)
    return [Put(row, overwrite=True), *mark_used(site, [definition])]


def unmark_public(site: str, document_id: str) -> list[Change]:
    """Plan its removal, for the transaction that withdraws the publication."""
    try:
        definition = attribute_definition(site, PUBLICATION)
    except NotFound:
        return []
    parts = {"document_id": document_id, "key": PUBLICATION, "value": in_key("")}
    return [Delete(table.DOCUMENT_ATTRIBUTE.key(site, **parts))] if definition.kind == PUBLICATION else []


def _ensure_publication_attribute(site: str, by: Actor) -> AttributeDefinition:
    """Create the attribute with a site's first publication."""
    try:
        return attribute_definition(site, PUBLICATION)
    except NotFound:
        with suppress(Conflict):  # someone else publishes at the same time
            create_definition(site, AttributeDefinition(PUBLICATION, "Public", PUBLICATION), by=by)
    return attribute_definition(site, PUBLICATION)


def _rows_of_key(rows: Rows, key: str) -> Rows:
    return [row for row in rows if row.key_ == key and _is_plain(row)]


def _is_plain(row: DocumentAttribute) -> bool:
    return row.valueType != composite_keys.VALUE_TYPE


@dataclass(frozen=True)
class _Attributes:
    """A document's current attribute rows, guarded by its revision."""

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
            raise Refused(
                gettext("A document can have up to %(max_values)s attribute values. Remove one first.")
                % {"max_values": MAX_VALUES}
            )
        ours, own = schemas_of(self.site, self.document.classification_id or "")
        keys = ours.composite_keys + (own.composite_keys if own else ())
        old = [row for row in self.rows if not _is_plain(row)]
        new = self._composite_rows(keys, values)
        told: list[ActivityChange] = []
        archived: list[DocumentAttributeVersion] = []
        used: list[AttributeDefinition] = []
        checks: dict[Value, Change] = {}
        for definition, after in wanted:
            _check_allowed(definition, after, [schema for schema in (ours, own) if schema])
            mine = in_order(_rows_of_key(self.rows, definition.key))
            old += mine
            new += self._plain_rows(definition, after, mine)
            archived += [self._archive_row(row, at) for row in mine if row.value not in after]
            used += [definition] if after else []
            told.append(self._tell(definition, [row.value for row in mine], after))
            if definition.kind == ENTITY:
                came = {row.value for row in mine}
                checks |= {one: check_there(self.site, str(one)) for one in after if one not in came}
        changes = [
            *self._write_changes(new, old),
            *checks.values(),
            *(Put(row) for row in archived),
            *mark_used(self.site, used),
        ]
        return Revision(told, changes, version=archived[0].key if archived else None)

    def _tell(self, definition: AttributeDefinition, before: Values, after: Values) -> ActivityChange:
        """With the names of entities, since ids tell nothing."""
        named = name_references(self.site, map(str, [*before, *after])) if definition.kind == ENTITY else {}

        def write(values: Values) -> str | None:
            return ", ".join(named[str(one)].name if one in named else _format_value(one) for one in values) or None

        return ActivityChange(Sentence("attribute %(name)s").fill(name=definition.label), write(before), write(after))

    def _plain_rows(self, definition: AttributeDefinition, after: Values, mine: Rows) -> list[DocumentAttribute]:
        came = {row.value: row for row in mine}
        return [
            self._row(definition.key, in_key(value), definition.data_type, index, value_columns(value), came.get(value))
            for index, value in enumerate(after)
        ]

    def row_without_value(self, definition: AttributeDefinition) -> DocumentAttribute:
        return self._row(definition.key, in_key(""), definition.data_type, 0, value_columns(""), None)

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
        """Write only rows that differ, so other rows of composite keys stay untouched."""
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


def _format_value(value: Value) -> str:
    return format_value(value) or "(no value)"


def _check_allowed(definition: AttributeDefinition, values: Values, schemas: Sequence[Schema]) -> None:
    """Raises: Refused if a schema restricts the values and one is not allowed."""
    for schema in schemas:
        allowed = next((use.allowed for use in schema.uses if use.key == definition.key), ())
        wrong = [format_value(value) for value in values if allowed and value not in parse_values(definition, allowed)]
        if wrong:
            raise Refused(
                gettext("“%(wrong)s” is not allowed for %(label)s. %(name)s allows: %(allowed)s.")
                % {
                    "wrong": wrong[0],
                    "label": definition.label,
                    "name": schema.name,
                    "allowed": ", ".join(allowed[:12]),
                }
            )


LONGEST_KEY, LONGEST_VALUE = 100, 250  # characters
MAX_ROWS = 60  # of one document, all its tags together
_TYPE = "USERDEFINED"
TagValues = Sequence[str]


def add_tag(site: str, document_id: str, key: str, value: str, *, by: Actor) -> bool:
    """Add a tag, or another value of it; False if present.

    Concurrent additions are both kept. A tag without a value has an empty text.

    Raises:
        NotFound: no such document, or it was deleted.
        Refused: the name is missing, a text is too long, or there are too many tags.

    """
    value = _tidy(value, LONGEST_VALUE)

    def add_value(values: TagValues) -> TagValues:
        return values if value in values else [*values, value]

    return _change_tag(site, document_id, key, add_value, by)


def change_tag(site: str, document_id: str, key: str, before: str, after: str, *, by: Actor) -> bool:
    """Replace the value ``before`` by ``after``.

    Raises:
        Conflict: the tag no longer has that value.
        NotFound, Refused: as ``add_tag``.

    """
    after = _tidy(after, LONGEST_VALUE)

    def replace_value(values: TagValues) -> TagValues:
        if before not in values:
            raise Conflict(
                gettext("The tag “%(key)s” was changed by another user. %(values)s")
                % {"key": key, "values": _now(values)}
            )
        return list(dict.fromkeys(after if value == before else value for value in values))

    return _change_tag(site, document_id, key, replace_value, by)


def remove_tag(site: str, document_id: str, key: str, value: str | None = None, *, by: Actor) -> bool:
    """Remove one value of a tag, or the whole tag; False if absent."""

    def remove_value(values: TagValues) -> TagValues:
        return [] if value is None else [one for one in values if one != value]

    return _change_tag(site, document_id, key, remove_value, by)


def _now(values: TagValues) -> str:
    return (
        gettext("Current value: %(value)s.") % {"value": ", ".join(value or gettext("none") for value in values)}
        if values
        else gettext("It was removed.")
    )


def _tidy(text: str, longest: int) -> str:
    tidy = unicodedata.normalize("NFC", " ".join(text.split()))
    if len(tidy) > longest:
        raise Refused(gettext("Use at most %(longest)s characters.") % {"longest": longest})
    return tidy


def revise_tags(
    site: str, document: Document, changes: Mapping[str, Callable[[TagValues], TagValues]], by: Actor
) -> Revision | None:
    """Plan changes of tags; None if nothing changes.

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
            raise Refused(gettext("Enter a tag name."))
        mine = [row for row in rows if row.tag_key == key]
        before = [row.tagValue or "" for row in mine]
        after = change(before)
        if list(after) == before:
            continue
        count += len(after) - len(mine)
        told.append(
            ActivityChange(
                Sentence("tag %(name)s").fill(name=key), _format_tag_values(before), _format_tag_values(after)
            )
        )
        came = {row.tagValue or "": row for row in mine}
        writes += _Tag(site, document, key, after, came, by).write_changes()
    if told and count > MAX_ROWS:
        raise Refused(
            gettext("A document can have up to %(max_rows)s tags and values. Remove one first.")
            % {"max_rows": MAX_ROWS}
        )
    return Revision(told, writes) if told else None


def tidy_values(values: Sequence[str]) -> list[str]:
    """Normalise tag values, without duplicates. Raises: Refused if one is too long."""
    return list(dict.fromkeys(_tidy(one, LONGEST_VALUE) for one in values))


def _change_tag(site: str, document_id: str, key: str, change: Callable[[TagValues], TagValues], by: Actor) -> bool:
    def plan(document: Document, _at: dt.datetime) -> Revision | None:
        return revise_tags(site, document, {key: change}, by)

    return revise_document(site, document_id, plan, by=by)


def _format_tag_values(values: TagValues) -> str | None:
    return ", ".join(value or "(no value)" for value in values) if values else None


@dataclass(frozen=True)
class _Tag:
    """The new state of a tag; ``came``: its previous rows by value."""

    site: str
    document: Document
    key: str
    values: TagValues
    came: Mapping[str, DocumentTag]
    by: Actor

    def write_changes(self) -> list[Change]:
        """Plan its rows and the deletion of obsolete ones, guarded by the document's revision."""
        rows = [self._row(index, value) for index, value in enumerate(self.values)]
        kept = {row.SK for row in rows}
        gone = [Delete(row.key) for row in self.came.values() if row.SK not in kept]
        return [*(Put(row, overwrite=True) for row in rows), *gone]

    def _row(self, index: int, value: str) -> DocumentTag:
        """Build a row; an existing value keeps its author and time, so its index position does not change."""
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
LONGEST_ENTRY_KEY, LONGEST_ENTRY = 100, 1000  # characters
MAX_ENTRIES = 40
_TOO_LONG = Sentence("Names can have up to %(longest_entry_key)s characters, values up to %(longest_entry)s.").fill(
    longest_entry_key=LONGEST_ENTRY_KEY, longest_entry=Figure(f"{LONGEST_ENTRY:,}")
)


def metadata_of(document: Document) -> dict[str, str]:
    """Return metadata entries by name, sorted."""
    stored: Mapping[str, Any] = document.metadata.as_dict() if document.metadata is not None else {}
    return {key.removeprefix(PREFIX): str(value) for key, value in sorted(stored.items())}


def set_metadata(
    site: str, document_id: str, key: str, value: str | None, *, by: Actor, expected: str | None = None
) -> bool:
    """Set one entry, or remove it with None; False if unchanged.

    ``expected``: the value that the person saw, empty for none; without it the last writer wins.

    Raises:
        NotFound: no such document, or it was deleted.
        Refused: the name is missing, a text is too long, or there are too many.
        Conflict: the entry is not the ``expected`` one.

    """
    key = _tidy_name(key)

    def plan(document: Document, at: dt.datetime) -> Revision | None:
        old = metadata_of(document).get(key)
        if old != value and expected is not None and expected != (old or ""):
            current = gettext("Current value: %(value)s.") % {"value": old} if old else gettext("It was removed.")
            raise Conflict(
                gettext("“%(key)s” was changed by another user. %(current)s") % {"key": key, "current": current}
            )
        return revise_metadata(site, document, {key: value}, at)

    return revise_document(site, document_id, plan, by=by)


def revise_metadata(
    site: str, document: Document, changes: Mapping[str, str | None], at: dt.datetime
) -> Revision | None:
    """Plan changes of entries; None if nothing changes. Raises: Refused, as ``set_metadata``."""
    before = metadata_of(document)
    wanted = {_tidy_name(key): value for key, value in changes.items()}
    if any(len(value or "") > LONGEST_ENTRY for value in wanted.values()):
        raise Refused(_TOO_LONG.translated())
    changed = {key: value for key, value in wanted.items() if before.get(key) != value}
    if not changed:
        return None
    after = {name: text for name, text in (before | changed).items() if text is not None}
    if len(after) > MAX_ENTRIES:
        raise Refused(
            gettext("A document can have up to %(max_entries)s metadata entries. Remove one first.")
            % {"max_entries": MAX_ENTRIES}
        )
    was = _version(site, document, at) if before else None
    stored = {f"{PREFIX}{name}": text for name, text in after.items()}
    return Revision(
        [
            ActivityChange(Sentence("metadata %(name)s").fill(name=key), before.get(key), value)
            for key, value in changed.items()
        ],
        [Put(was)] if was else [],
        [Document.metadata.set(stored)],
        was.key if was else None,
    )


def _tidy_name(key: str) -> str:
    tidy = unicodedata.normalize("NFC", " ".join(key.split()))
    if not tidy or len(tidy) > LONGEST_ENTRY_KEY:
        raise Refused(_TOO_LONG.translated())
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

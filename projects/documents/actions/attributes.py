"""Writes of a document's attributes: typed values of what the site has defined, with what they were before."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from config import clock, table
from config.errors import Conflict, Refused
from config.transaction import Change, Delete, Put
from projects.audit.events import Actor
from projects.documents.activity import ActivityChange
from projects.documents.items import Document, DocumentAttribute, DocumentAttributeVersion, flat_copies
from projects.documents.queries.documents import in_order, list_attributes
from projects.documents.revisions import Revision, revise_document
from projects.schemas import composite_keys
from projects.schemas.actions.attribute_definitions import mark_used
from projects.schemas.attribute_values import Value, format_value, in_key, parse_values, value_columns
from projects.schemas.governing import AttributeDefinition, Schema
from projects.schemas.queries import attribute_definition, schemas_of

MAX_VALUES = 60  # of one document, all its attributes together
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
        rows = list_attributes(site, document_id)
        before = [row.value for row in in_order(_rows_of_key(rows, definition.key))]
        after = change(before)
        if list(after) == before:
            return None
        return _Attributes(site, document, rows, by).revision(definition, after, at)

    return revise_document(site, document_id, plan, by=by)


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

    def revision(self, definition: AttributeDefinition, after: Values, at: dt.datetime) -> Revision:
        key = definition.key
        plain = [row for row in self.rows if _is_plain(row)]
        mine = in_order(_rows_of_key(self.rows, key))
        if len(plain) - len(mine) + len(after) > MAX_VALUES:
            raise Refused(f"A document can have up to {MAX_VALUES} attribute values. Remove one first.")
        ours, own = schemas_of(self.site, self.document.classification_id or "")
        _check_allowed(definition, after, [schema for schema in (ours, own) if schema])
        values: dict[str, list[Value]] = {}
        for row in plain:
            values.setdefault(str(row.key_), []).append(row.value)
        values[key] = list(after)
        keys = ours.composite_keys + (own.composite_keys if own else ())
        wanted = self._plain_rows(definition, after, mine) + self._composite_rows(keys, values)
        gone = [row for row in mine if row.value not in after]
        archived = [self._archive_row(row, at) for row in gone]
        changes = [
            *self._write_changes(wanted, [*mine, *(row for row in self.rows if not _is_plain(row))]),
            *(Put(row) for row in archived),
            *([] if definition.in_use or not after else mark_used(self.site, [definition])),
        ]
        told = ActivityChange(
            f"attribute {definition.label}",
            _format_values(mine),
            ", ".join(map(_format_value, after)) if after else None,
        )
        return Revision([told], changes, version=archived[0].key if archived else None)

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
        return DocumentAttribute(
            place.pk,
            place.sk,
            **table.DOCUMENT_ATTRIBUTE.gsi1(self.site, **parts),
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

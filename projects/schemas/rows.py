"""Dependent rows of a schema, one per access pattern, and their changes."""

import uuid
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from config import table
from config.errors import Refused
from config.item import Item
from config.table import Key
from config.transaction import Change, Delete, Put
from projects.schemas.governing import Schema
from projects.schemas.items import SchemaAllowedValue, SchemaAttributeKey, SchemaCompositeKey

# DynamoDB takes 100 changes in one transaction; head, event and definitions are among them.
MAX_CHANGES = 100
# namespace of composite keys' ids, so that equal keys share a row
_COMPOSITE = uuid.UUID("0f3c1c52-5d0b-4c1e-9b6f-6f5a0a0a8f11")


def schema_row_changes(site: str, owner: str, before: Schema, after: Schema) -> list[Change]:
    """Return the rows to put and delete on a change to ``after``; ``owner`` empty for the site.

    Raises:
        InvalidKey: a value is too long for a key.

    """
    old, new = _rows(site, owner, before), _rows(site, owner, after)
    gone: list[Change] = [Delete(key) for key in old if key not in new]
    fresh: list[Change] = [
        Put(row, overwrite=True)  # guarded by the head's version; older rows are replaced
        for key, row in new.items()
        if key not in old or old[key].attribute_values != row.attribute_values
    ]
    return gone + fresh


def check_size(changes: list[Change], *, others: int) -> None:
    """Raises: Refused if they and ``others`` exceed a transaction."""
    if len(changes) + others > MAX_CHANGES:
        raise Refused(
            gettext("Too many changes: %(count)s of at most %(value)s. Nothing was saved; save in smaller parts.")
            % {"count": len(changes), "value": MAX_CHANGES - others}
        )


def _rows(site: str, owner: str, schema: Schema) -> Mapping[Key, Item]:
    flat: dict[str, Any] = {"name": schema.name, "document_id": owner or None}
    rows: list[Item] = []
    for use in schema.uses:
        entity = table.CLASSIFICATION_ATTRIBUTE_KEY if owner else table.SITE_ATTRIBUTE_KEY
        rows.append(SchemaAttributeKey(**_keys(entity, site, owner, key=use.key), **flat))
        entity = table.CLASSIFICATION_ALLOWED_VALUE if owner else table.SITE_ALLOWED_VALUE
        rows += [
            SchemaAllowedValue(**_keys(entity, site, owner, key=use.key, value=value), document_id=owner or None)
            for value in use.allowed
        ]
    entity = table.CLASSIFICATION_COMPOSITE_KEY if owner else table.SITE_COMPOSITE_KEY
    for keys in schema.composite_keys:
        joined = table.join_parts(keys)
        name = str(uuid.uuid5(_COMPOSITE, f"{owner}#{joined}"))
        parts = _keys(entity, site, owner, uuid=name, keys=joined)
        rows.append(SchemaCompositeKey(**parts, keys=list(keys), documentId=owner or None, **flat))
    return {row.key: row for row in rows}


def _keys(entity: table.Entity, site: str, owner: str, **parts: str) -> dict[str, Any]:
    named = {"document_id": owner, **parts} if owner else parts
    key = entity.key(site, **named)
    return {"PK": key.pk, "SK": key.sk, **entity.gsi1(site, **named)}

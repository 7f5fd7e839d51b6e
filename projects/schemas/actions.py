"""Writes of what governs attributes: definitions and schemas, one conditional transaction each, with its event."""

import re
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from config import clock, table
from config.errors import Conflict, NotAllowed, NotFound, Refused
from config.transaction import EXISTS, Change, Delete, Put, RecordAt, Update, transact
from projects.audit.events import Actor, entity_event
from projects.schemas import checks, rows
from projects.schemas import queries as schema_queries
from projects.schemas.governing import KINDS, AttributeDefinition, Schema
from projects.schemas.items import ACTIVE, ARCHIVED, IN_USE, UNUSED, Attribute, SchemaHead
from projects.schemas.queries import ENTITY, SITE, schema_key
from projects.settings.values import date_range as date_range_of
from projects.sites import directory

ENTITY_TYPE = "attribute"


def create_definition(site: str, definition: AttributeDefinition, *, by: Actor) -> None:
    """Make an attribute known.

    Raises:
        Conflict: there is one of this key already; it stays as it is.
        InvalidKey: the key is too long or no text.

    """
    now = clock.iso(clock.now())
    key = definition.key
    kind = KINDS[definition.kind]
    plausible = date_range_of(key, definition.kind, definition.date_range)
    index: dict[str, Any] = table.ATTRIBUTE.gsi1(site, key=key)
    index |= table.ATTRIBUTE.gsi2(site, data_type=kind.data_type)
    item = Attribute(
        *table.ATTRIBUTE.key(site, key=key),
        **index,
        documentId=key,
        dataType=kind.data_type,
        key_=key,
        isInUse=False,
        name=definition.label,
        file_type=definition.kind,
        status=UNUSED,
        date_range=plausible or None,
        columns=definition.columns or None,
        personal=definition.personal or None,
        watermarkText=definition.watermark or None,
        version=1,
        created_at=now,
        updated_at=now,
        updated_by=by.name,
    )
    payload: dict[str, Any] = {"key": key, "label": definition.label, "kind": definition.kind} | _filled(
        date_range=plausible, columns=definition.columns, watermark=definition.watermark
    )
    payload |= {"personal": True} if definition.personal else {}
    try:
        transact([Put(item)], _definition_event(site, key, "created", by, payload))
    except Conflict as error:
        raise Conflict(f"Attribute {key} already exists.") from error
    finally:
        directory.forget_personal()


def change_definition(
    site: str, key: str, label: str, *, date_range: str = "", columns: str = "", watermark: str = "",
    personal: bool | None = None, version: int, by: Actor,
) -> None:  # fmt: skip
    """Show an attribute under another name, or take other dates for plausible, or other columns, from the next run on.

    Its key and type are for good. ``date_range``: a key of ``DATE_RANGES``; this, ``columns`` and
    ``watermark`` empty, and ``personal`` None: as they were.

    Raises:
        Conflict: someone changed it since ``version``.
        NotFound: no such attribute.

    """
    schema_queries.attribute_definition(site, key)
    at_version = Attribute.version == version if version else EXISTS & Attribute.version.does_not_exist()
    actions = [
        Attribute.name.set(label),
        Attribute.version.set(version + 1),
        Attribute.updated_at.set(clock.iso(clock.now())),
        Attribute.updated_by.set(by.name),
    ]
    if date_range:
        actions.append(Attribute.date_range.set(date_range))
    if columns:
        actions.append(Attribute.columns.set(columns))
    if watermark:
        actions.append(Attribute.watermarkText.set(watermark))
    if personal is not None:
        actions.append(Attribute.personal.set(personal))
    update = Update(table.ATTRIBUTE.key(site, key=key), actions, at_version)
    payload = {"label": label, "version": version + 1}
    payload |= _filled(date_range=date_range, columns=columns, watermark=watermark)
    payload |= {} if personal is None else {"personal": personal}
    try:
        transact([update], _definition_event(site, key, "updated", by, payload))
    except Conflict as error:
        now = schema_queries.attribute_definition(site, key)
        raise Conflict(f"Another user changed this attribute. It is now “{now.label}”.") from error
    finally:
        directory.forget_personal()


def delete_definition(site: str, key: str, *, by: Actor) -> None:
    """Forget an attribute that nothing has ever used.

    Raises:
        NotAllowed: something uses it, or did.
        NotFound: no such attribute.

    """
    schema_queries.attribute_definition(site, key)
    unused = EXISTS & (Attribute.isInUse.does_not_exist() | (Attribute.isInUse == False))  # noqa: E712
    try:
        transact(
            [Delete(table.ATTRIBUTE.key(site, key=key), unused)],
            _definition_event(site, key, "deleted", by, {"key": key}),
        )
    except Conflict as error:
        try:
            schema_queries.attribute_definition(site, key)
        except NotFound:  # someone else deleted it: that is what was asked for
            return
        raise NotAllowed(f"{key} was not deleted because schemas or documents use it.") from error


def mark_used(site: str, definitions: Iterable[AttributeDefinition]) -> list[Change]:
    """For the transaction that begins to use them; nothing for those in use, since none of them can be deleted."""
    return [
        Update(
            table.ATTRIBUTE.key(site, key=one.key), [Attribute.isInUse.set(True), Attribute.status.set(IN_USE)], EXISTS
        )
        for one in definitions
        if not one.in_use
    ]


def _filled(**entries: str) -> dict[str, str]:
    return {name: text for name, text in entries.items() if text}


def _definition_event(site: str, key: str, type_: str, by: Actor, payload: dict[str, Any]) -> Any:
    return entity_event(site, ENTITY_TYPE, table.encode_part(key), type_, by=by, payload=payload)


_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True)
class _Prepared:
    """A schema as it is stored, with the changes beside its head."""

    schema: Schema
    changes: list[Change]


def new_classification_id() -> str:
    """Made before the form is shown: the same form sent twice makes one classification."""
    return str(uuid.uuid4())


def classification_id_from(form: str) -> str:
    """The id that the form was given, or a new one where it was tampered with or lost."""
    return form if _UUID.fullmatch(form) else new_classification_id()


def save_site_schema(site: str, schema: Schema, *, version: int, by: Actor) -> SchemaHead:
    """Replace the site's schema that ``version`` showed; saving what is there already writes nothing.

    Raises:
        Conflict: someone saved since; the message names who and when.
        Refused: the schema says what it may not, or too much at once.

    """
    return _save_schema(site, SITE, schema_queries.site_schema(site), schema, version=version, by=by)


def save_classification(site: str, classification_id: str, schema: Schema, *, version: int, by: Actor) -> SchemaHead:
    """Replace the classification that ``version`` showed; saving what is there already writes nothing.

    Raises:
        Conflict: someone saved since; the message names who and when.
        NotFound: no such classification.
        Refused: the schema says what it may not, or too much at once.

    """
    before = schema_queries.get_classification(site, classification_id)
    return _save_schema(site, classification_id, before, schema, version=version, by=by)


def create_classification(site: str, schema: Schema, *, by: Actor, classification_id: str) -> SchemaHead:
    """Make the classification, or answer the one that the same form made before.

    Raises:
        Conflict: the id is someone else's classification.
        Refused: the schema says what it may not, or too much at once.

    """
    ready = _prepare_schema(site, classification_id, Schema(""), schema)
    now = clock.iso(clock.now())
    head = SchemaHead(
        *schema_key(site, classification_id),
        **table.CLASSIFICATION.gsi1(site, entity=ENTITY, name=ready.schema.name),
        name=ready.schema.name,
        documentId=classification_id,
        schema_=ready.schema.to_json(),
        status=ACTIVE,
        document_id=classification_id,
        version=1,
        created_at=now,
        created_by=by.id,
        updated_at=now,
        updated_by=by.name,
    )
    event = _schema_event(site, classification_id, "created", by, {"name": ready.schema.name, "version": 1})
    try:
        transact([Put(head, name="head"), *ready.changes], event)
    except Conflict as error:
        return _find_repeated_creation(site, classification_id, by, error)
    return head


def _find_repeated_creation(site: str, classification_id: str, by: Actor, error: Conflict) -> SchemaHead:
    if "head" not in error.failed:
        raise _attribute_gone() from error
    made = schema_queries.get_classification(site, classification_id)
    if made.created_by != by.id:
        raise error
    return made


def archive_classification(site: str, classification_id: str, *, archived: bool, version: int, by: Actor) -> SchemaHead:
    """Offer it to projects no longer, or again; projects that name it go on with it.

    Raises:
        Conflict: someone saved since ``version``; the message names who and when.
        NotFound: no such classification.

    """
    before = schema_queries.get_classification(site, classification_id)
    if before.archived == archived and before.number == version:
        return before
    actions = [SchemaHead.status.set(ARCHIVED if archived else ACTIVE), *_stamp_version(version, by)]
    event = _schema_event(site, classification_id, "archived" if archived else "restored", by, {"version": version + 1})
    _write(
        site,
        classification_id,
        [Update(before.key, actions, _at_version(version, classification_id), name="head")],
        event,
    )
    return schema_queries.get_classification(site, classification_id)


def _save_schema(site: str, owner: str, before: SchemaHead, schema: Schema, *, version: int, by: Actor) -> SchemaHead:
    ready = _prepare_schema(site, owner, before.schema, schema)
    if before.number == version and before.schema == ready.schema:
        return before
    actions = [
        SchemaHead.name.set(ready.schema.name),
        SchemaHead.schema_.set(ready.schema.to_json()),
        *_stamp_version(version, by),
    ]
    if owner:
        index = table.CLASSIFICATION.gsi1(site, entity=ENTITY, name=ready.schema.name)
        actions += [SchemaHead.GSI1PK.set(index["GSI1PK"]), SchemaHead.GSI1SK.set(index["GSI1SK"])]
    head = Update(before.key, actions, _at_version(version, owner), name="head")
    event = _schema_event(
        site, owner, "updated", by, _describe_schema_changes(before.schema, ready.schema) | {"version": version + 1}
    )
    _write(site, owner, [head, *ready.changes], event)
    return _head(site, owner)


def _prepare_schema(site: str, owner: str, before: Schema, schema: Schema) -> _Prepared:
    """Raises: InvalidKey, Refused."""
    definitions = schema_queries.definitions_of(site, schema.keys)
    schema = checks.normalise_schema(schema, definitions)
    checks.check_schema(schema, definitions)
    changes = rows.schema_row_changes(site, owner, before, schema)
    changes += mark_used(site, (definitions[key] for key in schema.keys))
    rows.check_size(changes, others=2)
    return _Prepared(schema, changes)


def _stamp_version(version: int, by: Actor) -> list[Any]:
    return [
        SchemaHead.version.set(version + 1),
        SchemaHead.updated_at.set(clock.iso(clock.now())),
        SchemaHead.updated_by.set(by.name),
    ]


def _at_version(version: int, owner: str) -> Any:
    # A schema of an older writer has no version, and a site that never had a schema has no head at all.
    if version:
        return SchemaHead.version == version
    none: Any = SchemaHead.version.does_not_exist()
    return EXISTS & none if owner else none


def _write(site: str, owner: str, changes: list[Change], event: RecordAt) -> None:
    """Raises: Conflict, Refused."""
    try:
        transact(changes, event)
    except Conflict as error:
        if "head" not in error.failed:
            raise _attribute_gone() from error
        raise Conflict(_who_was_first(_head(site, owner))) from error


def _head(site: str, owner: str) -> SchemaHead:
    return schema_queries.get_classification(site, owner) if owner else schema_queries.site_schema(site)


def _attribute_gone() -> Refused:
    return Refused("One of these attributes was just deleted. Nothing was saved; save again to see which.")


def _who_was_first(head: SchemaHead) -> str:
    if not head.updated_at:
        return "Another user saved this schema first."
    at = clock.parse(head.updated_at)
    return f"{head.updated_by or 'Another user'} saved this on {at:%d %b %Y at %H:%M:%S} UTC."


def _describe_schema_changes(before: Schema, after: Schema) -> dict[str, Any]:
    """What changed, for the audit: names of attributes, no values."""
    old, new = {one.key: one for one in before.uses}, {one.key: one for one in after.uses}
    return {
        "name": after.name,
        "added": [key for key in new if key not in old],
        "removed": [key for key in old if key not in new],
        "changed": [key for key in new if key in old and old[key] != new[key]],
    }


def _schema_event(site: str, owner: str, type_: str, by: Actor, payload: dict[str, Any]) -> RecordAt:
    kind, name = ("classification", owner) if owner else ("siteSchema", ENTITY)
    return entity_event(site, kind, name, type_, by=by, payload=payload)

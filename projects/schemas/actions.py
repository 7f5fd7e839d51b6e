"""Writes of attribute definitions and schemas: one conditional transaction each, with its event."""

import re
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from config import clock, table
from config.errors import Conflict, NotAllowed, NotFound, Refused
from config.phrase import Phrase, write_day
from config.transaction import EXISTS, Change, Delete, Put, RecordAt, Update, transact
from projects.audit.events import Actor, entity_event
from projects.entities.queries import get_type
from projects.entities.references import count_use
from projects.schemas import checks, rows
from projects.schemas import queries as schema_queries
from projects.schemas.governing import KINDS, AttributeDefinition, Schema
from projects.schemas.items import ACTIVE, ARCHIVED, IN_USE, UNUSED, Attribute, SchemaHead
from projects.schemas.labels.actions import forget_values, removal_changes
from projects.schemas.labels.keys import ItemType, LabelKey
from projects.schemas.queries import ENTITY, SITE, schema_key
from projects.settings.values import date_range as date_range_of
from projects.sites import directory

ENTITY_TYPE = "attribute"


def create_definition(site: str, definition: AttributeDefinition, *, by: Actor) -> None:
    """Create an attribute definition.

    Raises:
        Conflict: the key exists; nothing was changed.
        InvalidKey: the key is too long or no text.
        Refused: the type that it refers to is gone.

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
        entityTypeId=definition.entity_type or None,
        version=1,
        created_at=now,
        updated_at=now,
        updated_by=by.name,
    )
    payload: dict[str, Any] = {"key": key, "label": definition.label, "kind": definition.kind} | _without_empty(
        date_range=plausible, columns=definition.columns, watermark=definition.watermark,
        entity_type=definition.entity_type,
    )  # fmt: skip
    payload |= {"personal": True} if definition.personal else {}
    counted = [count_use(site, definition.entity_type, 1)] if definition.entity_type else []
    try:
        transact([Put(item), *counted], _definition_event(site, key, "created", by, payload))
    except Conflict as error:
        if "type" in error.failed:
            raise Refused(gettext("This list was just deleted. Select another one.")) from error
        raise Conflict(gettext("Attribute %(key)s already exists.") % {"key": key}) from error
    finally:
        directory.forget_personal()


def change_definition(
    site: str, key: str, label: str, *, date_range: str = "", columns: str = "", watermark: str = "",
    personal: bool | None = None, version: int, by: Actor,
) -> None:  # fmt: skip
    """Change an attribute's label, plausible dates or columns, for new runs.

    Key and type cannot change. ``date_range``: a key of ``DATE_RANGES``. Empty ``date_range``, ``columns`` and
    ``watermark`` and ``personal`` None stay unchanged.

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
    payload |= _without_empty(date_range=date_range, columns=columns, watermark=watermark)
    payload |= {} if personal is None else {"personal": personal}
    try:
        transact([update], _definition_event(site, key, "updated", by, payload))
    except Conflict as error:
        now = schema_queries.attribute_definition(site, key)
        raise Conflict(
            gettext("Another user changed this attribute. It is now “%(label)s”.") % {"label": now.label}
        ) from error
    finally:
        directory.forget_personal()


def delete_definition(site: str, key: str, *, by: Actor) -> None:
    """Delete an attribute that was never used.

    Raises:
        NotAllowed: it is or was used.
        NotFound: no such attribute.

    """
    definition = schema_queries.attribute_definition(site, key)
    labels = removal_changes(site, [LabelKey(ItemType.INTERFACE, interface_key=key)])
    unused = EXISTS & (Attribute.isInUse.does_not_exist() | (Attribute.isInUse == False))  # noqa: E712
    try:
        transact(
            [Delete(table.ATTRIBUTE.key(site, key=key), unused), *labels, *_free_type(site, definition.entity_type)],
            _definition_event(site, key, "deleted", by, {"key": key}),
        )
    except Conflict as error:
        try:
            schema_queries.attribute_definition(site, key)
        except NotFound:  # deleted by someone else: the same result
            return
        raise NotAllowed(
            gettext("%(key)s was not deleted because schemas or documents use it.") % {"key": key}
        ) from error
    if labels:
        directory.forget()


def _free_type(site: str, type_id: str) -> list[Change]:
    """Tell a type that an attribute does not refer to it any more; nothing if there is no such type."""
    try:
        return [count_use(site, get_type(site, type_id).type_id, -1)] if type_id else []
    except NotFound:
        return []


def mark_used(site: str, definitions: Iterable[AttributeDefinition]) -> list[Change]:
    """Plan marking attributes as used; nothing for those already marked, since they cannot be deleted."""
    return [
        Update(
            table.ATTRIBUTE.key(site, key=one.key), [Attribute.isInUse.set(True), Attribute.status.set(IN_USE)], EXISTS
        )
        for one in definitions
        if not one.in_use
    ]


def _without_empty(**entries: str) -> dict[str, str]:
    return {name: text for name, text in entries.items() if text}


def _definition_event(site: str, key: str, type_: str, by: Actor, payload: dict[str, Any]) -> Any:
    return entity_event(site, ENTITY_TYPE, table.encode_part(key), type_, by=by, payload=payload)


_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True)
class _Prepared:
    """A schema in stored form, with changes to its dependent rows."""

    schema: Schema
    changes: list[Change]


def new_classification_id() -> str:
    """Generate an id before the form is shown, so that a form sent twice creates one document type."""
    return str(uuid.uuid4())


def classification_id_from(form: str) -> str:
    """Return the form's id, or a new one if it was lost or tampered with."""
    return form if _UUID.fullmatch(form) else new_classification_id()


def save_site_schema(site: str, schema: Schema, *, version: int, by: Actor) -> SchemaHead:
    """Replace the site's schema at ``version``; nothing is written if unchanged.

    Raises:
        Conflict: someone saved since; the message names who and when.
        Refused: the schema is invalid or too large.

    """
    return _save_schema(site, SITE, schema_queries.site_schema(site), schema, version=version, by=by)


def save_classification(site: str, classification_id: str, schema: Schema, *, version: int, by: Actor) -> SchemaHead:
    """Replace the document type at ``version``; nothing is written if unchanged.

    Raises:
        Conflict: someone saved since; the message names who and when.
        NotFound: no such classification.
        Refused: the schema is invalid or too large, or its new name is taken.

    """
    before = schema_queries.get_classification(site, classification_id)
    return _save_schema(site, classification_id, before, schema, version=version, by=by)


def create_classification(site: str, schema: Schema, *, by: Actor, classification_id: str) -> SchemaHead:
    """Create the document type, or return the one that the same form created before.

    Raises:
        Conflict: the id is someone else's classification.
        Refused: the schema is invalid or too large, or its name is taken.

    """
    ready = _prepare_schema(site, classification_id, Schema(""), schema)
    _check_name_is_free(site, classification_id, ready.schema.name)
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
    """Archive or restore a document type; projects that use it keep it.

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
    if owner and ready.schema.name != before.schema.name:  # existing duplicates can still be saved
        _check_name_is_free(site, owner, ready.schema.name)
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
    forget_values(site, owner, set(_list_values(before.schema)) - set(_list_values(ready.schema)))
    return _head(site, owner)


def _list_values(schema: Schema) -> Iterator[tuple[str, str]]:
    """Return each attribute with each allowed value, and once without."""
    for use in schema.uses:
        yield from ((use.key, value) for value in ("", *use.allowed))


def _check_name_is_free(site: str, classification_id: str, name: str) -> None:
    """Refuse duplicate names, which could not be told apart in choices. Two created concurrently both stay.

    Raises: Refused.
    """
    for one in schema_queries.all_classifications(site):
        if one.id != classification_id and one.name.casefold() == name.casefold():
            if one.archived:
                raise Refused(f"The name “{name}” belongs to an archived document type. Choose another name.")
            raise Refused(f"The name “{name}” belongs to another document type. Choose another name.")


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
    # Older schemas have no version, and a site that never had a schema has no head at all.
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
    return Refused(gettext("One of these attributes was just deleted. Nothing was saved; save again to see which."))


def _who_was_first(head: SchemaHead) -> str:
    if not head.updated_at:
        return Phrase("Another user saved this schema first.")
    at = clock.parse(head.updated_at)
    said = Phrase("%(name)s saved this on %(day)s at %(time)s UTC.")
    return said.fill(name=head.updated_by or Phrase("Another user"), day=write_day(at), time=f"{at:%H:%M:%S}")


def _describe_schema_changes(before: Schema, after: Schema) -> dict[str, Any]:
    """Describe changes for the audit: attribute names, no values."""
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

"""Writes of attribute definitions: one transaction each, with its audit event."""

from collections.abc import Iterable
from typing import Any

from config import clock, table
from config.errors import Conflict, NotAllowed, NotFound
from config.transaction import EXISTS, Change, Delete, Put, Update, transact
from projects.audit.events import Actor, entity_event
from projects.schemas import queries as schema_queries
from projects.schemas.governing import KINDS, AttributeDefinition
from projects.schemas.items import IN_USE, UNUSED, Attribute
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
        version=1,
        created_at=now,
        updated_at=now,
        updated_by=by.name,
    )
    payload: dict[str, Any] = {"key": key, "label": definition.label, "kind": definition.kind} | _filled(
        date_range=plausible, columns=definition.columns
    )
    payload |= {"personal": True} if definition.personal else {}
    try:
        transact([Put(item)], _event(site, key, "created", by, payload))
    except Conflict as error:
        raise Conflict(f"Attribute {key} already exists.") from error
    finally:
        directory.forget_personal()


def change_definition(
    site: str, key: str, label: str, *, date_range: str = "", columns: str = "", personal: bool | None = None,
    version: int, by: Actor,
) -> None:  # fmt: skip
    """Show an attribute under another name, or take other dates for plausible, or other columns, from the next run on.

    Its key and type are for good. ``date_range``: a key of ``DATE_RANGES``; this and ``columns`` empty, and
    ``personal`` None: as they were.

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
    if personal is not None:
        actions.append(Attribute.personal.set(personal))
    update = Update(table.ATTRIBUTE.key(site, key=key), actions, at_version)
    payload = {"label": label, "version": version + 1} | _filled(date_range=date_range, columns=columns)
    payload |= {} if personal is None else {"personal": personal}
    try:
        transact([update], _event(site, key, "updated", by, payload))
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
        transact([Delete(table.ATTRIBUTE.key(site, key=key), unused)], _event(site, key, "deleted", by, {"key": key}))
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


def _event(site: str, key: str, type_: str, by: Actor, payload: dict[str, Any]) -> Any:
    return entity_event(site, ENTITY_TYPE, table.encode_part(key), type_, by=by, payload=payload)

"""Audit events: who did what to which record; ``transact`` writes them with the change."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AbstractUser

from config import clock
from config.table import AUDIT_LINE, ENTITY_EVENT
from config.transaction import RecordAt
from projects.audit.items import AuditLine, EntityEvent


@dataclass(frozen=True)
class Actor:
    """The acting person as stored in records: plain text, so that history outlives the account."""

    id: str
    name: str


def actor_of(user: AbstractUser) -> Actor:
    return Actor(str(user.pk), user.get_full_name() or user.get_username())


def entity_event(
    site: str, entity_type: str, entity_id: str, event_type: str, *, by: Actor, payload: Mapping[str, Any]
) -> RecordAt:
    """Build an event for the instant that ``transact`` chooses, which also separates events of one microsecond."""

    def at(moment: dt.datetime) -> tuple[EntityEvent, AuditLine]:
        stamp = clock.iso(moment)
        parts = {"entity_type": entity_type, "entity_id": entity_id, "type": event_type, "timestamp": stamp}
        key = ENTITY_EVENT.key(site, **parts)
        index: dict[str, Any] = ENTITY_EVENT.gsi1(site, **parts)
        index |= ENTITY_EVENT.gsi2(site, user_id=by.id, timestamp=stamp)
        event = EntityEvent(
            key.pk,
            key.sk,
            entityType=entity_type,
            entityId=entity_id,
            type=event_type,
            payload=dict(payload),
            metadata={"name": by.name},
            inserteddate=stamp,
            userId=by.id,
            name=by.name,
            status=event_type,
            **index,
        )
        return event, _line(site, event, by)

    return at


API_CALL = "api_call"  # the entity type of calls: their own, so that no list of changes meets them
API_CALLS_KEPT_DAYS = 90


def api_call_event(site: str, subject: str, method: str, *, by: Actor, payload: Mapping[str, Any]) -> RecordAt:
    """Build the event of an API call (seed 002: ``HTTP_POST`` and so on), with a TTL.

    ``subject``: the id of what it is about. It is not in the site's audit, which is permanent and has the change's own
    event; this one tells which request caused it.
    """

    def at(moment: dt.datetime) -> EntityEvent:
        stamp = clock.iso(moment)
        parts = {"entity_type": API_CALL, "entity_id": subject, "type": f"HTTP_{method}", "timestamp": stamp}
        index: dict[str, Any] = ENTITY_EVENT.gsi1(site, **parts)
        index |= ENTITY_EVENT.gsi2(site, user_id=by.id, timestamp=stamp)
        return EntityEvent(
            *ENTITY_EVENT.key(site, **parts),
            **index,
            entityType=API_CALL,
            entityId=subject,
            type=parts["type"],
            payload=dict(payload),
            metadata={"name": by.name},
            inserteddate=stamp,
            userId=by.id,
            name=by.name,
            status=parts["type"],
            TimeToLive=int((moment + dt.timedelta(days=API_CALLS_KEPT_DAYS)).timestamp()),
        )

    return at


def _line(site: str, event: EntityEvent, by: Actor) -> AuditLine:
    stamp = str(event.inserteddate)
    key = AUDIT_LINE.key(site, timestamp=stamp, entity_type=event.entityType, entity_id=event.entityId)
    return AuditLine(
        key.pk,
        key.sk,
        entityType=event.entityType,
        entityId=event.entityId,
        type=event.type,
        payload=event.payload.as_dict(),
        userId=by.id,
        user_name=by.name,
        inserteddate=stamp,
    )

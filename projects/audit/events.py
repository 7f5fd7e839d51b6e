"""Who did what to which record: builds the events that ``transact`` writes with the change."""

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
    """A person as records name them: flat text, so that history outlives the account."""

    id: str
    name: str


def actor_of(user: AbstractUser) -> Actor:
    return Actor(str(user.pk), user.get_full_name() or user.get_username())


def entity_event(
    site: str, entity_type: str, entity_id: str, event_type: str, *, by: Actor, payload: Mapping[str, Any]
) -> RecordAt:
    """An event for the instant that ``transact`` chooses; two in one microsecond are moved apart there."""

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

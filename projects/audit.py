"""Who did what to which record: builds the events that ``transact`` writes with the change."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AbstractUser

from config import clock
from config.table import ENTITY_EVENT
from config.transaction import EventAt
from projects.items.entity_event import EntityEvent


@dataclass(frozen=True)
class Actor:
    """A person as records name them: flat text, so that history outlives the account."""

    id: str
    name: str


def actor(user: AbstractUser) -> Actor:
    return Actor(str(user.pk), user.get_full_name() or user.get_username())


def entity_event(
    site: str, entity_type: str, entity_id: str, event_type: str, *, by: Actor, payload: Mapping[str, Any]
) -> EventAt:
    """An event for the instant that ``transact`` chooses; two in one microsecond are moved apart there."""

    def at(moment: dt.datetime) -> EntityEvent:
        stamp = clock.iso(moment)
        parts = {"entity_type": entity_type, "entity_id": entity_id, "type": event_type, "timestamp": stamp}
        key = ENTITY_EVENT.key(site, **parts)
        index: dict[str, Any] = ENTITY_EVENT.gsi1(site, **parts)
        index |= ENTITY_EVENT.gsi2(site, user_id=by.id, timestamp=stamp)
        return EntityEvent(
            key.pk,
            key.sk,
            entityType=entity_type,
            entityId=entity_id,
            type=event_type,
            payload=dict(payload),
            metadata={"name": by.name},
            inserteddate=stamp,
            userId=by.id,
            **index,
        )

    return at

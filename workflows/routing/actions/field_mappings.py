"""Writes of mappings: one conditional transaction each, with its audit event."""

from dataclasses import dataclass
from typing import Any

from pynamodb.expressions.condition import Condition

from config import clock, table
from config.errors import Conflict, Refused
from config.transaction import EXISTS, Put, Update, transact
from projects.audit.events import Actor, entity_event
from workflows.routing import pinned_rules
from workflows.routing.items import ACTIVE, INACTIVE, StoredMapping


@dataclass(frozen=True)
class MappingDraft:
    """What someone typed about a mapping. ``pairs``: field and attribute. ``project_id`` empty: of every project."""

    name: str
    description: str
    on: bool
    pairs: tuple[tuple[str, str], ...]
    project_id: str = ""

    @property
    def stored(self) -> dict[str, Any]:
        """The attributes of the row; None for what it has not."""
        return {
            "name": self.name,
            "description": self.description or None,
            "status": ACTIVE if self.on else INACTIVE,
            "attributes": [{"field": field, "attributeKey": key} for field, key in self.pairs],
            "project_id": self.project_id or None,
        }

    @property
    def facts(self) -> dict[str, Any]:
        """As the audit tells it: plain values."""
        words = "; ".join(f"{field} → {key}" for field, key in self.pairs)
        return {name: value or "" for name, value in self.stored.items()} | {"attributes": words}


def create_mapping(site: str, draft: MappingDraft, *, by: Actor, mapping_id: str) -> StoredMapping:
    """Make the mapping, or answer the one that the same form made before.

    Raises:
        Refused: the site has as many as can be read at each upload.
        Conflict: the id is someone else's mapping.

    """
    if len(pinned_rules.list_mappings(site)) >= pinned_rules.MOST_MAPPINGS:
        raise Refused(f"A site can have up to {pinned_rules.MOST_MAPPINGS} field mappings. Extend an existing one.")
    values: dict[str, Any] = table.MAPPING.gsi1(site, name=draft.name) | draft.stored
    row = StoredMapping(
        *table.MAPPING.key(site, document_id=mapping_id),
        **values,
        documentId=mapping_id,
        version=1,
        created_by=by.id,
        updated_by=by.name,
        updated_at=clock.iso(clock.now()),
    )
    try:
        transact([Put(row)], entity_event(site, "mapping", mapping_id, "created", by=by, payload=draft.facts))
    except Conflict:
        made = pinned_rules.get_mapping(site, mapping_id)
        if made.created_by != by.id:
            raise
        return made
    return row


def update_mapping(site: str, mapping_id: str, draft: MappingDraft, *, version: int, by: Actor) -> None:
    """Change the mapping that ``version`` showed; what is there already is not written.

    Raises:
        Conflict: someone changed it since; the message names who and when.
        NotFound: no such mapping.

    """
    before = pinned_rules.get_mapping(site, mapping_id)
    stored = draft_of(before)
    changed = {
        name: {"before": stored.facts[name], "after": value}
        for name, value in draft.facts.items()
        if stored.facts[name] != value
    }
    if int(before.version) == version and not changed:
        return
    # An older writer's mapping has no version until it is saved here for the first time.
    same: Condition = StoredMapping.version == version if version else StoredMapping.version.does_not_exist()
    values = draft.stored | {"version": version + 1, "updated_by": by.name, "updated_at": clock.iso(clock.now())}
    values["GSI1SK"] = table.MAPPING.gsi1(site, name=draft.name)["GSI1SK"]
    actions = [
        getattr(StoredMapping, name).remove() if value is None else getattr(StoredMapping, name).set(value)
        for name, value in values.items()
    ]
    event = entity_event(site, "mapping", mapping_id, "updated", by=by, payload=changed)
    try:
        transact([Update(before.key, actions, EXISTS & same)], event)
    except Conflict as error:
        raise Conflict(_who_was_first(pinned_rules.get_mapping(site, mapping_id))) from error


def draft_of(stored: StoredMapping) -> MappingDraft:
    found = stored.mapping
    return MappingDraft(stored.name, stored.description or "", stored.is_on, found.pairs, found.project_id)


def _who_was_first(stored: StoredMapping) -> str:
    at = f" on {clock.parse(stored.updated_at):%d %b %Y at %H:%M:%S} UTC" if stored.updated_at else ""
    return (
        f"{stored.updated_by or 'Another user'} changed this field mapping{at}. Your change was not saved. Check the "
        "current mapping and try again."
    )

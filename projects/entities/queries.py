"""Reads of entities: one Query or GetItem each; lists need one BatchGetItem more."""

from collections.abc import Mapping, Sequence

from config import table
from config.errors import NotFound
from config.item import Page
from config.phrase import Phrase
from config.table import InvalidKey, Key
from projects.audit.items import EntityEvent
from projects.entities.items import EntityNumber, EntityRow, EntityType

TAX_ID, IBAN = "tax_id", "iban"
MISSING = Phrase("Not found. It may have been deleted.")


def number_key(site: str, kind: str, number: str) -> Key:
    return table.ENTITY_NUMBER.key(site, key=kind, value=number)


def entity_key(site: str, type_id: str, entity_id: str) -> Key:
    return table.ENTITY.key(site, entity_type_id=type_id, document_id=entity_id)


def list_types(site: str) -> Sequence[EntityType]:
    """Return the first hundred types by name."""
    return EntityType.page(table.ENTITY_TYPE.gsi1_partition(site), index="GSI1", limit=100).rows


def get_type(site: str, type_id: str) -> EntityType:
    """Raises: NotFound."""
    try:
        return EntityType.load(table.ENTITY_TYPE.key(site, document_id=type_id))
    except (NotFound, InvalidKey) as error:
        raise NotFound(MISSING) from error


def get_entity(site: str, type_id: str, entity_id: str) -> EntityRow:
    """Return an entity, merged ones included. Raises: NotFound."""
    try:
        return EntityRow.load(entity_key(site, type_id, entity_id))
    except (NotFound, InvalidKey) as error:
        raise NotFound(MISSING) from error


def list_entities(site: str, type_id: str, *, start: str = "", cursor: str | None = None) -> Page[EntityRow]:
    """Return a type's entities by name; ``start``: prefix of the name, case-sensitive."""
    pk = table.ENTITY.gsi1_partition(site, entity_type_id=type_id)
    prefix = EntityRow.GSI1SK.startswith(f"{table.ENTITY.gsi1_prefix()}{table.encode_part(start)}") if start else None
    page = EntityRow.page(pk, sk=prefix, index="GSI1", cursor=cursor)
    found = {one.key: one for one in EntityRow.load_many([one.key for one in page.rows])}
    return Page([found[one.key] for one in page.rows if one.key in found], page.next)


def find_by_numbers(site: str, numbers: Sequence[tuple[str, str]]) -> Mapping[tuple[str, str], EntityNumber]:
    """Return entities by kind and number; unknown ones are left out: one BatchGetItem."""
    keys = {number_key(site, *one): one for one in numbers}
    return {keys[one.key]: one for one in EntityNumber.load_many(list(keys))}


def list_history(site: str, entity_id: str) -> Sequence[EntityEvent]:
    """Return the latest changes of an entity, newest first."""
    pk = table.ENTITY_EVENT.partition_key(site, entity_type="entity", entity_id=entity_id)
    return EntityEvent.page(pk, newest_first=True, limit=25).rows

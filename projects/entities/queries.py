"""Reads of entities: one Query or GetItem each; lists need one BatchGetItem more."""

from collections.abc import Mapping, Sequence

from config import table
from config.errors import NotFound
from config.item import Page
from config.phrase import Phrase
from config.table import InvalidKey, Key
from projects.audit.items import EntityEvent
from projects.entities.items import EntityName, EntityNumber, EntityRow, EntityType
from projects.entities.names import LONGEST_KEY, fold_name, to_key

TAX_ID, IBAN = "tax_id", "iban"
MISSING = Phrase("Not found. It may have been deleted.")


def number_key(site: str, kind: str, number: str) -> Key:
    return table.ENTITY_NUMBER.key(site, key=kind, value=number)


def name_key(site: str, type_id: str, entity_id: str, name: str) -> Key:
    """``name``: as ``keys_of`` returns it."""
    return table.ENTITY_NAME.key(site, entity_type_id=type_id, document_id=entity_id, name=name)


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


def has_entries(site: str, type_id: str) -> bool:
    """Return True if an entity of the type is listed, as all are but those that were merged; one Query."""
    pk = table.ENTITY.gsi1_partition(site, entity_type_id=type_id)
    return bool(EntityRow.page(pk, index="GSI1", limit=1).rows)


def get_entity(site: str, type_id: str, entity_id: str) -> EntityRow:
    """Return an entity, merged ones included. Raises: NotFound."""
    try:
        return EntityRow.load(entity_key(site, type_id, entity_id))
    except (NotFound, InvalidKey) as error:
        raise NotFound(MISSING) from error


def list_entities(site: str, type_id: str, *, start: str = "", cursor: str | None = None) -> Page[EntityRow]:
    """Return a type's entities by name; ``start``: how one of their names begins, whatever its case."""
    if begin := to_key(start):
        pk = table.ENTITY_NAME.gsi1_partition(site, entity_type_id=type_id)
        named = EntityName.page(
            pk, sk=EntityName.GSI1SK.startswith(table.encode_part(begin)), index="GSI1", cursor=cursor
        )
        rows = _load(site, type_id, [one.entity_id for one in named.rows])
        prefix = f"{table.ENTITY.gsi1_prefix()}{table.encode_part(start)}"
        return Page(rows if rows or cursor else _list_spelled(site, type_id, prefix), named.next)
    pk = table.ENTITY.gsi1_partition(site, entity_type_id=type_id)
    page = EntityRow.page(pk, index="GSI1", cursor=cursor)
    return Page(_load(site, type_id, [one.entity_id for one in page.rows]), page.next)


def find_named(site: str, type_id: str, name: str) -> Sequence[EntityRow]:
    """Return the entities with this name or other name, whatever its case; those with exactly this name, if any.

    One Query, one BatchGetItem if there are any; one of each more where none has a row of this name.
    """
    if not (key := to_key(name)):
        return []
    pk = table.ENTITY_NAME.partition_key(site, entity_type_id=type_id, name=key)
    named = EntityName.page(pk, consistent=True).rows
    wanted = fold_name(name)
    found = [
        one
        for one in _load(site, type_id, [row.entity_id for row in named])
        if not one.merged_into and wanted in map(fold_name, (str(one.name), *(one.aliases or ())))
    ]
    exact = [one for one in found if one.name == name]
    if exact or found or len(name) > LONGEST_KEY:
        return exact or found
    return _list_spelled(site, type_id, table.ENTITY.gsi1_prefix(name=name))


def _list_spelled(site: str, type_id: str, prefix: str) -> Sequence[EntityRow]:
    """Return the first entities by how their own name is spelled: those of before ADR 0074 have no rows of names."""
    pk = table.ENTITY.gsi1_partition(site, entity_type_id=type_id)
    page = EntityRow.page(pk, sk=EntityRow.GSI1SK.startswith(prefix), index="GSI1")
    return [one for one in _load(site, type_id, [row.entity_id for row in page.rows]) if not one.merged_into]


def _load(site: str, type_id: str, entity_ids: Sequence[str]) -> Sequence[EntityRow]:
    """Return entities in this order, each once; one that is gone is left out."""
    keys = [entity_key(site, type_id, one) for one in dict.fromkeys(entity_ids)]
    found = {one.key: one for one in EntityRow.load_many(keys)} if keys else {}
    return [found[key] for key in keys if key in found]


def find_by_numbers(site: str, numbers: Sequence[tuple[str, str]]) -> Mapping[tuple[str, str], EntityNumber]:
    """Return entities by kind and number; unknown ones are left out: one BatchGetItem."""
    keys = {number_key(site, *one): one for one in numbers}
    return {keys[one.key]: one for one in EntityNumber.load_many(list(keys))}


def list_history(site: str, entity_id: str) -> Sequence[EntityEvent]:
    """Return the latest changes of an entity, newest first."""
    pk = table.ENTITY_EVENT.partition_key(site, entity_type="entity", entity_id=entity_id)
    return EntityEvent.page(pk, newest_first=True, limit=25).rows

"""Attributes of documents that refer to entities: typed texts resolved, stored values named, and who refers to what.

A stored value is the type's id and the entity's, joined by ``#``. A duplicate's value is read as what it was merged
into; the documents follow in a moment.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext
from stdnum import iban as iban_numbers

from config import table
from config.errors import NotFound, Refused
from config.item import Item
from config.transaction import EXISTS, Check, Update
from projects.entities import queries
from projects.entities.items import MERGED, EntityRow, EntityType
from projects.entities.numbers import tidy_tax_id
from projects.entities.queries import IBAN, TAX_ID, entity_key
from projects.schemas import queries as schema_queries
from projects.schemas.governing import ENTITY, AttributeDefinition, to_stored_value

_LONGEST_CHAIN = 10  # merges followed from one entity to the next


@dataclass(frozen=True)
class Referred:
    """The entity of a stored value, merges followed. ``name``: empty if it was deleted."""

    type_id: str
    entity_id: str
    name: str


def reference_to(type_id: str, entity_id: str) -> str:
    """Return the stored value.

    >>> reference_to("t", "e")
    't#e'
    """
    return f"{type_id}#{entity_id}"


def resolve_texts(site: str, definition: AttributeDefinition, texts: Sequence[str]) -> Sequence[str]:
    """Return stored values of what was typed: a stored value, an id, tax ID, IBAN or name; other kinds stay.

    A name may be an entity's other name, in any case. One BatchGetItem, and two calls for each name.

    Raises:
        Refused: there is no such entity, or several have the name.

    """
    if definition.kind != ENTITY:
        return texts
    tidy = [" ".join(text.split()) for text in texts]
    numbers = {text: found for text in tidy if (found := _number(text))}
    owners = queries.find_by_numbers(site, list(numbers.values())) if numbers else {}
    return [
        _resolve_text(site, definition, text, owners[numbers[text]].documentId if numbers.get(text) in owners else "")
        for text in tidy
    ]


def _number(text: str) -> tuple[str, str] | None:
    """The kind and number that a text may be."""
    if iban_numbers.is_valid(text):
        return IBAN, str(iban_numbers.compact(text))
    try:
        found = tidy_tax_id(text)
    except Refused:
        return None
    return (TAX_ID, found) if found else None


def _resolve_text(site: str, definition: AttributeDefinition, text: str, owner: str) -> str:
    """``owner``: the entity's id with this number, of any type; empty if unknown."""
    type_id = definition.entity_type
    entity_id = text.rpartition("#")[2] if to_stored_value(ENTITY, text) else text
    for one in dict.fromkeys(filter(None, (owner, entity_id))):
        if (" " not in one) and (found := follow_merges(site, type_id, one)) is not None:
            return reference_to(type_id, found.entity_id)
    same = queries.find_named(site, type_id, text)
    if len(same) == 1:
        return reference_to(type_id, same[0].entity_id)
    if same:
        raise Refused(
            gettext("Several entries are called “%(text)s”. Enter the tax ID or IBAN instead.") % {"text": text[:60]}
        )
    raise Refused(
        gettext("“%(text)s” is not known for %(label)s. Enter a name from its list, a tax ID or an IBAN.")
        % {"text": text[:60], "label": definition.label}
    )


def find_duplicate(site: str, entity: EntityRow, text: str) -> str:
    """Return the id of another entity of its type with this tax ID, IBAN or name.

    Raises:
        Refused: there is none, or several have the name.

    """
    number = _number(text)
    owner = queries.find_by_numbers(site, [number]).get(number) if number else None
    found = [owner.documentId] if owner is not None and owner.entityTypeId == entity.type_id else []
    found = found or [one.entity_id for one in queries.find_named(site, entity.type_id, text)]
    others = [one for one in found if one != entity.entity_id]
    if len(others) == 1:
        return others[0]
    if others:
        raise Refused(
            gettext("Several entries are called “%(text)s”. Enter the tax ID or IBAN instead.") % {"text": text[:60]}
        )
    raise Refused(gettext("No other entry has the name, tax ID or IBAN “%(text)s”.") % {"text": text[:60]})


def follow_merges(site: str, type_id: str, entity_id: str) -> EntityRow | None:
    """Return the entity, or what it was merged into; None if it is gone."""
    for _ in range(_LONGEST_CHAIN):
        try:
            found = queries.get_entity(site, type_id, entity_id)
        except NotFound:
            return None
        if found.status != MERGED:
            return found
        entity_id = str(found.merged_into)
    return None


def name_references(site: str, values: Iterable[str]) -> Mapping[str, Referred]:
    """Return what stored values refer to: one BatchGetItem, one more for each step of merges; no call for none."""
    ends = {value: value for value in values if to_stored_value(ENTITY, value)}
    found: dict[str, EntityRow] = {}
    for _ in range(_LONGEST_CHAIN):
        wanted = {end for end in ends.values() if end not in found}
        keys = {entity_key(site, *end.split("#")): end for end in wanted}
        rows = {keys[one.key]: one for one in EntityRow.load_many(sorted(keys))} if keys else {}
        found |= rows
        moved = {end: reference_to(one.type_id, str(one.merged_into)) for end, one in rows.items() if one.merged_into}
        ends = {value: moved.get(end, end) for value, end in ends.items()}
        if not moved:
            break
    return {
        value: Referred(end.partition("#")[0], end.partition("#")[2], str(found[end].name) if end in found else "")
        for value, end in ends.items()
    }


def check_there(site: str, value: str) -> Check:
    """For the transaction that writes a value: the entity was neither deleted nor merged meanwhile."""
    there = EXISTS & EntityRow.merged_into.does_not_exist()
    return Check(entity_key(site, *value.split("#")), there, name="entity")


def count_use(site: str, type_id: str, difference: int) -> Update:
    """For the transaction that adds an entry or attribute to a type, or takes one away: the type is still there."""
    uses = EntityType.uses.set((EntityType.uses | 0) + difference)
    return Update(table.ENTITY_TYPE.key(site, document_id=type_id), [uses], EXISTS, of=EntityType, name="type")


def list_referring(site: str, type_id: str) -> Sequence[AttributeDefinition]:
    """Return the attributes that refer to entities of a type: one Query, one BatchGetItem if there are any."""
    keys = [one.key for one in schema_queries.attribute_definitions(site) if one.kind == ENTITY]
    known = schema_queries.definitions_of(site, keys) if keys else {}
    return [one for one in known.values() if one.entity_type == type_id]


def find_referring_documents(site: str, key: str, value: str) -> Iterator[str]:
    """Yield the ids of documents whose attribute ``key`` has a stored value: one Query a page."""
    pk, same = table.DOCUMENT_ATTRIBUTE.gsi1_partition(site, key=key), table.encode_part(value)
    index_key: Any = Item.GSI1SK
    cursor = None
    while True:
        page = Item.page(pk, sk=index_key == same, index="GSI1", cursor=cursor)
        yield from (one.PK.rpartition("#")[2] for one in page.rows)
        if not (cursor := page.next):
            return

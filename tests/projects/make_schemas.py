"""Attributes and schemas for tests, made through the actions that the product uses."""

from dataclasses import replace
from typing import Any

from config.item import Item
from config.table import ENTITY_EVENT, site_partition
from projects.audit.events import Actor
from projects.audit.items import EntityEvent
from projects.schemas import actions as attribute_definition_actions
from projects.schemas import queries as schema_queries
from projects.schemas.governing import AttributeDefinition, AttributeUse, Schema

SITE = "default"
ALICE = Actor("1", "Alice Novak")
BOB = Actor("2", "Bob Ito")
KINDS = {
    "vendor": "text",
    "category": "text",
    "issued": "date",
    "total": "amount",
    "pages": "number",
    "currency": "currency",
    "paid": "boolean",
    "urgent": "key_only",
}
INVOICE = Schema(
    "Supplier invoice",
    (
        AttributeUse("vendor", required=True),
        AttributeUse("category", required=True, allowed=("goods", "services / work", "rent #1")),
        AttributeUse("currency", allowed=("EUR", "USD"), default="EUR"),
        AttributeUse("total", required=True),
    ),
    (("category", "currency"),),
)


def make_attributes(*keys: str, site: str = SITE) -> None:
    for key in keys or KINDS:
        definition = AttributeDefinition(key, key.capitalize(), KINDS.get(key, "text"))
        attribute_definition_actions.create_definition(site, definition, by=ALICE)


def make_classification(schema: Schema = INVOICE, *, site: str = SITE, by: Actor = ALICE) -> str:
    """A second one of a name gets a number, as cases of one test share their table."""
    names = [one.name for one in schema_queries.all_classifications(site)]
    if schema.name in names:
        schema = replace(schema, name=f"{schema.name} {len(names) + 1}")
    made = attribute_definition_actions.create_classification(
        site, schema, by=by, classification_id=attribute_definition_actions.new_classification_id()
    )
    return made.id


def save(owner: str, schema: Schema, version: int = 1, by: Actor = ALICE) -> Any:
    return attribute_definition_actions.save_classification(SITE, owner, schema, version=version, by=by)


def rows(owner: str = "", site: str = SITE) -> list[str]:
    """The sort keys of a schema's rows; of the site's own where no classification is named."""
    pk = site_partition(site, f"schemas#{owner}" if owner else "schemas")
    return sorted(one.SK for one in Item.page(pk, limit=200, consistent=True).rows)


def events(kind: str, name: str) -> list[tuple[str, Any]]:
    pk = ENTITY_EVENT.partition_key(SITE, entity_type=kind, entity_id=name)
    return [(one.type, one.payload.as_dict()) for one in EntityEvent.page(pk, consistent=True).rows]

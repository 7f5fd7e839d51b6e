"""Attributes and schemas for tests, made through the actions that the product uses."""

from projects import actions
from projects.audit import Actor
from projects.governing import AttributeDefinition, AttributeUse, Schema

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
        actions.attribute_definitions.create(site, definition, by=ALICE)


def make_classification(schema: Schema = INVOICE, *, site: str = SITE, by: Actor = ALICE) -> str:
    made = actions.schemas.create_classification(
        site, schema, by=by, classification_id=actions.schemas.new_classification_id()
    )
    return made.id

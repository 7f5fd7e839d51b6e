"""Attributes and document types of a new desk: invoice, receipt, contract."""

from collections.abc import Iterable, Mapping

from config.errors import Conflict, NotFound
from projects.audit.events import Actor
from projects.schemas import actions
from projects.schemas import queries as schema_queries
from projects.schemas.governing import AttributeDefinition, AttributeUse, Schema
from projects.settings.columns import ITEM_COLUMNS, TABLE
from projects.settings.values import date_range

DEFAULT_ATTRIBUTES: Mapping[str, AttributeDefinition] = {
    key: AttributeDefinition(
        key, label, kind, date_range=date_range(key, kind), columns=ITEM_COLUMNS if kind == TABLE else ""
    )
    for key, label, kind in (
        ("company", "Company", "text"),
        ("address", "Address", "text"),
        ("date", "Date", "date"),
        ("total", "Total", "amount"),
        ("net_total", "Net total", "amount"),
        ("items", "Line items", TABLE),
        ("currency", "Currency", "currency"),
        ("invoice_number", "Invoice number", "text"),
        ("due_date", "Due date", "date"),
        ("purchase_order", "Purchase order", "text"),
        ("payment_method", "Payment method", "text"),
        ("contract_number", "Contract number", "text"),
        ("contract_type", "Contract type", "text"),
        ("counterparty", "Counterparty", "text"),
        ("effective_date", "Effective date", "date"),
        ("end_date", "End date", "date"),
        ("governing_law", "Governing law", "text"),
    )
}
_CONTRACT_TYPES = ("Service", "Supply", "Lease", "Licence", "Employment", "Non-disclosure", "Other")
# By fixed ids: whoever comes first makes them, and everybody after finds them.
DEFAULT_CLASSIFICATIONS: Mapping[str, Schema] = {
    "invoice": Schema(
        "Invoice",
        (
            AttributeUse("company", required=True),
            AttributeUse("invoice_number", required=True),
            AttributeUse("date", required=True),
            AttributeUse("due_date"),
            AttributeUse("total", required=True),
            AttributeUse("net_total"),
            AttributeUse("currency"),
            AttributeUse("address"),
            AttributeUse("purchase_order"),
            AttributeUse("items"),
        ),
        (("company", "date"),),
    ),
    "receipt": Schema(
        "Receipt",
        (
            AttributeUse("company", required=True),
            AttributeUse("date", required=True),
            AttributeUse("total", required=True),
            AttributeUse("currency"),
            AttributeUse("address"),
            AttributeUse("payment_method", allowed=("Cash", "Card", "Voucher", "Transfer")),
        ),
        (("company", "date"),),
    ),
    "contract": Schema(
        "Contract",
        (
            AttributeUse("company", required=True),
            AttributeUse("counterparty", required=True),
            AttributeUse("contract_number"),
            AttributeUse("contract_type", required=True, allowed=_CONTRACT_TYPES),
            AttributeUse("effective_date", required=True),
            AttributeUse("end_date"),
            AttributeUse("governing_law"),
        ),
        (("contract_type", "counterparty"),),
    ),
}


def ensure_default_schemas(site: str, *, by: Actor) -> None:
    """Create what is missing; existing ones stay as they are, archived or changed."""
    for classification_id, schema in DEFAULT_CLASSIFICATIONS.items():
        try:
            schema_queries.get_classification(site, classification_id)
        except NotFound:
            _make(site, classification_id, schema, by)


def _make(site: str, classification_id: str, schema: Schema, by: Actor) -> None:
    _ensure_attributes(site, schema.keys, by)
    try:
        actions.create_classification(site, schema, by=by, classification_id=classification_id)
    except Conflict:  # someone else was as fast
        return


def _ensure_attributes(site: str, keys: Iterable[str], by: Actor) -> None:
    there = schema_queries.definitions_of(site, keys)
    for key in keys:
        if key in there:
            continue
        try:
            actions.create_definition(site, DEFAULT_ATTRIBUTES[key], by=by)
        except Conflict:  # as above
            continue

"""Entities of seed 002 that are known and that nothing writes yet: their keys are decided, so nothing takes them."""

from config.table.keys import Entity, names

LOCALE = Entity(
    "document_management", "Locale", "locale#", "locale#{locale}",
    attributes=names("locale"),
    to_come=True,
)  # fmt: skip
LOCALE_INTERFACE = Entity(
    "document_management", "LocaleInterface", "locale#type", "{locale}#{type}#{interface_key}",
    attributes=names("itemType interfaceKey attributeKey allowedValue classificationId locale localizedValue"),
    to_come=True,
)  # fmt: skip
LOCALE_SCHEMA_VALUE = Entity(
    "document_management", "LocaleSchemaValue", "locale#type", "{locale}#{type}#{attribute_key}#{allowed_value}",
    attributes=names("as LocaleInterface"),
    to_come=True,
)  # fmt: skip
LOCALE_CLASSIFICATION_VALUE = Entity(
    "document_management", "LocaleClassificationValue", "locale#type",
    "{locale}#{type}#{classification_id}#{attribute_key}#{allowed_value}",
    attributes=names("as LocaleInterface"),
    to_come=True,
)  # fmt: skip
OPA_POLICY = Entity(
    "document_management", "OpaPolicy", "controlpolicy#opa", "opa#full#{site_id}#policy",
    attributes=names("siteId policy type index"),
    system=True, to_come=True,
)  # fmt: skip
OPA_POLICY_ITEM = Entity(
    "document_management", "OpaPolicyItem", "controlpolicy#opa", "opa#item#{site_id}#policy#{index:04d}",
    attributes=names("siteId policy type index"),
    system=True, deviation="sk: fixed width, since text order has to be number order", to_come=True,
)  # fmt: skip

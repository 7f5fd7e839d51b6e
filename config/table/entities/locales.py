"""Entities of seed 002 for languages: translations of a site's fields, values and document types."""

from config.table.keys import Entity, names

LOCALE = Entity(
    "document_management", "Locale", "locale#", "locale#{locale}",
    attributes=names("locale"),
)  # fmt: skip
LOCALE_INTERFACE = Entity(
    "document_management", "LocaleInterface", "locale#type", "{locale}#{type}#{interface_key}",
    attributes=names("itemType interfaceKey attributeKey allowedValue classificationId locale localizedValue"),
    note="of an attribute or a field: interface_key is its key, or key.column of a table",
)  # fmt: skip
LOCALE_SCHEMA_VALUE = Entity(
    "document_management", "LocaleSchemaValue", "locale#type", "{locale}#{type}#{attribute_key}#{allowed_value}",
    attributes=names("as LocaleInterface"),
)  # fmt: skip
LOCALE_CLASSIFICATION_VALUE = Entity(
    "document_management", "LocaleClassificationValue", "locale#type",
    "{locale}#{type}#{classification_id}#{attribute_key}#{allowed_value}",
    attributes=names("as LocaleInterface"),
    note="attribute_key empty: the document type's name; allowed_value empty: what it calls an attribute",
)  # fmt: skip

"""Everything that can have a label, with its original name: attributes, values, document types."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from config.errors import NotFound, Refused
from config.phrase import Phrase
from projects.schemas import queries as schema_queries
from projects.schemas.governing import AttributeDefinition, Schema
from projects.schemas.items import SchemaHead
from projects.schemas.labels.items import LocaleLabel
from projects.schemas.labels.keys import ItemType, LabelKey, item_key
from projects.schemas.queries import SITE
from projects.settings.columns import TABLE, read_columns

ATTRIBUTES, VALUES, OTHERS, UNUSED = (
    Phrase("Attributes"),
    Phrase("Allowed values of the site schema"),
    Phrase("Other labels"),
    Phrase("No longer used"),
)
LONGEST_KEY = 120


@dataclass(frozen=True)
class Original:
    """``group``: the heading it stands below. ``about``: what it is. ``needed``: counted if it has no label."""

    key: LabelKey
    text: str
    group: str
    about: str
    needed: bool = True

    @property
    def id(self) -> str:
        return item_key(self.key)


def list_originals(site: str) -> list[Original]:
    """A Query each for attributes and document types, a BatchGetItem for the latter's schemas and for tables."""
    definitions = {one.key: one for one in schema_queries.attribute_definitions(site)}
    found = [Original(LabelKey(ItemType.INTERFACE, interface_key=one.key), one.label, ATTRIBUTES, one.key)
             for one in definitions.values()]  # fmt: skip
    found += _list_columns(site, definitions)
    found += _list_values(SITE, schema_queries.site_schema(site).schema, definitions, VALUES)
    rows = [one for one in schema_queries.all_classifications(site) if not one.archived]
    heads = {one.id: one for one in SchemaHead.load_many([schema_queries.schema_key(site, one.id) for one in rows])}
    for row in rows:
        group = Phrase("Document type: %(name)s").fill(name=row.name)
        name = LabelKey(ItemType.CLASSIFICATION, classification_id=row.id)
        found.append(Original(name, row.name, group, Phrase("Document type")))
        if row.id in heads:
            found += _list_values(row.id, heads[row.id].schema, definitions, group)
    return found


def _list_columns(site: str, definitions: Mapping[str, AttributeDefinition]) -> Iterator[Original]:
    tables = [one.key for one in definitions.values() if one.kind == TABLE]
    for key, one in schema_queries.definitions_of(site, tables).items():
        for column in read_columns(one.columns):
            label = LabelKey(ItemType.INTERFACE, interface_key=f"{key}.{column.name}")
            yield Original(label, column.label, ATTRIBUTES, Phrase("Column of %(label)s").fill(label=one.label))


def _list_values(
    owner: str, schema: Schema, definitions: Mapping[str, AttributeDefinition], group: str
) -> Iterator[Original]:
    for use in schema.uses:
        label = definitions[use.key].label if use.key in definitions else use.key
        if owner:
            own = LabelKey(ItemType.CLASSIFICATION, classification_id=owner, attribute_key=use.key)
            yield Original(own, label, group, Phrase("Attribute, if named differently here"), needed=False)
        for value in use.allowed:
            kind = ItemType.CLASSIFICATION if owner else ItemType.SCHEMA
            key = LabelKey(kind, classification_id=owner, attribute_key=use.key, allowed_value=value)
            yield Original(key, value, group, Phrase("Value of %(label)s").fill(label=label))


def list_further(originals: Sequence[Original], labels: Mapping[LabelKey, LocaleLabel]) -> list[Original]:
    """Return labels whose key is not in ``originals``: keys of fields or other programs, and of deleted things."""
    known = {one.key for one in originals}
    return [_further(key) for key in labels if key not in known]


def _further(key: LabelKey) -> Original:
    if key.type == ItemType.INTERFACE:
        return Original(key, key.interface_key, OTHERS, Phrase("Field or interface key"), needed=False)
    text = key.allowed_value or key.attribute_key or key.classification_id
    return Original(key, text, UNUSED, Phrase("Clear it to delete it"), needed=False)


def check_is_known(site: str, key: LabelKey) -> None:
    """That there is something which the label is of; a key of the interface is any that programs use.

    Raises:
        Refused: there is not.

    """
    if key.type == ItemType.INTERFACE:
        if not key.interface_key.strip() or len(key.interface_key) > LONGEST_KEY:
            raise Refused(
                gettext("Enter an interface key of at most %(longest_key)s characters.") % {"longest_key": LONGEST_KEY}
            )
        return
    try:
        schema = _find_schema(site, key)
    except NotFound as error:
        raise Refused(
            gettext("There is no document type %(classification_id)s.") % {"classification_id": key.classification_id}
        ) from error
    if key.type == ItemType.CLASSIFICATION and not key.attribute_key and not key.allowed_value:
        return
    use = next((one for one in schema.uses if one.key == key.attribute_key), None)
    if use is None:
        raise Refused(
            gettext("Attribute “%(attribute_key)s” is not used in this schema.") % {"attribute_key": key.attribute_key}
        )
    if key.allowed_value not in use.allowed and (key.allowed_value or key.type == ItemType.SCHEMA):
        raise Refused(
            gettext("“%(allowed_value)s” is not an allowed value of “%(attribute_key)s” in this schema.")
            % {"allowed_value": key.allowed_value, "attribute_key": key.attribute_key}
        )


def _find_schema(site: str, key: LabelKey) -> Schema:
    """Raises: NotFound."""
    if key.type == ItemType.SCHEMA:
        return schema_queries.site_schema(site).schema
    return schema_queries.get_classification(site, key.classification_id).schema

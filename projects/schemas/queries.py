"""Reads of attribute definitions, schemas and their uses."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext

from config import table
from config.errors import NotFound
from config.phrase import Phrase
from config.table import InvalidKey
from projects.schemas.governing import AttributeDefinition, CompositeKey, Governing, Schema
from projects.schemas.items import Attribute, SchemaAllowedValue, SchemaAttributeKey, SchemaCompositeKey, SchemaHead

ENTITY = "document"  # the entity of the schemas; seed 002 allows others
SITE = ""  # the owner of the site's own schema; every other owner is a classification's id
MAX_OFFERED = 500  # suggestions of a form; typed keys are looked up, so the limit excludes nothing


@dataclass(frozen=True)
class ClassificationRow:
    """A row of the list of classifications."""

    id: str
    name: str
    archived: bool
    updated_at: str


@dataclass(frozen=True)
class Use:
    """A schema that names an attribute; ``classification_id`` empty for the site's own."""

    classification_id: str
    name: str


def schema_key(site: str, classification_id: str) -> table.Key:
    """Raises: InvalidKey."""
    if classification_id == SITE:
        return table.SITE_SCHEMA.key(site, entity=ENTITY)
    return table.CLASSIFICATION.key(site, document_id=classification_id, entity=ENTITY)


# --- attribute definitions ---------------------------------------------------
def list_attributes(site: str, cursor: str | None = None) -> tuple[Sequence[AttributeDefinition], str | None]:
    """The site's attributes by key, and the cursor of the next page.

    Raises:
        NotFound: the cursor belongs to another list.

    """
    page = Attribute.page(table.ATTRIBUTE.gsi1_partition(site), index="GSI1", cursor=cursor)
    return [one.definition for one in page.rows], page.next


def attribute_definitions(site: str) -> Sequence[AttributeDefinition]:
    """Return the first definitions by key, for a form; one Query."""
    page = Attribute.page(table.ATTRIBUTE.gsi1_partition(site), index="GSI1", limit=MAX_OFFERED)
    return [one.definition for one in page.rows]


def attribute_definition(site: str, key: str) -> AttributeDefinition:
    """Strongly consistent.

    Raises:
        NotFound: no such attribute on this site.

    """
    try:
        return Attribute.load(table.ATTRIBUTE.key(site, key=key)).definition
    except (NotFound, InvalidKey) as error:
        raise NotFound(gettext("Attribute “%(key)s” does not exist. Create it first.") % {"key": key}) from error


def definitions_of(site: str, keys: Iterable[str]) -> Mapping[str, AttributeDefinition]:
    """Return those of ``keys`` that exist, strongly consistent, in one BatchGetItem; no call for no keys.

    Raises:
        InvalidKey: a key is invalid.

    """
    found = Attribute.load_many([table.ATTRIBUTE.key(site, key=key) for key in dict.fromkeys(keys)])
    return {one.key: one for one in (row.definition for row in found)}


# --- schemas -----------------------------------------------------------------
def site_schema(site: str) -> SchemaHead:
    """Return the site's own schema, strongly consistent; an empty one at version 0 if there is none."""
    key = schema_key(site, SITE)
    try:
        return SchemaHead.load(key)
    except NotFound:
        return SchemaHead(key.pk, key.sk, name=Phrase("Site schema"))


def get_classification(site: str, classification_id: str) -> SchemaHead:
    """Strongly consistent.

    Raises:
        NotFound: no such classification on this site.

    """
    try:
        return SchemaHead.load(table.CLASSIFICATION.key(site, document_id=classification_id, entity=ENTITY))
    except (NotFound, InvalidKey) as error:
        raise NotFound(gettext("Document type not found.")) from error


def list_classifications(site: str, cursor: str | None = None) -> tuple[Sequence[ClassificationRow], str | None]:
    """The site's classifications by name, and the cursor of the next page.

    Raises:
        NotFound: the cursor belongs to another list.

    """
    page = SchemaHead.page(table.CLASSIFICATION.gsi1_partition(site, entity=ENTITY), index="GSI1", cursor=cursor)
    return [_row(one) for one in page.rows], page.next


def all_classifications(site: str) -> Sequence[ClassificationRow]:
    """Return the first by name, for a form; one Query."""
    pk = table.CLASSIFICATION.gsi1_partition(site, entity=ENTITY)
    return [_row(one) for one in SchemaHead.page(pk, index="GSI1", limit=MAX_OFFERED).rows]


def _row(one: SchemaHead) -> ClassificationRow:
    return ClassificationRow(one.id, one.name or one.id, one.archived, one.updated_at or "")


def schemas_of(site: str, classification_id: str) -> tuple[Schema, Schema | None]:
    """Return the site's schema, and the classification's if one is given; one GetItem each.

    Raises:
        NotFound: no such classification on this site.

    """
    own = get_classification(site, classification_id).schema if classification_id else None
    return site_schema(site).schema, own


def get_governing(site: str, classification_id: str) -> Governing:
    """Return the schemas of a new run: one GetItem a schema, one BatchGetItem for attributes.

    Raises:
        NotFound: no such classification on this site.

    """
    own = get_classification(site, classification_id) if classification_id else None
    ours = site_schema(site)
    uses = [*(own.schema.uses if own else ()), *ours.schema.uses]
    return Governing(
        site=ours.schema,
        site_version=ours.number,
        classification=own.schema if own else None,
        classification_id=classification_id,
        classification_version=own.number if own else 0,
        definitions=definitions_of(site, [use.key for use in uses]),
    )


MOST_TYPES = 40  # document types of automatic classification; the first by name


def list_governing(site: str) -> Sequence[Governing]:
    """Return the possible schemas of a run that determines its type: first without a classification, then each by name.

    Archived ones are omitted. A Query and a BatchGetItem for classifications, a GetItem for the site's schema, a
    BatchGetItem for attributes.
    """
    named = [one for one in all_classifications(site) if not one.archived][:MOST_TYPES]
    heads = {one.id: one for one in SchemaHead.load_many([schema_key(site, one.id) for one in named])}
    own = [heads[one.id] for one in named if one.id in heads]
    ours = site_schema(site)
    schemas = [(one, one.schema) for one in own]
    uses = [*ours.schema.uses, *(use for _, schema in schemas for use in schema.uses)]
    none = Governing(
        site=ours.schema, site_version=ours.number, definitions=definitions_of(site, [use.key for use in uses])
    )
    return [none, *(_classify_governing(none, head, schema) for head, schema in schemas)]


def _classify_governing(none: Governing, head: SchemaHead, schema: Schema) -> Governing:
    return replace(none, classification=schema, classification_id=head.id, classification_version=head.number)


def composite_keys(site: str, classification_id: str = SITE) -> tuple[tuple[str, ...], ...]:
    """Return the composite keys of a document: the site's, then its classification's.

    Raises:
        NotFound: no such classification on this site.

    """
    ours, own = schemas_of(site, classification_id)
    return ours.composite_keys + (own.composite_keys if own else ())


def all_composite_keys(site: str) -> Sequence[CompositeKey]:
    """Return those of the site and all classifications, the first by attributes; one Query."""
    pk = table.CLASSIFICATION_COMPOSITE_KEY.gsi1_partition(site)
    rows = SchemaCompositeKey.page(pk, index="GSI1", limit=MAX_OFFERED).rows
    head = table.CLASSIFICATION_COMPOSITE_KEY.gsi1_prefix()
    parts = ((one, (one.GSI1SK or "").removeprefix(head).split("#")) for one in rows)
    return [CompositeKey(tuple(map(table.decode_part, keys)), one.document_id or SITE) for one, keys in parts]


# --- who uses what -----------------------------------------------------------
def schemas_using(site: str, key: str) -> Sequence[Use]:
    """Return the first schemas that use an attribute; one Query."""
    pk = table.CLASSIFICATION_ATTRIBUTE_KEY.gsi1_partition(site, key=key)
    rows = SchemaAttributeKey.page(pk, index="GSI1").rows
    return [Use(one.document_id or SITE, one.name or Phrase("Site schema")) for one in rows]


def list_allowed_values(site: str, key: str) -> Sequence[str]:
    """Return all allowed values of an attribute in any schema, unique and in text order; one Query."""
    pk = table.CLASSIFICATION_ALLOWED_VALUE.gsi1_partition(site, key=key)
    rows = SchemaAllowedValue.page(pk, index="GSI1", limit=MAX_OFFERED).rows
    return list(dict.fromkeys(table.decode_part((one.GSI1SK or "").partition("#")[2]) for one in rows))

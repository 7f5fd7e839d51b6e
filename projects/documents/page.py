"""Context of a document's page: tags, attributes, metadata, children, activity."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from config.item import Page
from config.phrase import Phrase
from projects.audit.words import name_fact, tell_value
from projects.documents import queries as document_queries
from projects.documents.actions.properties import metadata_of
from projects.documents.activity import ActivityType
from projects.documents.items import ChildDocument, DocumentActivity, DocumentAttribute, DocumentTag, UnpackingStatus
from projects.documents.queries import DocumentRows, in_order
from projects.entities.references import Referred, name_references
from projects.personal.access import is_closed
from projects.personal.masking import mask_changes, mask_value
from projects.schemas import composite_keys
from projects.schemas.attribute_values import Value, format_value
from projects.schemas.governing import BARE, ENTITY, KINDS, AttributeDefinition
from projects.schemas.labels.reading import NO_LABELS, Labels
from projects.web.http import DeskRequest

_WORDS: dict[str, tuple[str, str]] = {
    ActivityType.CREATE: ("plus", Phrase("Received")),
    ActivityType.VIEW: ("eye", Phrase("Viewed")),
    ActivityType.REVEAL: ("eye", Phrase("Personal data shown")),
    ActivityType.DENY: ("lock", Phrase("Denied by the access policy")),
    ActivityType.MODIFY: ("pen", Phrase("Changed")),
    ActivityType.SOFT_DELETE: ("trash", Phrase("Deleted")),
    ActivityType.RESTORE: ("undo", Phrase("Restored")),
    ActivityType.DELETE: ("x", Phrase("Purged")),
}


@dataclass(frozen=True)
class TagView:
    key: str
    values: Sequence[str]


@dataclass(frozen=True)
class AttributeView:
    """``shown``: formatted; ``values``: as the form sends them back. ``kind``: a key of ``governing.KINDS``.

    ``entities``: what the values refer to, in their order.
    """

    key: str
    label: str
    kind: str
    shown: str
    values: Sequence[str]
    entities: Sequence[Referred] = ()

    @property
    def is_bare(self) -> bool:
        """Whether the attribute has no value."""
        return self.kind in KINDS and KINDS[self.kind].data_type in BARE

    @property
    def lines(self) -> str:
        if self.entities:
            return "\n".join(one.name or value for one, value in zip(self.entities, self.values, strict=True))
        return "\n".join(self.values)


@dataclass(frozen=True)
class ActivityView:
    """``adds``: what has no value before was added, not only told."""

    icon: str
    words: str
    who: str
    at: str
    changes: Sequence[Mapping[str, Any]]
    adds: bool


def page_of(
    rows: DocumentRows,
    definitions: Sequence[AttributeDefinition],
    labels: Labels = NO_LABELS,
    referred: Mapping[str, Referred] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return the context of the page and its fragments. ``definitions``: with translated labels.

    ``referred``: what values refer to, as ``refer`` returns it.
    """
    kind = rows.document.classification_id or ""
    given = attributes_of(
        rows.attributes, definitions, lambda key, value: labels.name_value(key, value, "", kind), referred
    )
    have = {one.key for one in given}
    return {
        "document": rows.document,
        "tags": tags_of(rows.tags),
        "attributes": given,
        "offered": [one for one in definitions if one.key not in have],
        "has_definitions": bool(definitions),
        "has_references": any(one.kind == ENTITY and one.key not in have for one in definitions),
        "entries": metadata_of(rows.document),
        "children": sorted((child for child in rows.children if not child.deleted_at), key=_name_order),
        "unpacking": rows.unpacking,
        "is_public": rows.is_public,
        "is_unpacking": bool(rows.unpacking and rows.unpacking.status == UnpackingStatus.OPEN),
        "can_unpack_again": bool(rows.unpacking and rows.unpacking.can_be_tried_again),
        "refused": rows.unpacking.left_out if rows.unpacking else [],
    }


def _name_order(child: ChildDocument) -> list[tuple[int, str]]:
    """Sort key of names: page 9 before page 10."""
    return [(int(one), "") if one.isdecimal() else (0, one.casefold()) for one in re.split(r"([0-9]{1,9})", child.name)]


def tags_of(rows: Sequence[DocumentTag]) -> list[TagView]:
    values: dict[str, list[str]] = {}
    for row in rows:
        values.setdefault(row.tag_key, []).append(row.tagValue or "")
    return [TagView(key, found) for key, found in values.items()]


NameValue = Callable[[str, str], str]  # attribute and value → how the value is read


def attributes_of(
    rows: Sequence[DocumentAttribute],
    definitions: Sequence[AttributeDefinition],
    name_value: NameValue = lambda _, value: value,
    referred: Mapping[str, Referred] = MappingProxyType({}),
) -> list[AttributeView]:
    """Return plain attributes; rows of composite keys only serve lookups."""
    known = {one.key: one for one in definitions}
    found: dict[str, list[DocumentAttribute]] = {}
    for row in rows:
        if row.valueType != composite_keys.VALUE_TYPE:
            found.setdefault(str(row.key_), []).append(row)
    views = [_attribute(key, in_order(mine), known.get(key), name_value) for key, mine in found.items()]
    return [_name_entities(one, referred) if one.kind == ENTITY else one for one in views]


def refer(site: str, rows: Sequence[DocumentAttribute]) -> Mapping[str, Referred]:
    """Return what the values of a document's attributes refer to; no call if none does."""
    return name_references(site, [str(row.value) for row in rows if row.valueType == KINDS[ENTITY].data_type])


def _name_entities(view: AttributeView, referred: Mapping[str, Referred]) -> AttributeView:
    entities = [
        referred.get(value) or Referred(value.partition("#")[0], value.partition("#")[2], "") for value in view.values
    ]
    shown = ", ".join(one.name or Phrase("Deleted entry") for one in entities)
    return replace(view, shown=shown, entities=entities)


def _attribute(
    key: str, rows: Sequence[DocumentAttribute], definition: AttributeDefinition | None, name_value: NameValue
) -> AttributeView:
    kind = definition.kind if definition else str(rows[0].valueType or "text").lower()
    values = [row.value for row in rows]
    read = [name_value(key, one) if isinstance(one, str) else _read_value(kind, one) for one in values]
    return AttributeView(
        key,
        definition.label if definition else key,
        kind,
        read[0] if len(read) == 1 else ", ".join(read),
        [format_value(value) for value in values],
    )


def _read_value(kind: str, value: Value) -> str:
    if isinstance(value, bool):
        return Phrase("Yes") if value else Phrase("No")
    if isinstance(value, Decimal):
        places = value.normalize().as_tuple().exponent
        return f"{value:,.2f}" if kind == "amount" and isinstance(places, int) and places >= -2 else format_value(value)
    return value


def mask_attribute(view: AttributeView) -> AttributeView:
    """Mask by name, since any field may have been copied to an attribute."""
    return replace(view, shown=mask_value(view.shown) or "", values=(), entities=())


def list_activity(request: DeskRequest, document_id: str, cursor: str | None = None) -> Page[DocumentActivity]:
    """Return a page of activity, masked for people without the permission to see personal values."""
    page = document_queries.list_activities(request.site, document_id, cursor=cursor)
    if any(row.changes for row in page.rows) and is_closed(request, document_id=document_id):
        for row in page.rows:
            row.changes = mask_changes(row.changes or ())
    return page


def activity_of(row: DocumentActivity) -> ActivityView:
    icon, words = _WORDS.get(row.type, ("history", row.type.capitalize()))
    changes = [
        {"what": name_fact(one["what"]), **{side: tell_value(one["what"], one[side]) for side in ("before", "after")}}
        for one in row.changes or ()
    ]
    adds = row.type not in {ActivityType.VIEW, ActivityType.REVEAL, ActivityType.DENY}
    return ActivityView(icon, words, row.user_name, row.inserteddate, changes, adds)

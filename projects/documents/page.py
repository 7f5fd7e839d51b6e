"""What the page of a document shows, in its own words: tags, attributes, entries, children, activity."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from config.item import Page
from projects.documents import queries as document_queries
from projects.documents.actions.properties import metadata_of
from projects.documents.activity import ActivityType
from projects.documents.items import ChildDocument, DocumentActivity, DocumentAttribute, DocumentTag, UnpackingStatus
from projects.documents.queries import DocumentRows, in_order
from projects.personal.access import is_closed
from projects.personal.masking import mask_changes, mask_value
from projects.schemas import composite_keys
from projects.schemas.attribute_values import Value, format_value
from projects.schemas.governing import BARE, KINDS, AttributeDefinition
from projects.web.http import DeskRequest

_WORDS: dict[str, tuple[str, str]] = {
    ActivityType.CREATE: ("plus", "Received"),
    ActivityType.VIEW: ("eye", "Viewed"),
    ActivityType.REVEAL: ("eye", "Personal data shown"),
    ActivityType.MODIFY: ("pen", "Changed"),
    ActivityType.SOFT_DELETE: ("trash", "Deleted"),
    ActivityType.RESTORE: ("undo", "Restored"),
    ActivityType.DELETE: ("x", "Purged"),
}


@dataclass(frozen=True)
class TagView:
    key: str
    values: Sequence[str]


@dataclass(frozen=True)
class AttributeView:
    """``shown``: for reading; ``values``: as the form sends them back. ``kind`` is a key of ``governing.KINDS``."""

    key: str
    label: str
    kind: str
    shown: str
    values: Sequence[str]

    @property
    def is_bare(self) -> bool:
        """Whether the document has it or has not, without a value."""
        return self.kind in KINDS and KINDS[self.kind].data_type in BARE

    @property
    def lines(self) -> str:
        return "\n".join(self.values)


@dataclass(frozen=True)
class ActivityView:
    icon: str
    words: str
    who: str
    at: str
    changes: Sequence[Mapping[str, Any]]


def page_of(rows: DocumentRows, definitions: Sequence[AttributeDefinition]) -> dict[str, Any]:
    """The context of the whole page and of each of its fragments."""
    given = attributes_of(rows.attributes, definitions)
    have = {one.key for one in given}
    return {
        "document": rows.document,
        "tags": tags_of(rows.tags),
        "attributes": given,
        "offered": [one for one in definitions if one.key not in have],
        "has_definitions": bool(definitions),
        "entries": metadata_of(rows.document),
        "children": sorted((child for child in rows.children if not child.deleted_at), key=_name_order),
        "unpacking": rows.unpacking,
        "is_public": rows.is_public,
        "is_unpacking": bool(rows.unpacking and rows.unpacking.status == UnpackingStatus.OPEN),
        "can_unpack_again": bool(rows.unpacking and rows.unpacking.can_be_tried_again),
        "refused": rows.unpacking.left_out if rows.unpacking else [],
    }


def _name_order(child: ChildDocument) -> list[tuple[int, str]]:
    """Page 9 before page 10."""
    return [(int(one), "") if one.isdecimal() else (0, one.casefold()) for one in re.split(r"([0-9]{1,9})", child.name)]


def tags_of(rows: Sequence[DocumentTag]) -> list[TagView]:
    values: dict[str, list[str]] = {}
    for row in rows:
        values.setdefault(row.tag_key, []).append(row.tagValue or "")
    return [TagView(key, found) for key, found in values.items()]


def attributes_of(rows: Sequence[DocumentAttribute], definitions: Sequence[AttributeDefinition]) -> list[AttributeView]:
    """The plain ones; rows of composite keys are for finding, not for reading."""
    known = {one.key: one for one in definitions}
    found: dict[str, list[DocumentAttribute]] = {}
    for row in rows:
        if row.valueType != composite_keys.VALUE_TYPE:
            found.setdefault(str(row.key_), []).append(row)
    return [_attribute(key, in_order(mine), known.get(key)) for key, mine in found.items()]


def _attribute(key: str, rows: Sequence[DocumentAttribute], definition: AttributeDefinition | None) -> AttributeView:
    kind = definition.kind if definition else str(rows[0].valueType or "text").lower()
    values = [row.value for row in rows]
    return AttributeView(
        key,
        definition.label if definition else key,
        kind,
        ", ".join(_read_value(kind, value) for value in values),
        [format_value(value) for value in values],
    )


def _read_value(kind: str, value: Value) -> str:
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, Decimal):
        places = value.normalize().as_tuple().exponent
        return f"{value:,.2f}" if kind == "amount" and isinstance(places, int) and places >= -2 else format_value(value)
    return value


def mask_attribute(view: AttributeView) -> AttributeView:
    """A field may be copied to any attribute: which of them hold personal values, only their names could tell."""
    return replace(view, shown=mask_value(view.shown) or "", values=())


def list_activity(request: DeskRequest, document_id: str, cursor: str | None = None) -> Page[DocumentActivity]:
    """A page of what was done with a document, its values masked for who may not see personal ones."""
    page = document_queries.list_activities(request.site, document_id, cursor=cursor)
    if any(row.changes for row in page.rows) and is_closed(request, document_id=document_id):
        for row in page.rows:
            row.changes = mask_changes(row.changes or ())
    return page


def activity_of(row: DocumentActivity) -> ActivityView:
    icon, words = _WORDS.get(row.type, ("history", row.type.capitalize()))
    return ActivityView(icon, words, row.user_name, row.inserteddate, row.changes or ())

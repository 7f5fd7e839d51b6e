"""Lists of documents, each one Query on one index: what the way says, and nothing read that is not shown."""

from collections.abc import Callable
from typing import Any

from pynamodb.expressions.condition import Condition

from config import table
from config.item import Page
from projects.documents.access_paths import ByAttribute, ByClassification, ByDay, ByStatus, ByTag, QueryPlan, Span
from projects.documents.items import ListedDocument

_Row = ListedDocument


def list_documents(site: str, way: QueryPlan, *, cursor: str | None = None) -> Page[ListedDocument]:
    """The newest first where the list is in the order of time, else in the order of the values.

    Raises:
        InvalidKey: no key can hold what was asked for.
        NotFound: the cursor belongs to another list.

    """
    return _BY[type(way)](site, way, cursor)


def _by_day(site: str, way: ByDay, cursor: str | None) -> Page[ListedDocument]:
    pk = table.DOCUMENT.gsi1_partition(site, date=way.day.isoformat())
    return _Row.page(pk, index="GSI1", newest_first=True, cursor=cursor)


def _by_status(site: str, way: ByStatus, cursor: str | None) -> Page[ListedDocument]:
    pk = table.DOCUMENT_BY_STATUS.gsi2_partition(site, status=way.status)
    page = _Row.page(pk, index="GSI2", newest_first=True, cursor=cursor)
    for row in page.rows:  # which keeps seed 000's own words for it
        row.status = way.status.value
    return page


def _by_classification(site: str, way: ByClassification, cursor: str | None) -> Page[ListedDocument]:
    pk = table.DOCUMENT_BY_CLASSIFICATION.gsi2_partition(site, classification_id=way.classification_id)
    day = _Row.GSI2SK.startswith(way.day.isoformat()) if way.day else None
    return _Row.page(pk, sk=day, index="GSI2", newest_first=True, cursor=cursor)


def _by_tag(site: str, way: ByTag, cursor: str | None) -> Page[ListedDocument]:
    if way.value is None:
        pk = table.DOCUMENT_TAG.gsi2_partition(site, tag_key=way.key)
        return _Row.page(pk, index="GSI2", cursor=cursor)
    pk = table.DOCUMENT_TAG.gsi1_partition(site, tag_key=way.key, tag_value=way.value)
    return _Row.page(pk, index="GSI1", newest_first=True, cursor=cursor)


def _by_attribute(site: str, way: ByAttribute, cursor: str | None) -> Page[ListedDocument]:
    pk = table.DOCUMENT_ATTRIBUTE.gsi1_partition(site, key=way.key)
    return _Row.page(pk, sk=_within(way.span), index="GSI1", cursor=cursor)


_BY: dict[type[Any], Callable[..., Page[ListedDocument]]] = {
    ByDay: _by_day,
    ByStatus: _by_status,
    ByClassification: _by_classification,
    ByTag: _by_tag,
    ByAttribute: _by_attribute,
}


def _within(span: Span) -> Condition | None:
    sk: Any = _Row.GSI1SK
    found: Condition | None = None
    if span.exact:
        found = sk == span.exact
    elif span.prefix:
        found = sk.startswith(span.prefix)
    elif span.low and span.high:
        found = sk.between(span.low, span.high)
    elif span.low:
        found = sk >= span.low
    elif span.high:
        found = sk <= span.high
    return found


def value_of(row: ListedDocument, way: QueryPlan) -> str:
    """What the row says of the value that it was found by; empty if the way says it all."""
    if isinstance(way, ByTag) and way.value is None:
        return table.decode_part((row.GSI2SK or "").partition("#")[0])
    if not isinstance(way, ByAttribute) or way.composite or way.span.exact:
        return ""
    text = row.GSI1SK or ""
    if way.numeric and text != "#":
        return f"{table.number_of(text).normalize():f}"
    return "" if text == "#" else table.decode_part(text)

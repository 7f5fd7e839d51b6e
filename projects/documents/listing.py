"""What the list of documents shows: the form as it was sent, the rows, and where each tab leads; pure."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from config.item import Page
from projects.documents.access_paths import ByAttribute, ByClassification, ByDay, ByStatus, ByTag, QueryPlan
from projects.documents.filters import OPS, ROWS, AttributeFilter, Filters, Op
from projects.documents.items import ListedDocument
from projects.documents.queries import Counts, value_of
from projects.documents.query_plan import NotIndexed
from projects.documents.states import STATUS_LABELS, StatusLabel, look_of, word_of
from projects.schemas.vocabulary import Vocabulary


@dataclass(frozen=True)
class ListRequest:
    """What was asked, and by which form; ``full``: the one with classification and attributes.

    ``names``: whether the site keeps suppliers, customers or others that documents name.
    """

    filters: Filters
    known: Vocabulary
    today: dt.date
    full: bool
    url: str
    names: bool = False

    def to(self, filters: Filters) -> str:
        return f"{self.url}?{filters.query}" if filters.query else self.url

    @property
    def query(self) -> str:
        more = "more=1" if self.full and not self.filters.needs_vocabulary else ""
        return "&".join(part for part in (self.filters.query, more) if part)


@dataclass(frozen=True)
class Tab:
    """``number`` None: not counted here."""

    url: str
    words: str
    number: int | None
    here: bool


@dataclass(frozen=True)
class Row:
    document: ListedDocument
    look: StatusLabel | None
    value: str


@dataclass(frozen=True)
class Alone:
    """One of the filters that no key holds together, by itself."""

    url: str
    words: str


def form_context(asking: ListRequest, way: QueryPlan | None, counts: Counts | None) -> dict[str, Any]:
    """Of every page of the list, whatever was found."""
    filters = asking.filters
    blank = [AttributeFilter("")] * (ROWS - len(filters.attributes))
    return {
        "filters": filters,
        "full": asking.full,
        "attributes": list(asking.known.attributes.values()),
        "classifications": asking.known.classifications,
        "attribute_rows": [*filters.attributes, *blank] if asking.full else (),
        "ops": [(op.value, words) for op, words in OPS.items()],
        "statuses": [(word_of(status), look.words) for status, look in STATUS_LABELS.items()],
        "status_tabs": _tabs(asking, way, counts),
        "total": counts.total if counts else None,
        "today": asking.today,
        "list_url": asking.url,
        "more_url": f"{asking.url}?{'&'.join(part for part in (filters.query, 'more=1') if part)}",
        "is_filtered": bool(filters.query) and not isinstance(way, ByDay),
    }


def _tabs(asking: ListRequest, way: QueryPlan | None, counts: Counts | None) -> list[Tab]:
    """A status that no document has is left out, but for the one that is shown."""
    here = way.status if isinstance(way, ByStatus) else None
    tabs = [
        Tab(asking.url, "By day", None, isinstance(way, ByDay)),
        Tab(reverse("folders:list-folders"), "Folders", None, here=False),
        Tab(reverse("shares:list-shares"), "Shared", None, here=False),
        *([Tab(reverse("entities:list-types"), "Suppliers and customers", None, here=False)] if asking.names else []),
    ]
    for status, look in STATUS_LABELS.items():
        number = counts.count_of(status) if counts else None
        if number or counts is None or status == here:
            tabs.append(Tab(asking.to(Filters(status=status)), look.words, number, status == here))
    return tabs


def list_context(asking: ListRequest, way: QueryPlan, page: Page[ListedDocument]) -> dict[str, Any]:
    rows = [Row(one, look_of(one.status), value_of(one, way)) for one in page.rows]
    first = f"{asking.url}?{asking.query}" if asking.query else asking.url
    return {
        "rows": rows,
        "next_cursor": page.next,
        "first_url": first,
        "joiner": "&" if asking.query else "?",
        "has_values": any(row.value for row in rows),
        "has_files": not isinstance(way, ByTag | ByAttribute),
        "heading": _heading(asking, way),
        "note": _note(asking, way),
        **(_days(asking, way) if isinstance(way, ByDay) else {}),
    }


def _days(asking: ListRequest, way: ByDay) -> dict[str, Any]:
    day = way.day
    return {
        "day": day,
        "before_url": asking.to(Filters(day=day - dt.timedelta(days=1))),
        "following_url": asking.to(Filters(day=day + dt.timedelta(days=1))) if day < asking.today else "",
    }


def _heading(asking: ListRequest, way: QueryPlan) -> str:
    match way:
        case ByStatus(status):
            return STATUS_LABELS[status].words
        case ByClassification(classification_id, day):
            name = asking.known.classification_name(classification_id) or "Unknown document type"
            return f"{name}, {day:%-d %b %Y}" if day else name
        case ByTag(key, value):
            return f"{key}: {value}" if value is not None else f"Tagged {key}"
        case ByAttribute():
            return ", ".join(_words(asking.known, one) for one in asking.filters.attributes)
        case _:
            return ""


def _words(known: Vocabulary, one: AttributeFilter) -> str:
    label = known.label(one.key)
    if one.op == Op.BETWEEN and (one.value or one.upto):
        ends = (f"from {one.value}" if one.value else "", f"to {one.upto}" if one.upto else "")
        return " ".join(part for part in (label, *ends) if part)
    if not one.value:
        return f"Has {label}"
    return f"{label} starts with {one.value}" if one.op == Op.BEGINS else f"{label} {one.value}"


def _note(asking: ListRequest, way: QueryPlan) -> str:
    """What the list leaves out, because of the key that it is read by."""
    if not isinstance(way, ByAttribute) or way.composite is None:
        return ""
    names = ", ".join(asking.known.label(key) for key in way.composite.keys)
    of = asking.known.classification_name(way.composite.owner)
    return f"Composite key {names}{f' ({of})' if of else ''}: lists documents that have all of these attributes."


def not_indexed_context(asking: ListRequest, found: NotIndexed) -> dict[str, Any]:
    filters = asking.filters
    parts: list[tuple[str, Filters]] = []
    if filters.day:
        parts.append((f"day: {filters.day:%-d %b %Y}", Filters(day=filters.day)))
    if filters.status:
        parts.append((f"status: {STATUS_LABELS[filters.status].words}", Filters(status=filters.status)))
    if filters.classification:
        name = asking.known.classification_name(filters.classification) or filters.classification
        parts.append((f"document type: {name}", Filters(classification=filters.classification)))
    if filters.tag:
        parts.append((f"tag: {filters.tag}", Filters(tag=filters.tag, tag_value=filters.tag_value)))
    parts += [(_words(asking.known, one), Filters(attributes=(one,))) for one in filters.attributes]
    return {
        "not_indexed": found,
        "alone": [Alone(asking.to(one), words) for words, one in parts],
        "wanted_key": ", ".join(asking.known.label(key) for key in found.attributes),
        "wanted_keys": ", ".join(found.attributes),
    }

"""Context of the document list: form, rows and tabs. Pure functions."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext

from config.item import Page
from config.phrase import Phrase
from projects.documents.filters import OPS, ROWS, AttributeFilter, Filters, Op
from projects.documents.index_queries import ByAttribute, ByClassification, ByDay, ByStatus, ByTag, QueryPlan
from projects.documents.items import ListedDocument
from projects.documents.queries import Counts, value_of
from projects.documents.query_plan import NotIndexed
from projects.documents.states import STATUS_LABELS, StatusLabel, look_of, word_of
from projects.schemas.vocabulary import Vocabulary
from projects.templatetags.desk import written_day


@dataclass(frozen=True)
class ListRequest:
    """The request and its form; ``full``: the form with document type and attributes.

    ``names``: whether the site has entities such as suppliers. ``named``: their names by the values that refer to them.
    """

    filters: Filters
    known: Vocabulary
    today: dt.date
    full: bool
    url: str
    names: bool = False
    named: Mapping[str, str] = field(default_factory=dict)

    def to(self, filters: Filters) -> str:
        return f"{self.url}?{filters.query}" if filters.query else self.url

    @property
    def query(self) -> str:
        more = "more=1" if self.full and not self.filters.needs_vocabulary else ""
        return "&".join(part for part in (self.filters.query, more) if part)


@dataclass(frozen=True)
class Tab:
    """``number``: None if not counted here."""

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
    """One filter by itself, offered if the combination has no index."""

    url: str
    words: str


def form_context(asking: ListRequest, way: QueryPlan | None, counts: Counts | None) -> dict[str, Any]:
    """Return the context common to all pages of the list."""
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
    """List tabs; statuses without documents are left out, except the current one."""
    here = way.status if isinstance(way, ByStatus) else None
    tabs = [
        Tab(asking.url, Phrase("By day"), None, isinstance(way, ByDay)),
        Tab(reverse("folders:list-folders"), Phrase("Folders"), None, here=False),
        Tab(reverse("shares:list-shares"), Phrase("Shared"), None, here=False),
        *(
            [Tab(reverse("entities:list-types"), Phrase("Suppliers and customers"), None, here=False)]
            if asking.names
            else []
        ),
    ]
    for status, look in STATUS_LABELS.items():
        number = counts.count_of(status) if counts else None
        if number or counts is None or status == here:
            tabs.append(Tab(asking.to(Filters(status=status)), look.words, number, status == here))
    return tabs


def list_context(asking: ListRequest, way: QueryPlan, page: Page[ListedDocument]) -> dict[str, Any]:
    values = [value_of(one, way) for one in page.rows]
    rows = [
        Row(one, look_of(one.status), asking.named.get(value, value))
        for one, value in zip(page.rows, values, strict=True)
    ]
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
            name = asking.known.classification_name(classification_id) or Phrase("Unknown document type")
            return f"{name}, {written_day(day)}" if day else name
        case ByTag(key, value):
            return f"{key}: {value}" if value is not None else Phrase("Tagged %(tag)s").fill(tag=key)
        case ByAttribute():
            return ", ".join(
                _words(asking.known, replace(one, value=asking.named.get(one.value, one.value)))
                for one in asking.filters.attributes
            )
        case _:
            return ""


def _words(known: Vocabulary, one: AttributeFilter) -> str:
    label = known.label(one.key)
    if one.op == Op.BETWEEN and (one.value or one.upto):
        both = Phrase("%(label)s from %(low)s to %(high)s")
        half = Phrase("%(label)s from %(low)s") if one.value else Phrase("%(label)s to %(high)s")
        said = both if one.value and one.upto else half
        return said.fill(label=label, low=one.value, high=one.upto).translated()
    if not one.value:
        return gettext("Has %(label)s") % {"label": label}
    if one.op == Op.BEGINS:
        return gettext("%(label)s starts with %(value)s") % {"label": label, "value": one.value}
    return f"{label} {one.value}"


def _note(asking: ListRequest, way: QueryPlan) -> str:
    """Return a note on what this index leaves out."""
    if not isinstance(way, ByAttribute) or way.composite is None:
        return ""
    names = ", ".join(asking.known.label(key) for key in way.composite.keys)
    of = asking.known.classification_name(way.composite.owner)
    key = f"{names} ({of})" if of else names
    return gettext("Composite key %(key)s: lists documents that have all of these attributes.") % {"key": key}


def not_indexed_context(asking: ListRequest, found: NotIndexed) -> dict[str, Any]:
    filters = asking.filters
    parts: list[tuple[str, Filters]] = []
    if filters.day:
        parts.append((gettext("day: %(day)s") % {"day": written_day(filters.day)}, Filters(day=filters.day)))
    if filters.status:
        parts.append(
            (
                gettext("status: %(status)s") % {"status": gettext(STATUS_LABELS[filters.status].words)},
                Filters(status=filters.status),
            )
        )
    if filters.classification:
        name = asking.known.classification_name(filters.classification) or filters.classification
        parts.append(
            (gettext("document type: %(name)s") % {"name": name}, Filters(classification=filters.classification))
        )
    if filters.tag:
        parts.append(
            (gettext("tag: %(tag)s") % {"tag": filters.tag}, Filters(tag=filters.tag, tag_value=filters.tag_value))
        )
    parts += [(_words(asking.known, one), Filters(attributes=(one,))) for one in filters.attributes]
    return {
        "not_indexed": found,
        "alone": [Alone(asking.to(one), words) for words, one in parts],
        "wanted_key": ", ".join(asking.known.label(key) for key in found.attributes),
        "wanted_keys": ", ".join(found.attributes),
    }

"""Choosing the index that answers a combination of filters. Pure functions.

Combinations without an index are refused, not filtered in memory: a page could cost reading the whole table.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext

from config.errors import Refused
from config.phrase import Phrase
from config.table import Encoded, InvalidKey, encode_part
from projects.documents.filters import AttributeFilter, Filters, Op
from projects.documents.index_queries import ByAttribute, ByClassification, ByDay, ByStatus, ByTag, QueryPlan, Span
from projects.schemas.attribute_values import in_key, parse_values
from projects.schemas.composite_keys import composite_key, composite_value
from projects.schemas.governing import AttributeDefinition, CompositeKey
from projects.schemas.vocabulary import Vocabulary


@dataclass(frozen=True)
class NotIndexed:
    """``filters``: names of the combination. ``attributes``: a composite key of these would serve it."""

    filters: Sequence[str]
    attributes: Sequence[str] = ()


def plan_query(filters: Filters, known: Vocabulary, today: dt.date) -> QueryPlan | NotIndexed:
    """Raises: Refused if a value has the wrong type or the attribute does not exist."""
    asked = _keys_of_filters(filters)
    found: QueryPlan | None = None
    if "attributes" in asked and asked <= {"attributes", "classification"}:
        return _by_attributes(filters, known)
    if asked <= {"day"}:
        found = ByDay(filters.day or today)
    elif asked <= {"classification", "day"}:
        found = ByClassification(filters.classification, filters.day)
    elif asked == {"tag"}:
        found = ByTag(filters.tag, filters.tag_value or None)
    elif asked == {"status"} and filters.status:
        found = ByStatus(filters.status)
    return found or NotIndexed(_attributes_of_filters(filters, known))


def _keys_of_filters(filters: Filters) -> set[str]:
    given = {
        "day": filters.day,
        "status": filters.status,
        "classification": filters.classification,
        "tag": filters.tag,
        "attributes": filters.attributes,
    }
    return {name for name, value in given.items() if value}


def _attributes_of_filters(filters: Filters, known: Vocabulary) -> list[str]:
    words = {
        "day": Phrase("day"),
        "status": Phrase("status"),
        "classification": Phrase("document type"),
        "tag": Phrase("tag “%(tag)s”").fill(tag=filters.tag),
    }
    asked = _keys_of_filters(filters)
    return [word for name, word in words.items() if name in asked] + [
        known.label(one.key) for one in filters.attributes
    ]


def _by_attributes(filters: Filters, known: Vocabulary) -> QueryPlan | NotIndexed:
    asked = [(_definition(known, one.key), one) for one in filters.attributes]
    if len(asked) == 1 and not filters.classification:
        definition, one = asked[0]
        span = _span(definition, one)
        return ByAttribute(definition.key, span, numeric=definition.data_type == "NUMBER")
    composite = _composite(filters, known)
    if composite is None:
        return NotIndexed(_attributes_of_filters(filters, known), [one.key for one in filters.attributes])
    by_key = {definition.key: (definition, one) for definition, one in asked}
    ordered = [by_key[key] for key in composite.keys[: len(asked)]]
    span = _composite_span(ordered, whole=len(asked) == len(composite.keys))
    return ByAttribute(composite_key(composite.keys), span, composite=composite)


def _definition(known: Vocabulary, key: str) -> AttributeDefinition:
    if key not in known.attributes:
        raise Refused(gettext("Attribute “%(key)s” does not exist. Choose another.") % {"key": key})
    return known.attributes[key]


def _composite(filters: Filters, known: Vocabulary) -> CompositeKey | None:
    """Return the shortest composite key that begins with these attributes, the site's own first.

    With a document type, only a key unique to its schema qualifies, whose rows belong to that type alone.
    """
    rows = filters.attributes
    keys = {one.key for one in rows}
    fixed = {one.key for one in rows if one.op == Op.IS and one.value}
    if len(keys) < len(rows) or len(keys - fixed) > 1:
        return None

    def serves(one: CompositeKey) -> bool:
        head = one.keys[: len(keys)]
        last_is_open = not (keys - fixed) or head[-1:] == tuple(keys - fixed)
        return set(head) == keys and last_is_open

    fitting = sorted((one for one in known.composite_keys if serves(one)), key=lambda one: (len(one.keys), one.owner))
    if filters.classification:
        owners = {one.keys: {other.owner for other in fitting if other.keys == one.keys} for one in fitting}
        fitting = [one for one in fitting if owners[one.keys] == {filters.classification}]
    elif any(not one.owner for one in fitting):
        fitting = [one for one in fitting if not one.owner]
    return fitting[0] if fitting else None


def _value(definition: AttributeDefinition, text: str) -> str:
    """Encode a value as in sort keys."""
    (value,) = parse_values(definition, [text])
    found = in_key(value)
    return found if isinstance(found, Encoded) else encode_part(found)


def _is_ordered(definition: AttributeDefinition) -> bool:
    return definition.data_type == "NUMBER" or definition.kind == "date"


def _span(definition: AttributeDefinition, one: AttributeFilter) -> Span:
    if one.op == Op.BETWEEN and (one.value or one.upto):
        if not _is_ordered(definition):
            raise Refused(
                gettext("%(label)s cannot be filtered by range. Use “starts with”.") % {"label": definition.label}
            )
        low, high = (_value(definition, text) if text else "" for text in (one.value, one.upto))
        if low and high and low > high:
            raise Refused(
                gettext("The range for %(label)s is reversed: %(value)s is after %(upto)s. Swap the values.")
                % {"label": definition.label, "value": one.value, "upto": one.upto}
            )
        return Span(low=low, high=high)
    if not one.value:
        return Span()
    if one.op == Op.BEGINS:
        if definition.data_type != "STRING":
            raise Refused(gettext("%(label)s is not a text attribute. Use “between”.") % {"label": definition.label})
        return Span(prefix=_encode_value(one.value))
    return Span(exact=_value(definition, one.value))


def _encode_value(text: str) -> str:
    try:
        return encode_part(text)
    except InvalidKey as error:
        raise Refused(str(error)) from error


def _composite_span(ordered: Sequence[tuple[AttributeDefinition, AttributeFilter]], *, whole: bool) -> Span:
    """Return the sort-key range: a fixed prefix, ``#``, then the rest; ``$`` is the character after ``#``."""
    fixed = [parse_values(definition, [one.value])[0] for definition, one in ordered if one.op == Op.IS and one.value]
    head = composite_value(fixed)
    if len(fixed) == len(ordered):
        return Span(exact=head) if whole else Span(prefix=f"{head}#")
    definition, one = ordered[-1]
    head = Encoded(f"{head}#") if fixed else head
    span = _span(definition, one)
    if span == Span():
        return Span(prefix=head)
    if span.prefix:
        return Span(prefix=head + span.prefix)
    return replace(span, low=head + span.low, high=head + (f"{span.high}$" if span.high else "~~"))

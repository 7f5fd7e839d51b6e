"""Which way answers what somebody asks for, and what no key holds."""

import datetime as dt
import itertools
from decimal import Decimal

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from config.errors import Refused
from config.table import encode_part, number_of, ordered_number
from projects.documents.filters import AttributeFilter, Filters, Op, filters_from
from projects.documents.index_queries import ByAttribute, ByClassification, ByDay, ByStatus, ByTag, Span
from projects.documents.items import DocumentStatus
from projects.documents.query_plan import NotIndexed, plan_query
from projects.documents.states import STATUS_LABELS, look_of
from projects.schemas.composite_keys import composite_key, composite_value
from projects.schemas.governing import AttributeDefinition, CompositeKey
from projects.schemas.queries import ClassificationRow
from projects.schemas.vocabulary import Vocabulary
from tests.each import each
from tests.projects.make_schemas import KINDS
from workflows.runs.items import Outcome

TODAY = dt.date(2026, 11, 21)
INVOICE, RECEIPT = "11111111-1111-1111-1111-111111111111", "22222222-2222-2222-2222-222222222222"
KNOWN = Vocabulary(
    {key: AttributeDefinition(key, key.capitalize(), kind) for key, kind in KINDS.items()},
    [ClassificationRow(INVOICE, "Invoice", False, "")],
    [
        CompositeKey(("vendor", "category"), ""),
        CompositeKey(("vendor", "category", "total"), ""),
        CompositeKey(("currency", "total"), INVOICE),
        CompositeKey(("issued", "currency"), INVOICE),
        CompositeKey(("issued", "currency"), RECEIPT),
    ],
)


def asked(text):
    return filters_from(QueryDict(text), TODAY)


def found(text):
    return plan_query(asked(text), KNOWN, TODAY)


ONE_EACH = {
    "day": ("day=2026-11-02", ByDay(dt.date(2026, 11, 2))),
    "status": ("status=failed", ByStatus(DocumentStatus.FAILED)),
    "classification": (f"class={INVOICE}", ByClassification(INVOICE)),
    "tag": ("tag=customer&value=Acme", ByTag("customer", "Acme")),
    "attribute": ("a=vendor&v=Acme", ByAttribute("vendor", Span(exact="Acme"))),
}


@each("name", ONE_EACH)
def test_each_filter_alone_has_its_way(name):
    text, wanted = ONE_EACH[name]
    assert found(text) == wanted


def test_without_any_it_is_today_and_a_day_to_come_is_today():
    assert found("") == found("day=2027-01-01") == found("day=soon&status=odd") == ByDay(TODAY)


@each("pair", list(itertools.combinations(ONE_EACH, 2)))
def test_of_any_two_only_a_day_of_a_classification_is_indexed(pair):
    answer = found("&".join(ONE_EACH[name][0] for name in pair))
    if pair == ("day", "classification"):
        assert answer == ByClassification(INVOICE, dt.date(2026, 11, 2))
    else:
        assert isinstance(answer, NotIndexed)
        assert len(answer.filters) == 2


@each(
    ("text", "span"),
    [
        ("a=vendor", Span()),
        ("a=vendor&v=A/B #1", Span(exact=str(encode_part("A/B #1")))),
        ("a=vendor&o=begins&v=Ac", Span(prefix="Ac")),
        ("a=urgent", Span()),
        ("a=urgent&v=x", Span(exact="#")),
        ("a=paid&v=yes", Span(exact="true")),
        ("a=total&v=12.50", Span(exact=ordered_number(Decimal("12.5")))),
        ("a=total&o=between&v=-3&to=10", Span(low=ordered_number(Decimal(-3)), high=ordered_number(Decimal(10)))),
        ("a=total&o=between&v=&to=10", Span(high=ordered_number(Decimal(10)))),
        ("a=issued&o=between&v=2026-01-01&to=", Span(low="2026-01-01")),
        ("a=total&o=between", Span()),
    ],
)
def test_an_attribute_is_asked_for_in_the_form_of_its_keys(text, span):
    answer = found(text.replace("#", "%23"))
    assert isinstance(answer, ByAttribute)
    assert answer.span == span


@each(
    ("text", "sentence"),
    [
        ("a=nothing&v=1", "Attribute “nothing” does not exist"),
        ("a=total&v=a lot", "not a valid value for Total"),
        ("a=total&o=begins&v=1", "Use “between”"),
        ("a=vendor&o=between&v=a&to=b", "cannot be filtered by range"),
        ("a=total&o=between&v=10&to=2", "Swap the values"),
        ("a=vendor&o=begins&v=%ED%A0%80x", ""),
    ],
)
def test_what_is_no_question_is_refused_with_what_to_do(text, sentence):
    if not sentence:  # half a character reaches no view as such
        assert isinstance(found(text), ByAttribute)
        return
    with pytest.raises(Refused, match=sentence):
        found(text)


@each(
    ("text", "keys", "span"),
    [
        ("a=category&v=goods&a=vendor&v=Acme", ("vendor", "category"), Span(exact="Acme#goods")),
        ("a=vendor&v=Acme&a=category&o=is&o=begins&v=go", ("vendor", "category"), Span(prefix="Acme#go")),
        ("a=vendor&v=Acme&a=category&v=", ("vendor", "category"), Span(prefix="Acme#")),
        (
            "a=vendor&a=category&a=total&v=A&v=g&v=1&o=is&o=is&o=between&to=&to=&to=2",
            ("vendor", "category", "total"),
            Span(low=f"A#g#{ordered_number(Decimal(1))}", high=f"A#g#{ordered_number(Decimal(2))}$"),
        ),
        ("a=currency&v=eur&a=total&v=3", ("currency", "total"), Span(exact=f"EUR#{ordered_number(Decimal(3))}")),
        (f"class={INVOICE}&a=currency&v=EUR", ("currency", "total"), Span(prefix="EUR#")),
    ],
)
def test_several_attributes_are_the_composite_key_that_begins_with_them(text, keys, span):
    answer = found(text)
    assert isinstance(answer, ByAttribute)
    assert answer.composite is not None
    assert (answer.composite.keys, answer.key, answer.span) == (keys, composite_key(keys), span)


@each(
    "text",
    [
        "a=vendor&v=x&a=paid&v=yes",
        "a=category&a=total&v=goods&v=1",  # not the first parts
        "a=vendor&a=category&v=&v=goods",  # what is open comes last
        "a=vendor&a=category&o=begins&o=begins&v=a&v=b",
        "a=vendor&a=vendor&v=a&v=b",
        f"class={INVOICE}&a=vendor&a=category&v=a&v=goods",  # the site's key has other documents too
        f"class={INVOICE}&a=issued&a=currency&v=2026-01-01&v=EUR",  # and so has another classification's
        f"class={INVOICE}&a=vendor&v=x",
    ],
)
def test_what_no_composite_key_begins_with_says_which_would(text):
    answer = found(text)
    assert isinstance(answer, NotIndexed)
    assert set(answer.attributes) == {one.key for one in asked(text).attributes}


@given(st.lists(st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**6), max_value=10**6)))
def test_a_range_behind_fixed_values_holds_exactly_what_lies_in_it(numbers):
    """As the index sorts: by bytes."""
    answer = found("a=vendor&a=category&a=total&v=A&v=g&v=-2.5&o=is&o=is&o=between&to=&to=&to=300")
    assert isinstance(answer, ByAttribute)
    for number in numbers:
        key = composite_value(["A", "g", number]).encode()
        inside = answer.span.low.encode() <= key <= answer.span.high.encode()
        assert inside == (Decimal("-2.5") <= number <= 300)
        assert number_of(ordered_number(number)) == number


def test_a_question_is_the_same_in_its_own_address():
    attributes = (AttributeFilter("total", Op.BETWEEN, "1", "2"), AttributeFilter("vendor", Op.BEGINS, "A&B #1"))
    filters = Filters(dt.date(2026, 1, 2), DocumentStatus.FAILED, INVOICE, "ä", "ö/", attributes)
    assert asked(filters.query) == filters
    assert not Filters(tag_value="of no tag").query


def test_every_outcome_is_a_status_and_every_status_is_shown():
    assert {one.value for one in Outcome} < {one.value for one in DocumentStatus}
    assert set(STATUS_LABELS) == set(DocumentStatus)
    assert look_of("deleted") is look_of(None) is None

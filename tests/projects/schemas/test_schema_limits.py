import pytest

from config.errors import Refused
from projects.schemas import queries as schema_queries
from projects.schemas.governing import AttributeUse, Schema
from tests.each import each
from tests.projects.make_schemas import SITE, make_classification, save


@each(
    ("use", "sentence"),
    [
        (AttributeUse("nothing"), "Attribute “nothing” does not exist"),
        (AttributeUse("issued", allowed=("soon",)), "“soon” is not a valid date value, for example 2024-03-31"),
        (AttributeUse("total", default="much"), "“much” is not a valid amount value"),
        (AttributeUse("paid", allowed=("yes",)), "Yes/No attributes have fixed values"),
        (AttributeUse("urgent", default="x"), "urgent has no value"),
        (AttributeUse("vendor", allowed=("x" * 201,)), "up to 200 characters"),
        (AttributeUse("vendor", allowed=tuple(map(str, range(101)))), "at most 100 values"),
        (AttributeUse("category", allowed=("a",), default="b"), "Choose one of the allowed values"),
    ],
)
def test_a_schema_that_says_what_it_may_not_is_refused(attributes, use, sentence):
    with pytest.raises(Refused, match=sentence):
        make_classification(Schema("X", (use,)))
    assert schema_queries.list_classifications(SITE)[0] == []


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        (("vendor",), "Enter 2 to 5 attributes"),
        (("vendor", "vendor"), "List each attribute once"),
        (("vendor", "nothing"), "Attribute “nothing” does not exist"),
        (("vendor", "urgent"), "urgent has no value"),
    ],
)
def test_a_composite_key_that_finds_nothing_is_refused(attributes, keys, sentence):
    with pytest.raises(Refused, match=sentence):
        make_classification(Schema("X", composite_keys=(keys,)))


def test_values_are_stored_in_one_form(attributes):
    uses = (AttributeUse("total", allowed=("12.5", "12.50", "1e2")), AttributeUse("paid", default="Yes"))
    found = schema_queries.get_classification(SITE, make_classification(Schema("X", uses))).schema
    assert [(one.allowed, one.default) for one in found.uses] == [(("12.50", "100.00"), ""), ((), "true")]


def test_what_one_transaction_cannot_hold_is_refused_and_a_part_is_not(attributes):
    values = tuple(f"value {i}" for i in range(100))
    with pytest.raises(Refused, match="Too many changes: 102 of at most 98"):
        make_classification(Schema("X", (AttributeUse("category", allowed=values),)))
    owner = make_classification(Schema("X", (AttributeUse("category", allowed=values[:90]),)))
    save(owner, Schema("X", (AttributeUse("category", allowed=values),)))
    assert len(schema_queries.list_allowed_values(SITE, "category")) == 100

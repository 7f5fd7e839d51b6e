from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.errors import Refused
from config.table import DOCUMENT_ATTRIBUTE, InvalidKey, decode_part
from projects.schemas.composite_keys import composite_key, composite_rows, composite_value


def pairs(definitions, values):
    return [(row.key, row.value) for row in composite_rows(definitions, values)]


def test_a_document_with_all_of_a_keys_attributes_has_its_row():
    values = {"category": ["goods"], "currency": ["EUR"], "vendor": ["A"]}
    assert pairs([("category", "currency")], values) == [("category#currency", "goods#EUR")]


def test_one_that_lacks_an_attribute_has_none():
    assert pairs([("category", "currency")], {"category": ["goods"]}) == []
    assert pairs([("category", "currency")], {"category": ["goods"], "currency": []}) == []
    assert pairs([()], {"category": ["goods"]}) == []
    assert pairs([], {"category": ["goods"]}) == []


def test_several_values_make_a_row_for_each():
    values = {"a": ["1", "2"], "b": ["x", "y"]}
    assert [value for _, value in pairs([("a", "b")], values)] == ["1#x", "1#y", "2#x", "2#y"]


def test_the_same_key_of_site_and_classification_counts_once():
    assert len(pairs([("a", "b"), ("a", "b"), ("b", "a")], {"a": ["1"], "b": ["2"]})) == 2


def test_numbers_sort_and_truths_are_words():
    values = [composite_value(["x", Decimal(number)]) for number in ("-10", "-2.5", "0", "9", "10.25")]
    assert values == sorted(values)
    assert composite_value([True, False]) == "true#false"


def test_the_rows_are_fit_for_their_keys():
    (row,) = composite_rows([("a#b", "c")], {"a#b": ["x/y#z"], "c": [Decimal("-1.5")]})
    key = DOCUMENT_ATTRIBUTE.key("default", document_id="d", key=row.key, value=row.value)
    index = DOCUMENT_ATTRIBUTE.gsi1("default", key=row.key, value=row.value)
    assert (key.sk, index["GSI1SK"]) == (f"attr#{row.key}#{row.value}", row.value)
    assert (row.keys, row.values) == (("a#b", "c"), ("x/y#z", Decimal("-1.5")))


def test_a_prefix_finds_by_the_first_attributes():
    (row,) = composite_rows([("a", "b")], {"a": ["goods"], "b": ["EUR"]})
    assert row.value.startswith(composite_value(["goods"]) + "#")
    assert composite_key(["a", "b"]) == row.key


def test_a_document_is_not_found_in_countless_ways():
    values = {"a": [str(i) for i in range(11)], "b": [str(i) for i in range(10)]}
    with pytest.raises(Refused, match="more than 100 index entries"):
        composite_rows([("a", "b")], values)


def test_values_that_are_too_long_together_are_refused_with_what_to_do():
    with pytest.raises(Refused, match="composite key a, b are too long"):
        composite_rows([("a", "b")], {"a": ["x" * 600], "b": ["y" * 600]})


def test_half_a_character_is_refused():
    with pytest.raises(InvalidKey):
        composite_rows([("a", "b")], {"a": ["\ud800"], "b": ["x"]})


@given(st.lists(st.text(max_size=20), min_size=2, max_size=4))
def test_where_each_value_ends_is_never_lost(values):
    try:
        text = composite_value(values)
    except InvalidKey:
        assert any("\ud800" <= one <= "\udfff" for value in values for one in value)
    else:
        assert [composite_value([decode_part(part)]) for part in text.split("#")] == [
            composite_value([one]) for one in values
        ]

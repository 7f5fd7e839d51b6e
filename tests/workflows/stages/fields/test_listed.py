import pytest

from tests.workflows.stages.memory import document
from workflows.stages import fields
from workflows.stages.base import FieldSpec
from workflows.stages.segment_analyzer import _field

TERMS = FieldSpec("terms", "Payment terms", "text", True, 0.8, ("Net 30", "Net 60", "Prepaid"))


def found(spec, *rows):
    return [(one.value, one.raw) for one in fields.find_candidates(document(*rows), spec)]


def test_a_value_is_written_as_the_list_has_it():
    assert found(TERMS, "Payment terms: NET  30") == [("Net 30", "NET 30")]


def test_a_value_of_the_list_is_preferred_to_what_stands_nearer():
    rows = ("Payment terms", "as agreed", "Please note: prepaid")
    assert found(TERMS, *rows)[0] == ("Prepaid", "prepaid")


def test_a_value_that_stands_somewhere_is_found_and_a_person_is_asked():
    (best,) = fields.find_candidates(document("Conditions of sale", "You pay net 60 from receipt"), TERMS)
    assert best.value == "Net 60"
    assert best.confidence < TERMS.threshold


def test_beside_its_label_it_is_sure():
    best = fields.find_candidates(document("Payment terms: Net 30"), TERMS)[0]
    assert best.confidence > 0.9


def test_what_is_not_in_the_list_is_shown_where_nothing_else_is_found():
    assert found(TERMS, "Payment terms: two weeks") == [("two weeks", "two weeks")]


def test_parts_of_words_and_short_values_are_not_taken_for_values():
    letters = FieldSpec("grade", "Grade", "text", False, 0.8, ("A", "B", "rent"))
    assert found(letters, "A house for parents") == []


def test_numbers_are_found_by_their_label_only():
    rate = FieldSpec("rate", "VAT rate", "number", False, 0.8, ("7", "19"))
    assert found(rate, "19 pieces", "VAT rate: 7.0 %") == [("7", "7.0 %")]


def test_a_currency_outside_the_list_stays_a_candidate():
    currency = FieldSpec("currency", "Currency", "currency", False, 0.8, ("EUR", "USD"))
    assert found(currency, "Total GBP 12.00")[0][0] == "GBP"
    assert found(currency, "Total EUR 12.00")[0][0] == "EUR"


@pytest.mark.parametrize(
    ("row", "value"),
    [("Paid: yes", "true"), ("Paid: No, still open", "false"), ("Paid: x", "true"), ("Paid: May", None)],
)
def test_yes_or_no(row, value):
    paid = FieldSpec("paid", "Paid", "boolean", False, 0.8, ("true", "false"))
    hits = found(paid, row)
    assert (hits[0][0] if hits else None) == value


def test_a_default_stands_for_nothing_found_and_says_so():
    currency = FieldSpec("currency", "Currency", "currency", True, 0.8, ("EUR", "USD"), "EUR")
    given = _field(currency, [], {})
    assert (given["value"], given["source"], given["confidence"], given["page"]) == ("EUR", "default", 1.0, None)
    read = _field(currency, fields.find_candidates(document("Total USD 12.00"), currency), {})
    assert (read["value"], read["source"]) == ("USD", "rules")
    assert (read["allowed"], read["default"]) == (["EUR", "USD"], "EUR")

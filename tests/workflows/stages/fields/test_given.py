import pytest

from workflows.stages.base import FieldSpec
from workflows.stages.fields.candidates import Candidate
from workflows.stages.fields.given import WHOLE, is_reading_of, merge_candidates

TEXT = FieldSpec("note_number", "Note number", "text", False, 0.8)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("DN-9", "DN-9"),
        ("Note number: DN-9", "DN-9"),
        ("RE-2024/118", "118"),
        ("+49 30 1234", "+49301234"),
        ("Alder Stationery Ltd., 12 High Street", "Alder Stationery"),
        ("A1der Stationery", "Alder Stationery"),
    ],
)
def test_words_of_the_page_prove_what_they_say(raw, value):
    assert is_reading_of(raw, value, TEXT)


@pytest.mark.parametrize(
    ("raw", "value"),
    [("28 November 2026", "1"), ("28 November 2026", "2"), ("INV-1234", "INV-123"), ("DN-9", "DN-91"), ("DN-9", "1")],
)
def test_they_prove_no_part_of_a_number_and_no_other(raw, value):
    assert not is_reading_of(raw, value, TEXT)


def candidate(value: str, confidence: float, source: str = "rules") -> Candidate:
    return Candidate(value, value, 0, WHOLE, 1.0, 1.0, confidence=confidence, source=source)


@pytest.mark.parametrize(("rules", "believed"), [(0.0, 0.97), (0.5, 0.9417), (0.95, 0.6178)])
def test_a_value_is_believed_less_the_surer_the_rules_are_of_another(rules, believed):
    total = FieldSpec("total", "Total", "amount", True, 0.8)
    merged = merge_candidates(total, [candidate("12.50", 0.97, "model")], [candidate("120.00", rules)])
    assert [(one.value, one.confidence) for one in merged] == [("12.50", believed), ("120.00", rules)]


def test_a_value_that_both_read_is_as_sure_as_the_surer_reading():
    total = FieldSpec("total", "Total", "amount", True, 0.8)
    merged = merge_candidates(
        total, [candidate("120.0", 0.6, "model")], [candidate("120.00", 0.9), candidate("100.00", 0.3)]
    )
    assert [(one.value, one.confidence) for one in merged] == [("120.0", 0.9), ("100.00", 0.3)]


@pytest.mark.parametrize("rules", ["12 High Street, Bristol, United Kingdom", "12 Hi9h Street, Bristol"])
def test_a_text_that_is_cut_or_mended_is_no_other_value(rules):
    address = FieldSpec("address", "Address", "text", False, 0.8)
    merged = merge_candidates(address, [candidate("12 High Street, Bristol", 0.97, "model")], [candidate(rules, 0.95)])
    assert merged[0].confidence == 0.97

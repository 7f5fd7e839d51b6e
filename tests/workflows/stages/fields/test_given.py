import pytest

from workflows.stages.base import FieldSpec
from workflows.stages.fields.given import is_reading_of

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

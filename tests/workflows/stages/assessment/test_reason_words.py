"""What is stored of a reason in English is said in the language of a page, with its values."""

import pytest
from django.utils.translation import override

from config.phrase import Phrase
from workflows.stages.assessment import needs_review
from workflows.stages.assessment.reason_words import tell_reason
from workflows.stages.document_copy import WORDS

STORED = (
    "Total not found",
    "Date “soon” is not a valid date",
    "Currency “XYZ” is not an allowed value",
    "Company is not verified; too few reviews to rely on its confidence",
    "Company is not verified",
    "Total has no confidence",
    "Total 79 %, needs 80 % to keep the error limit",
    "Total 79 %, needs 80 %",
    "Date could be 3 April 2024 or 4 March 2024",
    "Date 2031-01-01 is in the future",
    "Date 1901-01-01 is more than 100 years ago",
    "Date 2131-01-01 is more than 100 years ahead",
    "IBAN is not a valid IBAN: its check digits do not match",
    "VAT ID is not a valid VAT ID for its country",
    "Document type: no match",
    "Document type: Invoice 60 % or Receipt 55 %?",
    "Document type Invoice 60 %, needs 80 %",
    needs_review.AUDIT,
    "Finance: every document",
    "Finance, by one more person: Field total is greater than “1000”",
    *WORDS.values(),
)


@pytest.mark.parametrize("stored", STORED)
def test_each_reason_stays_as_it_is_stored_and_is_translated(stored):
    told = tell_reason(stored)
    assert told == stored
    with override("de"):
        assert told.translated() != stored


def test_values_stand_in_the_sentence_of_the_language():
    with override("de"):
        assert tell_reason("Net total 79 %, needs 80 %").translated() == "Net total 79 %, nötig sind 80 %"
        assert (
            tell_reason("Date “soon” is not a valid date").translated() == "Date „soon“ ist kein gültiger Wert (Datum)"
        )


def test_what_no_one_knows_stays():
    assert tell_reason("") == ""
    assert isinstance(tell_reason("Looks odd"), Phrase)
    assert tell_reason("Looks odd").translated() == "Looks odd"


def test_what_an_approval_asks_is_translated_around_the_names_that_a_person_gave() -> None:
    asked = "Hiring: Head: Field contract.salary is greater than “5000” and Field note is “this and that”"
    with override("de"):
        told = tell_reason(asked).translated()
        assert told == "Hiring: Head: Feld contract.salary ist größer als „5000“ und Feld note ist „this and that“"
    with override("ja"):
        assert "every" not in tell_reason("Finance, by one more person: every execution").translated()

"""What a model may fill in for a page: every field of the project, in stored form, or told why not."""

import re

import pytest

from tests.each import each
from tests.workflows.stages.memory import FIELDS
from workflows.providers.language_models import answers
from workflows.providers.language_models.answers import Problems
from workflows.stages.base import FieldSpec
from workflows.stages.services import GivenValue, PageAnswer

RATE = FieldSpec("rate", "VAT rate", "number", required=False, threshold=0.8, allowed=("19", "7"))


def entry(value: object, raw: str = "", confidence: object = 0.9) -> dict:
    return {"value": value, "raw": raw, "confidence": confidence}


def test_the_schema_has_every_field_of_the_project():
    due = FieldSpec(
        "due", "Due", "date", required=False, threshold=0.8, description="When to pay", examples="2024-03-12"
    )
    tool = answers.page_answer_schema((*FIELDS, RATE, due))["inputSchema"]["json"]
    fields = tool["properties"]["fields"]
    assert list(fields["properties"]) == [*(spec.name for spec in FIELDS), "rate", "due"] == fields["required"]
    told = "Due. When to pay. For example: 2024-03-12. Null where this page does not say it."
    assert fields["properties"]["due"]["description"] == told
    assert fields["properties"]["rate"]["properties"]["value"]["enum"] == ["19", "7"]
    date = re.compile(fields["properties"]["date"]["properties"]["value"]["pattern"])
    assert [bool(date.search(one)) for one in ("2024-03-12", "2024-13-12", "12.03.2024")] == [True, False, False]
    assert "YYYY-MM-DD" in fields["properties"]["date"]["properties"]["value"]["description"]
    assert fields["properties"]["company"]["description"].startswith("Company.")


def test_values_come_out_in_their_stored_form():
    found = answers.check_page_answer(
        {
            "description": " An invoice. ",
            "document_type": "invoice",
            "entities": ["Alder & Quill", 7, None, ""],
            "fields": {
                "company": entry("Alder & Quill"),
                "date": entry("12 March 2024", "12 March 2024", 1),
                "total": entry("1,007.50", "£1,007.50", 0.5),
                "currency": entry("£"),
                "address": None,
                "invoice_number": entry(""),
            },
        },
        FIELDS,
    )
    assert found == PageAnswer(
        (
            GivenValue("company", "Alder & Quill", "Alder & Quill", 0.9),
            GivenValue("date", "2024-03-12", "12 March 2024", 1.0),
            GivenValue("total", "1007.50", "£1,007.50", 0.5),
            GivenValue("currency", "GBP", "£", 0.9),
        ),
        "An invoice.",
        "invoice",
        ("Alder & Quill", "7"),
    )


@each(
    ("fields", "words"),
    [
        ({"date": entry("yesterday")}, "date: 'yesterday' is no date. As YYYY-MM-DD."),
        ({"total": entry("about ten")}, "total: 'about ten' is no amount"),
        ({"total": entry("9.00", confidence="high")}, "total: confidence has to be a number from 0 to 1."),
        ({"total": entry("9.00", confidence=95)}, "total: confidence has to be a number from 0 to 1."),
        ({"total": entry("9.00", confidence=True)}, "total: confidence"),
        ({"total": "9.00"}, "total has to be an object with value, raw and confidence, or null."),
        ({"rate": entry("20")}, "rate: '20' is none of 19, 7."),
        ({"colour": entry("red")}, "colour is no field that was asked for."),
        ({"company": entry("x" * 3000)}, "longer than 2000 characters"),
        (None, "fields is missing or no object."),
        ([], "fields is missing or no object."),
    ],
)
def test_what_cannot_be_taken_is_said(fields, words):
    found = answers.check_page_answer({"fields": fields}, (*FIELDS, RATE))
    assert isinstance(found, Problems)
    assert words in str(found)


def test_everything_that_is_wrong_is_said_at_once():
    found = answers.check_page_answer({"fields": {"date": entry("no"), "total": entry("no")}}, FIELDS)
    assert isinstance(found, Problems)
    assert len(found.lines) == 2


@pytest.mark.parametrize(
    ("written", "stored"),
    [("12.345", "12.345"), ("1.000", "1.00"), ("1.000000", "1.00"), ("-0012.5", "-12.50"), ("1.007,50", "1007.50")],
)
def test_a_plain_decimal_is_read_as_one(written: str, stored: str):
    """And no decimal that the schema lets a model write is refused."""
    found = answers.check_page_answer({"description": "", "fields": {"total": entry(written)}}, FIELDS)
    assert [one.value for one in found.fields] == [stored]


def test_no_object_at_all():
    assert isinstance(answers.check_page_answer("invoice", FIELDS), Problems)


def test_yes_and_no_as_the_model_writes_them():
    spec = FieldSpec("paid", "Paid", "boolean", required=False, threshold=0.8)
    found = answers.check_page_answer({"fields": {"paid": entry(True)}}, (spec,))
    assert isinstance(found, PageAnswer)
    assert found.fields[0].value == "true"

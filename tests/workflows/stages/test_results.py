from typing import Any

import pytest

from tests.each import each
from tests.workflows.stages.memory import FIELDS
from workflows.stages import (
    results,
)
from workflows.stages.assessment import needs_review
from workflows.stages.base import FieldSpec

TODAY = "2026-11-21"


def field(name: str, value: str | None, confidence: float = 0.95, kind: str = "text") -> dict[str, Any]:
    return {
        "name": name, "label": name.title(), "type": kind, "value": value, "raw": value, "confidence": confidence,
        "page": 0, "box": [0, 0, 1, 1], "source": "rules", "candidates": [],
    }  # fmt: skip


def result(**changes: dict[str, Any]) -> dict[str, Any]:
    fields = {
        "company": field("company", "Alder Ltd"),
        "date": field("date", "2024-03-12", kind="date"),
        "total": field("total", "510.24", kind="amount"),
    } | changes
    return {"version": 1, "document_type": "invoice", "pages": [], "fields": list(fields.values()), "notes": []}


def texts(found: dict[str, Any]) -> list[tuple[str | None, str, str]]:
    return [
        (reason.field, reason.code, reason.text)
        for reason in needs_review.find_review_reasons(found, FIELDS, today=TODAY)
    ]


def test_a_sure_result_has_no_reasons() -> None:
    assert texts(result()) == []


def test_reasons_are_sentences_a_reviewer_can_act_on() -> None:
    found = result(
        company=field("company", None, 0.0),
        date=field("date", "2027-01-01", kind="date"),
        total=field("total", "510.24", 0.796, kind="amount"),
    )
    assert texts(found) == [
        ("company", "missing", "Company not found"),
        ("date", "rule", "Date 2027-01-01 is in the future"),
        ("total", "low_confidence", "Total 79 %, needs 80 %"),
    ]


def test_a_value_that_is_not_of_its_type_is_invalid_however_sure() -> None:
    assert texts(result(total=field("total", "12.3O", 0.99, kind="amount"))) == [
        ("total", "invalid", "Total “12.3O” is not a valid amount")
    ]


def guess(value: str, raw: str, /, **changes: Any) -> dict[str, Any]:
    held = {"value": value, "evidence": {"guessed": 1.0}}
    return field("date", value, 0.5, kind="date") | {"raw": raw, "candidates": [held]} | changes


@each("source", ["rules", "extractor"])
@each("threshold", [0.8, 0.4])
def test_a_day_that_another_country_reads_as_a_month_is_named_both_ways(source: str, threshold: float) -> None:
    spec = FieldSpec("date", "Date", "date", required=True, threshold=threshold)
    found = result(date=guess("2025-04-03", "03/04/2025", source=source))
    asked = needs_review.find_review_reasons(found, (spec,), today=TODAY)
    assert [(one.code, one.text) for one in asked] == [("ambiguous", "Date could be 3 April 2025 or 4 March 2025")]


def test_three_days_are_named_where_the_year_may_come_first() -> None:
    found = result(date=guess("2007-06-05", "05-06-07"))
    assert [text for _, _, text in texts(found)] == ["Date could be 5 June 2007 or 6 May 2007 or 7 June 2005"]


@each(
    "changes",
    [
        {"source": "bedrock"},  # who reads by itself has its own confidence
        {"candidates": [{"value": "2025-04-03", "evidence": None}]},
    ],
)
def test_a_day_that_was_not_guessed_here_is_not_named_twice(changes: dict[str, Any]) -> None:
    assert texts(result(date=guess("2025-04-03", "03/04/2025", **changes))) == [
        ("date", "low_confidence", "Date 50 %, needs 80 %")
    ]


def test_an_absent_optional_field_is_no_reason() -> None:
    assert texts(result(address=field("address", None, 0.0))) == []


def test_an_unsure_optional_field_is_a_reason() -> None:
    assert texts(result(address=field("address", "1 Lane", 0.5)))[0][:2] == ("address", "low_confidence")


def test_a_note_on_the_document_is_a_reason_of_no_field() -> None:
    found = result() | {"notes": ["No page has readable text"]}
    assert texts(found) == [(None, "unreadable", "No page has readable text")]


def test_every_field_has_its_own_threshold() -> None:
    strict = (FieldSpec("total", "Total", "amount", required=True, threshold=0.99),)
    found = needs_review.find_review_reasons(result(), strict, today=TODAY)
    assert [reason.text for reason in found] == ["Total 95 %, needs 99 %"]


def test_the_assessment_names_the_result_it_judged() -> None:
    made = needs_review.build_assessment(result(), FIELDS, result_sha256="abc", today=TODAY)
    assert made == {"version": 1, "result_sha256": "abc", "review_required": False, "reasons": []}


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("text", "99 SPEED MART S/B", "99 Speedmart  s/b"),
        ("date", "12-01-19", "2019-01-12"),
        ("amount", "RM1,007.50", "1007.5"),
        ("currency", "rm", "MYR"),
    ],
)
def test_the_same_answer_in_another_spelling_is_the_same(kind: str, one: str, other: str) -> None:
    assert results.normalise_value(kind, one) == results.normalise_value(kind, other) != ""


def test_nothing_is_not_the_same_as_something() -> None:
    assert results.normalise_value("text", None) == ""
    assert results.normalise_value("amount", "4.00") != results.normalise_value("amount", "40.0")


def test_corrections_are_refused_with_what_to_write() -> None:
    messages = results.validate_corrections(
        FIELDS, {"date": "yesterday", "total": "about ten", "currency": "money", "company": " ", "colour": "red"}
    )
    assert messages == {
        "date": "Enter the date as 2024-03-31 or 31/03/2024.",
        "total": "Enter the amount as 33.90 or 1,007.50, without words.",
        "currency": "Enter the currency as three letters, for example EUR.",
        "company": "Company is required. Enter it or reject the document.",
        "colour": "This field is not part of the project's schema.",
    }


def test_blank_is_an_answer_for_an_optional_field() -> None:
    assert results.validate_corrections(FIELDS, {"address": "", "currency": None, "total": "12"}) == {}


def test_an_endless_value_is_refused() -> None:
    assert "1,000" in results.validate_corrections(FIELDS, {"company": "x" * 1001})["company"]


def test_the_published_result_keeps_what_was_corrected() -> None:
    published = results.merge_corrections(
        result(), {"total": "£520.24", "company": "Alder Ltd"}, decision={"decision": "approve", "reviewer": "bob"}
    )
    fields = {item["name"]: item for item in published["fields"]}
    assert published["decision"] == {"decision": "approve", "reviewer": "bob"}
    assert fields["total"]["value"] == "520.24"
    assert (fields["total"]["source"], fields["total"]["confidence"]) == ("reviewer", 1.0)
    assert fields["total"]["extracted"] == "510.24"
    assert (fields["company"]["source"], "extracted" in fields["company"]) == ("rules", False)
    assert "candidates" not in fields["date"]


def test_a_date_keyed_as_people_write_it_is_no_correction_of_itself() -> None:
    published = results.merge_corrections(result(), {"date": "12/03/2024"})
    assert published["fields"][1]["source"] == "rules"


def test_a_cleared_field_is_published_as_absent() -> None:
    published = results.merge_corrections(result(address=field("address", "1 Lane")), {"address": ""})
    assert published["fields"][-1]["value"] is None
    assert published["fields"][-1]["source"] == "reviewer"


CATEGORY = FieldSpec("category", "Category", "text", True, 0.8, ("Goods", "C", "C#", "rent / lease"))
RATE = FieldSpec("rate", "Rate", "number", False, 0.8, ("7", "19"))


@each(
    ("spec", "text", "value"),
    [
        (CATEGORY, " goods ", "Goods"),
        (CATEGORY, "RENT/LEASE", "rent / lease"),
        (CATEGORY, "C#", "C#"),
        (CATEGORY, "c", None),
        (CATEGORY, "services", None),
        (CATEGORY, "", None),
        (RATE, "7.00", "7"),
        (RATE, "8", None),
        (RATE, "seven", None),
        (FIELDS[0], "anything", "anything"),
    ],
)
def test_a_text_is_one_of_the_allowed_values_or_none(spec: FieldSpec, text: str, value: str | None) -> None:
    assert results.to_allowed_form(spec, text) == value


def test_a_value_outside_the_list_is_a_reason_however_sure() -> None:
    found = result(category=field("category", "services", 0.99))
    (reason,) = needs_review.find_review_reasons(found, (CATEGORY,), today=TODAY)
    assert (reason.code, reason.text) == ("not_allowed", "Category “services” is not an allowed value")
    assert needs_review.find_review_reasons(result(category=field("category", "Goods")), (CATEGORY,), today=TODAY) == []


def test_a_correction_outside_the_list_is_refused() -> None:
    assert results.validate_corrections((CATEGORY, RATE), {"category": "services", "rate": "8"}) == {
        "category": "Category must be one of the allowed values. Select one or reject the document.",
        "rate": "Rate must be one of the allowed values. Select one or reject the document.",
    }
    assert results.validate_corrections((CATEGORY, RATE), {"category": "goods", "rate": ""}) == {}


def test_yes_and_no_are_stored_in_one_form() -> None:
    assert [results.to_stored_form("boolean", text) for text in ("Yes", "☑", "nein", "perhaps")] == [
        "true",
        "true",
        "false",
        None,
    ]


def test_what_does_not_fit_together_is_a_reason_however_sure_the_field() -> None:
    check = {"field": "total", "text": "Total 510.24 does not follow from 400.00 and what is added to it"}
    assert texts(result() | {"checks": [check]}) == [("total", "check", check["text"])]
    assert texts(result() | {"checks": [{**check, "field": "rooms"}]}) == []
    unsure = result(total=field("total", "510.24", 0.5, kind="amount")) | {"checks": [check]}
    assert texts(unsure) == [("total", "check", check["text"])]
    invalid = result(total=field("total", "51O.24", 0.5, kind="amount")) | {"checks": [check]}
    assert [code for _, code, _ in texts(invalid)] == ["invalid"]


@each("confidence", [0.95, 0.5])
def test_an_implausible_day_is_a_reason_however_sure_the_field(confidence: float) -> None:
    found = result(date=field("date", "2027-01-01", confidence, kind="date"))
    assert texts(found) == [("date", "rule", "Date 2027-01-01 is in the future")]


@each(
    ("issued", "due", "asked"),
    [(0.95, 0.95, ["due_date"]), (0.5, 0.95, ["date"]), (0.95, 0.5, ["due_date"]), (0.5, 0.5, ["due_date", "date"])],
)
def test_of_two_days_that_contradict_each_other_the_doubted_one_is_looked_at(
    issued: float, due: float, asked: list[str]
) -> None:
    specs = (FieldSpec("date", "Date", "date", True, 0.8), FieldSpec("due_date", "Due", "date", True, 0.8))
    read = [field("date", "2026-03-12", issued, kind="date"), field("due_date", "2026-03-01", due, kind="date")]
    found = needs_review.find_review_reasons({"fields": read}, specs, today=TODAY)
    assert [one.field for one in found] == asked
    assert (found[0].code, found[0].text) == ("check", "Due 2026-03-01 is before Date 2026-03-12")


def test_what_says_more_than_a_doubt_comes_first() -> None:
    found = result(company=field("company", "Alder Ltd", 0.5), total=field("total", None, 0.0, kind="amount"))
    assert [(name, code) for name, code, _ in texts(found)] == [("total", "missing"), ("company", "low_confidence")]


def test_a_date_of_long_ago_is_a_reason() -> None:
    assert texts(result(date=field("date", "1996-01-01", kind="date"))) == []
    assert texts(result(date=field("date", "1995-12-31", kind="date"))) == [
        ("date", "rule", "Date 1995-12-31 is more than 30 years ago")
    ]


@each(
    ("name", "plausible", "value", "odd"),
    [
        ("due_date", "", "2026-12-21", ""),
        ("due_date", "around", "2027-11-21", ""),
        ("end_date", "", "2056-12-31", ""),
        ("end_date", "", "2057-01-01", "is more than 30 years ahead"),
        ("due_date", "", "1995-12-31", "is more than 30 years ago"),
        ("date", "", "2026-12-21", "is in the future"),
        ("date", "past", "2026-11-23", "is in the future"),
        ("date", "past", "2026-11-22", ""),  # in Auckland it is that day already
        ("date", "around", "2026-12-21", ""),
        ("delivered", "past", "2026-12-21", "is in the future"),
        ("born", "any", "1956-01-01", ""),
        ("lease_until", "any", "2099-01-01", ""),
    ],
)
def test_the_field_says_which_dates_are_plausible(name: str, plausible: str, value: str, odd: str) -> None:
    spec = FieldSpec(name, "Day", "date", required=True, threshold=0.8, date_range=plausible)
    found = needs_review.find_review_reasons({"fields": [field(name, value, kind="date")]}, (spec,), today=TODAY)
    assert [reason.text for reason in found] == ([f"Day {value} {odd}"] if odd else [])


def assessed(found: dict[str, Any], *, sampled: bool) -> list[str]:
    made = needs_review.build_assessment(found, FIELDS, result_sha256="0", today=TODAY, sampled=sampled)
    assert made["review_required"] == bool(made["reasons"])
    return [reason["code"] for reason in made["reasons"]]


def test_a_sampled_document_is_looked_at_and_says_why() -> None:
    assert assessed(result(), sampled=True) == ["audit"]
    assert assessed(result(), sampled=False) == []
    assert assessed(result(company=field("company", None, 0.0)), sampled=True) == ["missing"]


def test_the_sample_is_the_share_that_was_asked_for_and_always_the_same() -> None:
    runs = [f"01HZZZZZZZZZZZZZZZZZZZ{number:04d}" for number in range(4000)]
    sampled = [run for run in runs if needs_review.is_sampled(run, 0.1)]
    assert 330 < len(sampled) < 470
    assert sampled == [run for run in runs if needs_review.is_sampled(run, 0.1)]
    assert set(sampled) < {run for run in runs if needs_review.is_sampled(run, 0.2)}
    assert not any(needs_review.is_sampled(run, 0.0) for run in runs)
    assert all(needs_review.is_sampled(run, 1.0) for run in runs)


def test_what_a_person_said_of_a_field_is_published_with_it() -> None:
    merged = results.merge_corrections(result(), {"total": None}, answers={"total": "illegible"})
    fields = {one["name"]: one for one in merged["fields"]}
    assert (fields["total"]["value"], fields["total"]["answer"]) == (None, "illegible")
    assert "answer" not in fields["company"]

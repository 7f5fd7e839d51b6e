"""A type in a result: when it is in doubt, what becomes of the fields with another one, what is published."""

from typing import Any

import pytest

from tests.each import each
from workflows.stages import (
    results,
)
from workflows.stages.assessment import needs_review
from workflows.stages.document_types import of_result


def field(name: str, value: str | None = None, **changes: Any) -> dict[str, Any]:
    return {
        "name": name, "label": name.capitalize(), "type": "text", "required": False, "threshold": 0.8, "value": value,
        "confidence": 0.9, "candidates": [],
    } | changes  # fmt: skip


def found(share: float, *others: tuple[str, float], chosen: str = "invoice", **changes: Any) -> dict[str, Any]:
    def one(name: str, confidence: float) -> dict[str, Any]:
        return {"id": name, "name": name.capitalize() or "None of these", "version": 2, "confidence": confidence}

    candidates = [{**one(name, rated), "fields": [field(f"of_{name}", "x")]} for name, rated in others]
    kind = {"threshold": 0.8, "required": False, "source": "rules", "candidates": candidates, **changes}
    return {
        "document_type": chosen, "classification": None, "fields": [field("number", "7")], "notes": [],
        "type": {**one(chosen, share), **kind},
    }  # fmt: skip


@each(
    ("result", "words"),
    [
        ({"fields": []}, ""),
        (found(0.9, ("receipt", 0.1)), ""),
        (found(0.796, ("receipt", 0.1)), "Document type Invoice 79 %, needs 80 %"),
        (found(0.55, ("receipt", 0.45)), "Document type: Invoice 55 % or Receipt 45 %?"),
        (found(0.5, ("receipt", 0.4), threshold=0.3), "Document type: Invoice 50 % or Receipt 40 %?"),
        (found(0.9, ("receipt", 0.1), chosen=""), ""),
        (found(0.9, ("receipt", 0.1), chosen="", required=True), "Document type: no match"),
        (found(0.6, ("receipt", 0.4), chosen=""), "Document type: none 60 % or Receipt 40 %?"),
    ],
)
def test_what_is_not_clear_is_said_in_words(result: dict[str, Any], words: str) -> None:
    assert of_result.describe_type_doubt(result) == words
    told = [one.text for one in needs_review.find_review_reasons(result, (), today="2026-01-01") if one.code == "type"]
    assert told == ([words] if words else [])


def test_another_type_brings_its_fields_and_keeps_the_first_as_a_choice() -> None:
    result = found(0.55, ("receipt", 0.40), ("", 0.05))
    typed = of_result.apply_type_choice(result, "receipt")
    assert [one["name"] for one in typed["fields"]] == ["of_receipt"]
    assert typed["classification"] == {"id": "receipt", "name": "Receipt", "version": 2}
    assert [one["id"] for one in of_result.list_type_choices(typed)] == ["receipt", "invoice", ""]
    assert (of_result.describe_type_doubt(typed), of_result.describe_type_doubt(result) != "") == ("", True)
    back = of_result.apply_type_choice(typed, "invoice")
    assert back["fields"] == result["fields"]
    none = of_result.apply_type_choice(result, "")
    assert (none["classification"], none["document_type"]) == (None, "other")


@pytest.mark.parametrize("chosen", [None, "invoice", "unknown"])
def test_no_other_type_changes_nothing(chosen: str | None) -> None:
    result = found(0.55, ("receipt", 0.45))
    assert of_result.apply_type_choice(result, chosen) is result
    assert of_result.apply_type_choice({"fields": []}, chosen) == {"fields": []}


def test_what_a_person_chose_is_published_with_its_fields_and_says_so() -> None:
    result = found(0.55, ("receipt", 0.45))
    merged = results.merge_corrections(result, {of_result.KEY: "receipt", "of_receipt": "y"})
    assert merged["type"] == {
        "id": "receipt", "name": "Receipt", "version": 2, "confidence": 1.0, "source": "reviewer",
        "extracted": "invoice",
    }  # fmt: skip
    assert [(one["name"], one["value"]) for one in merged["fields"]] == [("of_receipt", "y")]
    plain = results.merge_corrections(result, {})
    assert (plain["type"]["id"], plain["type"]["source"], plain["type"]["confidence"]) == ("invoice", "rules", 0.55)
    assert "type" not in results.merge_corrections({"document_type": "other", "fields": []}, {})

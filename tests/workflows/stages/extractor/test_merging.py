"""A learned value beside the rules', a service's and what is proved."""

from typing import Any

import pytest

from tests.workflows.learning.extractors.reviewed_orders import sponsor_field
from tests.workflows.stages.extractor.drawn import FEE, SPONSOR, STARTS, known_order, order
from workflows.learning.extractors import fitting, training
from workflows.stages.assessment import proofs
from workflows.stages.assessment.needs_review import find_review_reasons
from workflows.stages.calibration import UNCALIBRATED
from workflows.stages.extractor.learned import LearnedField
from workflows.stages.extractor.merging import add_learned_values
from workflows.stages.fields.confidence import MARGIN, TEXT_LAYER, VENDOR

TRUTH = "Friends of Otto Quimby"  # of order 41


@pytest.fixture(scope="module")
def learned() -> dict[str, LearnedField]:
    found = {spec.name: fitting.fit_field([known_order(n, spec) for n in range(24)]) for spec in (SPONSOR, FEE)}
    return {name: one for name, one in found.items() if one}


def merged(learned: dict[str, LearnedField], given: dict[str, Any], **options: Any) -> dict[str, Any]:
    (one,) = add_learned_values([given], order(41), learned, **options)
    return one


def with_value(value: str, source: str = "rules", **evidence: float) -> dict[str, Any]:
    candidate = {"value": value, "raw": value, "confidence": 0.4, "page": 0, "box": None, "evidence": evidence}
    return sponsor_field(value) | {"source": source, "candidates": [candidate]}


def test_where_the_rules_found_nothing_it_is_the_value(learned: dict[str, LearnedField]) -> None:
    one = merged(learned, sponsor_field())
    assert (one["value"], one["source"], one["page"]) == (TRUTH, "extractor", 0)
    assert one["candidates"][0]["value"] == TRUTH
    assert 0 < one["confidence"] < 1
    assert one["box"] is not None


def test_it_takes_the_place_of_what_the_rules_guessed_and_keeps_that_as_a_candidate(
    learned: dict[str, LearnedField],
) -> None:
    one = merged(learned, with_value("Broadcast order"))
    assert (one["value"], one["source"]) == (TRUTH, "extractor")
    assert "Broadcast order" in [other["value"] for other in one["candidates"]]


def test_agreement_is_evidence_and_the_value_stays_the_rules(learned: dict[str, LearnedField]) -> None:
    one = merged(learned, with_value(TRUTH, margin=1.0))
    assert (one["value"], one["source"]) == (TRUTH, "rules")
    assert one["candidates"][0]["evidence"] == {"margin": 1.0, "learned": 1.0}
    assert one["confidence"] > 0.4
    weighed = merged(learned, with_value(TRUTH), calibrated=frozenset({"sponsor"}))
    assert weighed["confidence"] == 0.4  # what reviews taught of it promises something


@pytest.mark.parametrize("source", ["electronic invoice", "bedrock"])
def test_what_a_program_wrote_or_a_service_read_stays_and_is_said_to_be_disputed(
    learned: dict[str, LearnedField], source: str
) -> None:
    one = merged(learned, with_value("Someone Else", source))
    assert (one["value"], one["source"]) == ("Someone Else", source)
    assert one["candidates"][0]["evidence"]["disputed"] == 1.0
    assert TRUTH in [other["value"] for other in one["candidates"]]


def test_what_is_proved_stays(learned: dict[str, LearnedField]) -> None:
    assert merged(learned, with_value("Someone Else", **{VENDOR: 1.0}))["value"] == "Someone Else"
    total = with_value("5.00", arithmetic=1.0, label=1.0) | {"name": "total", "type": "amount"}
    alone = with_value("Someone Else", **{TEXT_LAYER: 1.0, MARGIN: 1.0})
    _, beside = add_learned_values([total, alone], order(41), learned)
    assert beside["value"] == "Someone Else"  # printed on a page whose sums add up
    assert merged(learned, alone)["value"] == TRUTH


def test_under_an_error_limit_a_person_looks_at_what_only_it_found(learned: dict[str, LearnedField]) -> None:
    (one,) = proofs.add_proofs([merged(learned, sponsor_field())], UNCALIBRATED, 0.01)
    assert (one["proof"], one["limit"]) == ("", None)


def test_fields_that_were_not_learned_stay_as_they_are(learned: dict[str, LearnedField]) -> None:
    other = sponsor_field("X") | {"name": "other"}
    assert merged(learned, other) == other
    assert add_learned_values([], order(1), learned) == []


def test_reading_by_the_rules_is_what_an_analysis_has() -> None:
    (one,) = training.read_by_rules(order(3), [FEE])
    assert {"name", "label", "type", "required", "threshold", "candidates", "value", "source"} <= set(one)


@pytest.mark.parametrize(("number", "guessed"), [(5, True), (18, False)])
def test_a_date_that_another_country_reads_otherwise_is_one_of_two_wherever_it_was_learned(
    number: int, *, guessed: bool
) -> None:
    """Its paper does not tell whether the sixth of March is meant; the nineteenth can only be a day."""
    known = fitting.fit_field([known_order(each, STARTS) for each in range(24)])
    assert known
    blank = sponsor_field() | {"name": "starts", "label": "Starts", "type": "date"}
    (one,) = add_learned_values([blank], order(number), {"starts": known})
    assert (one["raw"], one["source"]) == (f"{number + 1:02d}/03/2024", "extractor")
    assert ("guessed" in one["candidates"][0]["evidence"], one["confidence"] <= 0.5) == (guessed, guessed)
    asked = [reason.code for reason in find_review_reasons({"fields": [one]}, [STARTS], today="2026-11-21")]
    assert ("ambiguous" in asked) == guessed

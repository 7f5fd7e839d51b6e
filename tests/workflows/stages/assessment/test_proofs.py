"""Before reviews tell how reliable confidence is, only what is proved needs no person; then what they bear out."""

from typing import Any

from tests.each import each
from tests.workflows.stages.memory import FIELDS
from workflows.stages.assessment import needs_review, proofs
from workflows.stages.calibration import UNCALIBRATED, Calibration

ADDED = {"arithmetic": 1.0, "label": 1.0, "margin": 1.0}


def field(name: str, value: str | None, confidence: float = 0.97, source: str = "rules", **evidence: float) -> Any:
    spec = next(one for one in FIELDS if one.name == name)
    return {
        "name": name, "label": spec.label, "type": spec.type, "value": value, "confidence": confidence,
        "source": source, "candidates": [{"evidence": evidence}] if value and source == "rules" else [],
    }  # fmt: skip


def reasons(*fields: Any, calibration: Calibration = UNCALIBRATED) -> list[tuple[str | None, str]]:
    result = {"fields": proofs.add_proofs(fields, calibration, 0.01)}
    asked = [spec for spec in FIELDS if spec.name in {one["name"] for one in fields}]
    return [(one.field, one.code) for one in needs_review.find_review_reasons(result, asked, today="2024-03-01")]


def test_sums_that_add_up_prove_the_total_and_on_a_printed_page_what_stands_beside_its_label() -> None:
    printed = {"text_layer": 1.0, "margin": 1.0}
    total = field("total", "12.00", **ADDED, text_layer=1.0)
    assert reasons(total, field("date", "2024-02-29", **printed)) == []
    assert reasons(field("total", "12.00", label=1.0, **printed), field("date", "2024-02-29", **printed)) == [
        ("date", "unverified"),
        ("total", "unverified"),
    ]


@each(
    ("evidence", "asked"),
    [
        ({"label": 1.0, "margin": 1.0, "read": 1.0}, True),  # read from a picture, however well
        ({"text_layer": 1.0, "margin": 0.0}, True),  # another value is as likely
        ({"text_layer": 1.0, "margin": 0.22}, True),  # or nearly: the brand above the one who sold it
        ({"vendor": 1.0}, False),
    ],
)
def test_what_proves_a_value_beside_a_proved_total(evidence: dict[str, float], asked: bool) -> None:
    found = reasons(field("total", "12.00", **ADDED), field("company", "Alder Ltd", **evidence))
    assert found == ([("company", "unverified")] if asked else [])


def test_lines_that_add_up_prove_a_printed_total_and_none_that_was_read_from_a_picture() -> None:
    lines = {"lines": 1.0, "label": 1.0, "margin": 1.0}
    assert reasons(field("total", "12.00", **lines, text_layer=1.0)) == []
    assert reasons(field("total", "12.00", **lines)) == [("total", "unverified")]


def test_a_sum_that_another_sum_follows_from_proves_nothing() -> None:
    assert reasons(field("total", "12.00", **ADDED, passed=1.0)) == [("total", "unverified")]


def test_what_a_program_wrote_or_an_admin_set_needs_no_proof() -> None:
    assert reasons(field("company", "Alder Ltd", 1.0, "embedded_xml"), field("currency", "EUR", 1.0, "default")) == []


def test_a_calibration_that_keeps_the_error_limit_decides_for_the_fields_it_was_fitted_to() -> None:
    learned = Calibration(1, {"date": {"bias": 1.0}}, limits={"0.01": 0.95})
    sure, unsure = field("date", "2024-02-29", 0.96), field("date", "2024-02-29", 0.94)
    assert reasons(sure, calibration=learned) == []
    assert reasons(unsure, calibration=learned) == [("date", "unverified")]
    assert reasons(field("company", "Alder Ltd", 0.99), calibration=learned) == [("company", "unverified")]
    assert reasons(sure, calibration=Calibration(1, {"date": {}}, limits={"0.05": 0.8})) == [("date", "unverified")]


def test_what_reviews_taught_lets_nothing_pass_while_it_is_paused() -> None:
    learned = Calibration(1, {"date": {"bias": 1.0}}, limits={"0.01": 0.95})
    date, company = field("date", "2024-02-29", 0.99), field("company", "Alder Ltd", vendor=1.0)
    found = [date, company, field("total", "12", **ADDED)]
    free, held = (proofs.add_proofs(found, learned, 0.01, paused=paused) for paused in (False, True))
    assert [(one["proof"], one["limit"]) for one in free] == [("", 0.95), ("seller", None), ("sums", None)]
    assert [(one["proof"], one["limit"]) for one in held] == [("", None), ("", None), ("sums", None)]


def test_the_reason_says_what_is_missing() -> None:
    result = {"fields": proofs.add_proofs([field("date", "2024-02-29")], UNCALIBRATED, 0.01)}
    (reason,) = needs_review.find_review_reasons(result, FIELDS[1:2], today="2024-03-01")
    assert reason.text == "Date is not verified; too few reviews to rely on its confidence"


def test_the_threshold_holds_for_proved_values_too() -> None:
    assert reasons(field("total", "12.00", 0.7, **ADDED)) == [("total", "low_confidence")]

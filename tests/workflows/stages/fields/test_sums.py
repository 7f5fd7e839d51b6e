"""What the amounts of a paper say together."""

from decimal import Decimal

from tests.workflows.stages.memory import FIELDS, document
from workflows.stages import fields
from workflows.stages.fields import sums, totals
from workflows.stages.fields.sums import Chain

TOTAL = next(spec for spec in FIELDS if spec.name == "total")
PAPER = (
    "HINGE 4IN | 2 X 6.00 | 12.00",
    "PAINT 1L | 1 X 21.03 | 21.03",
    "Sub Total | 33.03",
    "Discount | -3.00",
    "GST 6% | 1.80",
    "Rounding | 0.02",
    "Total | 31.85",
)


def test_a_sum_follows_from_the_one_before_by_what_stands_between() -> None:
    assert sums.find_sum_chains(totals.sums_of(document(*PAPER))) == [Chain(Decimal("33.03"), Decimal("31.85"))]


def test_what_stands_between_may_be_more_than_what_is_counted() -> None:
    """A tax that is included already is printed too, and takes no part."""
    rows = ("Total | 33.03", "GST incl. | 1.87", "Rounding | 0.02", "Rounded total | 33.05")
    assert sums.find_sum_chains(totals.sums_of(document(*rows))) == [Chain(Decimal("33.03"), Decimal("33.05"))]


def test_the_lines_before_the_first_sum_are_added_up_by_their_last_amount() -> None:
    assert sums.of_lines(totals.sums_of(document(*PAPER))) == Decimal("33.03")
    assert sums.of_lines(totals.sums_of(document("Sub Total | 33.03"))) is None
    assert sums.of_lines(totals.sums_of(document("HINGE | 33.03"))) is None


def test_arithmetic_and_lines_are_evidence_of_the_total() -> None:
    best = fields.find_candidates(document(*PAPER), TOTAL)[0]
    assert best.value == "31.85"
    assert (best.evidence["arithmetic"], best.evidence["lines"], best.evidence["passed"]) == (1.0, 1.0, 0.0)


def test_a_sum_that_another_follows_from_is_passed() -> None:
    found = {one.value: one for one in fields.find_candidates(document(*PAPER), TOTAL)}
    assert "33.03" not in found or found["33.03"].evidence["passed"] == 1.0


def test_a_total_that_agrees_with_its_lines_is_surer() -> None:
    agreeing = fields.find_candidates(document("HINGE | 12.00", "Total | 12.00"), TOTAL)[0]
    other = fields.find_candidates(document("HINGE | 13.00", "Total | 12.00"), TOTAL)[0]
    assert agreeing.confidence > other.confidence

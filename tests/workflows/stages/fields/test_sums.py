"""What the amounts of a paper say together."""

import time
from decimal import Decimal

import pytest

from tests.each import each
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


def test_without_a_label_the_lines_add_up_to_the_total() -> None:
    rows = ("HINGE | 2 | 6.00 | 12.00", "PAINT | 12.00", "Kuyu | 24.00", "Pesin | 30.00", "Kalan | 6.00")
    found = fields.find_candidates(document(*rows), TOTAL)[0]
    assert (found.value, found.evidence["lines"], found.evidence["label"]) == ("24.00", 1.0, 0.0)
    assert found.confidence < 0.5


def test_without_a_label_a_tax_leads_from_the_lines_to_the_total() -> None:
    rows = ("HINGE | 12.00", "PAINT | 12.00", "Kuyu | 24.00", "VAT 10% | 2.40", "Odenmis | 26.40")
    assert fields.find_candidates(document(*rows), TOTAL)[0].value == "26.40"


def test_a_single_line_proves_no_total() -> None:
    assert sums.find_unnamed(totals.sums_of(document("HINGE | 12.00", "PAINT | 12.00", "Kuyu | 12.00"))) == []


def test_the_sum_of_the_lines_is_doubted_where_a_larger_amount_follows() -> None:
    rows = ("HINGE | 12.00", "PAINT | 12.00", "Kuyu | 24.00")
    plain = fields.find_candidates(document(*rows), TOTAL)[0]
    taxed = fields.find_candidates(document(*rows, "Kodi | 2.40", "Odenmis | 26.40"), TOTAL)[0]
    assert (plain.evidence["net"], taxed.value, taxed.evidence["net"]) == (0.0, "24.00", 1.0)


@each("label", ["Total before levy", "Whole total", "Summe ohne MwSt"])
@each("tax", ["Parish levy | 7.00", "VAT 7% | 7.00", "Tax amount | 7.00"])
@each("payable", ["Comes to", "Total all in", "Total VAT inside"])
def test_a_labelled_sum_gives_way_to_what_it_and_the_tax_add_up_to(label: str, tax: str, payable: str) -> None:
    rows = ("HINGE | 60.00", "PAINT | 40.00", f"{label} | 100.00", tax, f"{payable} | 107.00")
    found = fields.find_candidates(document(*rows), TOTAL)
    assert (found[0].value, found[0].evidence["arithmetic"]) == ("107.00", 1.0)


def test_the_sum_before_tax_is_offered_as_the_other_value() -> None:
    rows = ("HINGE | 60.00", "PAINT | 40.00", "Whole total | 100.00", "Levy | 7.00", "Total all in | 107.00")
    first, second, *_ = fields.find_candidates(document(*rows), TOTAL)
    assert (first.value, second.value, second.evidence["passed"]) == ("107.00", "100.00", 1.0)


def test_a_discount_of_any_name_stands_between_a_sum_and_the_total() -> None:
    rows = (
        "HINGE | 60.00",
        "PAINT | 40.00",
        "Total | 100.00",
        "Levy | 7.00",
        "Neighbours | -2.00",
        "Comes to | 105.00",
    )
    assert fields.find_candidates(document(*rows), TOTAL)[0].value == "105.00"


def test_one_line_less_what_is_printed_with_a_minus_is_the_total() -> None:
    rows = ("HINGE | 61.63", "Stamps | -0.75", "Comes to | 60.88")
    assert fields.find_candidates(document(*rows), TOTAL)[0].value == "60.88"


@each(
    "rows",
    [
        ("Total | 16.50", "Cash | 20.00", "Change | 3.50"),
        ("Total | 16.50", "Change | 3.50", "Cash | 20.00"),
        ("Total | 16.50", "Nakon | 20.00", "Vrat | 3.50"),
        ("Total | 16.50", "incl. VAT | 2.75", "Card | 19.25"),
        ("Total | 16.50", "Fee | 9.00", "Otherwise | 25.50"),  # no tax is so high
    ],
)
def test_what_is_paid_is_no_taxed_total(rows: tuple[str, ...]) -> None:
    assert fields.find_candidates(document("HINGE | 16.50", *rows), TOTAL)[0].value == "16.50"


@pytest.mark.wide
@each("unit", ["%d.11", "total %d.11", "€%d"])
def test_a_line_of_thousands_of_amounts_takes_no_minutes(unit: str) -> None:
    text = " ".join(unit % number for number in range(3000))
    start = time.process_time()
    totals.find_totals(document(text))
    assert time.process_time() - start < 4.0  # it took 20 to 50

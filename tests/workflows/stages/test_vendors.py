"""Sellers confirmed before are known again, whatever the engine made of their letters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from tests.workflows.stages.memory import FIELDS, document
from workflows.stages import fields
from workflows.stages.calibration import UNCALIBRATED, Calibration, Vendor, calibration_from, plain
from workflows.stages.fields import vendors
from workflows.stages.fields.vendors import Memory

SPECS = {spec.name: spec for spec in FIELDS}
KNOWN = Calibration(
    version=3,
    vendors=(
        Vendor("MERANTI TRADING SDN BHD", tuple(f"LOT {n}, JALAN DUA, 81100 JOHOR BAHRU" for n in (4, 9))),
        Vendor("SERI MELATI"),
    ),
)  # fmt: skip


def subsequence(one: str, other: str) -> int:
    """The table of the textbook."""
    row = [0] * (len(other) + 1)
    for a in one:
        above, row = row, [0]
        for place, b in enumerate(other):
            row.append(above[place] + 1 if a == b else max(row[-1], above[place + 1]))
    return row[-1]


@given(st.text("ab1 é", max_size=12), st.text("ab1 é", max_size=12))
def test_likeness_is_the_share_of_the_longest_common_subsequence(one: str, other: str) -> None:
    expected = 200 * subsequence(one, other) / (len(one) + len(other)) if one and other else 0
    assert vendors.likeness(one, other) == pytest.approx(expected)


@each(
    ("read", "confirmed"),
    [
        ("MER4NTI TRADNG SDN BHD", None),  # another number would be another firm
        ("MERANTl TRADNG SDN BHD", "MERANTI TRADING SDN BHD"),
        ("meranti trading sdn. bhd.", "MERANTI TRADING SDN BHD"),
        ("MERBAU MACHINERY SDN BHD", None),
        ("SDN", None),
    ],
)
def test_a_reading_of_a_confirmed_value_is_that_value(read: str, confirmed: str | None) -> None:
    hit = vendors.vendor_memory("company", KNOWN.vendors).closest(read)
    assert (hit and hit[0]) == confirmed


def test_of_two_branches_the_numbers_tell() -> None:
    hit = vendors.vendor_memory("address", KNOWN.vendors).closest(
        "L0T 9, JALAN DUA, 81100 JOHOR BAHRU".replace("0T", "OT")
    )
    assert hit is not None
    assert hit[0].startswith("LOT 9")
    assert vendors.vendor_memory("address", KNOWN.vendors).closest("LOT 5, JALAN DUA, 81100 JOHOR BAHRU") is None


def test_a_confirmed_value_can_be_left_out() -> None:
    assert Memory(["SERI MELATI"]).closest("SERI MELATI", unless=lambda known: known == "SERI MELATI") is None


def test_only_sellers_are_remembered() -> None:
    assert not vendors.vendor_memory("total", KNOWN.vendors)


def test_a_known_seller_is_the_value_and_its_reading_stays() -> None:
    paper = document("MERANTl TRADNG SDN BHD", "L0T 4, JALAN DUA,", "81100 JOHOR BAHRU", "Total | 12.00")
    bare, best = (fields.find_candidates(paper, SPECS["company"], one)[0] for one in (UNCALIBRATED, KNOWN))
    assert (best.value, best.raw) == ("MERANTI TRADING SDN BHD", bare.raw)
    assert best.evidence["vendor"] == 1.0
    assert best.confidence > bare.confidence


def test_a_known_name_is_found_where_no_rule_looks_for_one() -> None:
    paper = document("12.00", "Seri Melati", "Total | 12.00")
    assert fields.find_candidates(paper, SPECS["company"]) == []
    assert fields.find_candidates(paper, SPECS["company"], KNOWN)[0].value == "SERI MELATI"


def test_weights_of_a_calibration_are_the_confidence() -> None:
    paper = document("Total | 12.00")
    sure, unsure = (
        fields.find_candidates(paper, SPECS["total"], Calibration(1, {"total": {"bias": bias}}))[0].confidence
        for bias in (4, -4)
    )
    assert (sure, unsure) == (0.982, 0.018)


def test_a_calibration_is_stored_without_its_number() -> None:
    assert calibration_from(plain(KNOWN), 3) == KNOWN
    assert "version" not in plain(KNOWN)


def test_a_known_seller_who_buys_is_not_the_seller() -> None:
    """Under Bill to, and in the window of a letter under the sender's line."""
    billed = document("Alder Ltd", "Bill to", "MERANTI TRADING SDN BHD", "LOT 4, JALAN DUA, 81100 JOHOR BAHRU")
    window = document("Alder Ltd · 14 Mill Lane · 40150 Shah Alam", "MERANTI TRADING SDN BHD", "Total | 12.00")
    for paper in (billed, window):
        found = fields.find_candidates(paper, SPECS["company"], KNOWN)
        assert [one.value for one in found if one.evidence.get("vendor")] == []
        assert found[0].value == "Alder Ltd"

"""Sellers confirmed before are known again, whatever the engine made of their letters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from tests.workflows.stages.memory import FIELDS, document
from workflows.stages import fields
from workflows.stages.calibration import UNCALIBRATED, Calibration, Vendor, calibration_from, plain
from workflows.stages.fields import vendors
from workflows.stages.fields.vendors import Sellers

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
        ("MERANTI TRADERS SDN BHD", None),  # 86 of 100 alike
        ("MERANTI SDN BHD", None),
        ("SERI MELAKA", None),
        ("MERBAU MACHINERY SDN BHD", None),
        ("SDN", None),
    ],
)
def test_a_reading_of_a_confirmed_name_is_that_name_beside_its_address(read: str, confirmed: str | None) -> None:
    at = Sellers(KNOWN.vendors).list_readings("address", ["LOT 9, JALAN DUA, 81100 JOHOR BAHRU"])
    assert Sellers(KNOWN.vendors).recognise("company", read, at) == confirmed


@each(
    ("read", "confirmed"),
    [
        ("meranti trading sdn. bhd.", "MERANTI TRADING SDN BHD"),
        ("MERANTl TRADNG SDN BHD", None),  # perhaps; its address would tell
        ("MERANTI TRADING (M) SDN BHD", None),
        ("SERl MELATI", "SERI MELATI"),  # no address can tell
        ("SERI MELATI I", None),
    ],
)
def test_without_an_address_a_name_is_known_that_is_the_same(read: str, confirmed: str | None) -> None:
    assert Sellers(KNOWN.vendors).recognise("company", read, ()) == confirmed


def test_two_firms_whose_names_differ_in_a_letter_stay_two() -> None:
    """Of an unseen seller nothing changes: neither its name nor how sure it is."""
    known = Calibration(1, vendors=(Vendor("LARKSPUR KITCHEN SDN. BHD.", ("JALAN DUA 8, 80250 JOHOR BAHRU",)),))
    paper = document("Larkspur Kitchen (M) Sdn Bhd", "Jalan Cempaka 41,", "55100 Kuala Lumpur", "Total | 12.00")
    bare, taught = (fields.find_candidates(paper, SPECS["company"], one) for one in (UNCALIBRATED, known))
    assert taught == bare


def test_what_may_be_two_names_is_neither() -> None:
    sellers = Sellers([Vendor("TAN BOON HENG"), Vendor("TAN BOON HEMG")])
    assert sellers.recognise("company", "TAN BOON HENG", ()) == "TAN BOON HENG"
    assert sellers.recognise("company", "TAN BOON HEHG", ()) is None


def test_an_address_is_known_by_its_numbers_and_much_alike_where_its_seller_is_named() -> None:
    sellers = Sellers(KNOWN.vendors)
    named = sellers.list_readings("company", ["MERANTI TRADNG"])
    read, cut = "LOT 9, JALAN DUA, 8ll00 JOHOR BAHRU".replace("ll", "11"), "LOT 9, JALAN DUA, 81100 JOHOR"
    known = "LOT 9, JALAN DUA, 81100 JOHOR BAHRU"
    assert [sellers.recognise("address", one, ()) for one in (read, cut)] == [known, None]
    assert sellers.recognise("address", cut, sellers.list_readings("company", ["MERANTI TRADING SDN"])) == known
    assert (named, sellers.recognise("address", cut.replace("9", "5"), named)) == (set(), None)


def test_a_name_that_is_much_alike_is_known_beside_its_address() -> None:
    sellers = Sellers(KNOWN.vendors)
    beside = sellers.list_readings("address", ["LOT 9, JALAN DUA, 81100 JOHOR"])
    assert sellers.recognise("company", "MERANTI TRADING SDN", beside) == "MERANTI TRADING SDN BHD"


def test_an_address_without_numbers_is_known_only_where_its_seller_is_named() -> None:
    sellers = Sellers([Vendor("SERI MELATI", ("UPPER FLOOR, THE SUMMIT",))])
    assert sellers.recognise("address", "UPPER FLOOR, THE SUMMIT", ()) is None
    assert sellers.recognise("address", "UPPER FLOOR, THE SUMMIT", {"SERI MELATI"}) == "UPPER FLOOR, THE SUMMIT"


def test_a_confirmed_value_can_be_left_out() -> None:
    among = "SERI MELATI".__ne__
    assert Sellers(KNOWN.vendors).recognise("company", "SERI MELATI", (), among) is None


def test_only_sellers_are_remembered() -> None:
    paper = document("MERANTI TRADING SDN BHD", "Total | 12.00")
    bare, known = (fields.find_candidates(paper, SPECS["total"], one) for one in (UNCALIBRATED, KNOWN))
    assert bare == known


def test_a_known_name_that_the_rules_did_not_choose_is_a_brand_unless_its_address_is_there() -> None:
    brand = ("SERI MELATI", "PERDANA MACHINERY SDN BHD", "NO 3, JALAN TIGA,", "43300 SERI KEMBANGAN", "Total | 12.00")
    best = fields.find_candidates(document(*brand), SPECS["company"], KNOWN)[0]
    assert (best.value, best.evidence.get("vendor")) == ("PERDANA MACHINERY SDN BHD", None)
    placed = Calibration(4, vendors=(Vendor("SERI MELATI", ("NO 3, JALAN TIGA, 43300 SERI KEMBANGAN",)),))
    best = fields.find_candidates(document(*brand), SPECS["company"], placed)[0]
    assert (best.value, best.evidence.get("vendor")) == ("SERI MELATI", 1.0)


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


def test_500_sellers_are_made_ready_once_for_all_fields_and_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    """Making them ready takes 15 ms, of the 50 that a page has."""
    made: list[int] = []
    make = Sellers.__init__

    def count(self: Sellers, held: tuple[Vendor, ...]) -> None:
        made.append(len(held))
        make(self, held)

    monkeypatch.setattr(Sellers, "__init__", count)
    many = Calibration(1, vendors=tuple(Vendor(f"{'ABCDEFGHIJ'[n % 10] * 4} {n} LTD", ()) for n in range(500)))
    paper = document("MERANTI TRADING SDN BHD", "LOT 4, JALAN DUA, 81100 JOHOR BAHRU")
    for _ in range(3):
        for name in ("company", "address"):
            fields.find_candidates(paper, SPECS[name], many)
    assert made == [500]

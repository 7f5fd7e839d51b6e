"""Who sells and who buys, by heading, block, position and foot; rows of invented paper."""

from pathlib import Path

import pytest

from tests.each import each
from tests.generated import parties
from tests.tools.evaluation import measuring, reading, scores, truth
from tests.workflows.stages.fields.test_fields import value

SELLER = ("Tarnwick Freight B.V.", "12 Quinley Road", "Leeds LS9 8AG")
BUYER = ("Corfield Ceramics Ltd", "7 Norgate Street", "Austin, TX 78704")


def beside(left: tuple[str, ...], right: tuple[str, ...]) -> list[str]:
    return [" | ".join(pair) for pair in zip(left, right, strict=True)]


@each(
    ("sells", "buys"),
    [("From", "To"), ("Seller", "Buyer"), ("Supplier:", "Bill to:"), ("Vendor", "Ship to")],
)
def test_a_heading_names_what_stands_under_it_on_either_side(sells: str, buys: str) -> None:
    for first, second in ((SELLER, BUYER), (BUYER, SELLER)):
        left, right = (sells, buys) if first is SELLER else (buys, sells)
        rows = ["INVOICE", *beside((left, *first), (right, *second)), "Total | 12.00"]
        assert value("company", *rows) == SELLER[0]
        assert value("address", *rows) == "12 Quinley Road Leeds LS9 8AG"


@each("head", ["Sold to: ", "Customer: ", "Buyer: "])
def test_what_stands_under_a_named_buyer_is_not_the_sellers(head: str) -> None:
    rows = (f"{head}{BUYER[0]}", *BUYER[1:], f"Seller: {SELLER[0]}", *SELLER[1:], "Total | 12.00")
    assert value("company", *rows) == SELLER[0]
    assert value("address", *rows) == "12 Quinley Road Leeds LS9 8AG"


def test_who_stood_at_the_till_is_no_firm() -> None:
    assert value("company", "MERLE GARDENS LTD", "2 Mill Road", "Sold by: Anna", "Total | 4.00") == "MERLE GARDENS LTD"
    assert value("company", "Invoice 7", "Sold by: Merle Retail Ltd", "Total | 4.00") == "Merle Retail Ltd"


@each(
    ("rows", "expected"),
    [
        ((SELLER[0], "Registered Office: 1 Park Lane, York YO1 7LZ"), SELLER[0]),
        (("Please pay in favour of", SELLER[0]), SELLER[0]),
        (("We ship with", SELLER[0]), None),
    ],
)
def test_a_firm_at_the_foot_counts_if_none_stands_at_the_head(rows: tuple[str, ...], expected: str | None) -> None:
    goods = [f"Goods {number} | 1.00" for number in range(25)]
    assert value("company", "PAYMENT RECEIPT", "Guest name: Sam Hill", *goods, *rows) == expected
    assert value("company", "MERLE GARDENS LTD", "2 Mill Road", *goods, *rows) == "MERLE GARDENS LTD"


def test_a_registered_office_is_the_address_only_if_the_shop_has_none() -> None:
    office = "Registered office: 87 Harrow Crescent"
    shop = ("MERLE GARDENS LTD", "9 Mill Road", "Leeds LS9 8AG", office)
    assert value("address", *shop) == "9 Mill Road Leeds LS9 8AG"
    assert value("address", "MERLE GARDENS LTD", office) == "87 Harrow Crescent"


@each(
    ("rows", "expected"),
    [
        (("74 Cedar Court", "Boise, ID 83702"), "74 Cedar Court Boise, ID 83702"),
        (("9 Mill Road", "Leeds LS9 8AG", "Seat 12"), "9 Mill Road Leeds LS9 8AG"),
        (("9 Mill Road", "Leeds LS9 8AG", "10-Mar-2017 14:40 66745"), "9 Mill Road Leeds LS9 8AG"),
        (("9 Mill Road", "Leeds LS9 8AG", "COUNTER SALE"), "9 Mill Road Leeds LS9 8AG"),
        (("9 Mill Road", "Leeds LS9 8AG", "Ring 719589144"), "9 Mill Road Leeds LS9 8AG"),
        (("9 Mill Road", "81200 Johor Bahru", "Johor"), "9 Mill Road 81200 Johor Bahru Johor"),
        (("Trading since 1948", "9 Mill Road", "Leeds LS9 8AG"), "9 Mill Road Leeds LS9 8AG"),
        (("9 Mill Road | INVOICE", "Leeds LS9 8AG | Number 77"), "9 Mill Road Leeds LS9 8AG"),
    ],
)
def test_an_address_ends_where_another_thing_begins(rows: tuple[str, ...], expected: str) -> None:
    assert value("address", "MERLE GARDENS LTD", *rows, "Total | 12.00") == expected
    assert value("company", "MERLE GARDENS LTD", *rows, "Total | 12.00") == "MERLE GARDENS LTD"


def test_a_legal_form_of_two_words_belongs_to_the_name_above_it() -> None:
    assert value("company", "MERLE AGENCIES", "PRIVATE LIMITED", "9 Mill Road") == "MERLE AGENCIES PRIVATE LIMITED"


def test_what_is_to_be_paid_is_the_total() -> None:
    rows = ("MERLE LTD", "Goods total | 140.72", "CGST | 3.52", "SGST | 3.52", "Amount To Be Paid | 147.76")
    assert value("total", *rows) == "147.76"


@pytest.mark.wide
def test_parties_of_drawn_invoices_are_told_apart(tmp_path: Path) -> None:
    """One of each layout; what many reach is in docs/accuracy.md."""
    parties.fill(tmp_path / "papers", 1, 1)
    for entry in truth.entries(tmp_path / "papers"):
        context = measuring.paper(entry, tmp_path / "read").context
        assert context is not None
        answers = scores.answers(entry.path.name, reading.analysed(context), entry.fields)
        assert [one for one in answers if not one.right] == []

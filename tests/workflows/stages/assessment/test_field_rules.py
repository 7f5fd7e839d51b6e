"""Rules of values: sums, dates, IBANs and VAT ids, and what will be stored."""

from decimal import Decimal
from typing import Any

import pytest

from tests.each import each
from tests.workflows.stages.test_results import result
from workflows.stages.assessment import needs_review
from workflows.stages.assessment.field_rules import describe_stored, list_warnings, localise
from workflows.stages.base import FieldSpec

TODAY = "2026-11-21"


def specs(**kinds: str) -> tuple[FieldSpec, ...]:
    return tuple(FieldSpec(name, name.replace("_", " ").capitalize(), kind, False, 0.8) for name, kind in kinds.items())


def amounts(**texts: str) -> list[str]:
    fields = specs(**dict.fromkeys(texts, "amount"))
    return [one.text for one in list_warnings(fields, texts, today=TODAY)]


def test_net_and_tax_that_are_not_the_total_are_warned_of() -> None:
    assert amounts(net_total="100.00", vat="20.00", total="125.00") == ["Total 125.00 is not 100.00 + 20.00 = 120.00"]


@each(
    "texts",
    [
        {"net_total": "100.00", "vat": "20.00", "total": "120.00"},
        {"net_total": "100,00", "vat": "20", "total": "£120.00"},
        {"subtotal": "863.91", "discount": "84.00", "tax": "66.23", "deposit": "25.00", "total": "821.14"},
        {"subtotal": "863.91", "discount": "-84.00", "tax": "66.23", "voucher": "-25.00", "total": "821.14"},
        {"net_total": "100.00", "vat_7": "3.50", "vat_19": "9.50", "total": "113.00"},
        {"net_total": "100.00", "vat_7": "3.50", "vat_19": "9.50", "tax_total": "13.00", "total": "113.00"},
        {"net_total": "100.00", "vat": "20.00", "shipping": "4.90", "rounding": "-0.02", "total": "124.88"},
        {"net_total": "100.00", "vat": "20.00", "discount": "5.00", "total": "120.00"},  # in the net already
        {"net_total": "33.33", "vat": "6.66", "total": "40.00"},  # a cent of rounding
        {"net_total": "-100.00", "vat": "-20.00", "total": "-120.00"},
        {"net_total": "100.00", "total": "125.00"},  # its tax is not known
        {"net_total": "100.00", "vat_rate": "20.00", "total": "125.00"},
    ],
)
def test_sums_understand_discount_rounding_shipping_and_several_rates(texts) -> None:
    assert amounts(**texts) == []


def test_the_whole_sum_is_written_where_it_does_not_fit() -> None:
    found = amounts(subtotal="863.91", discount="84.00", tax="66.23", deposit="25.00", total="812.14")
    assert found == ["Total 812.14 is not 863.91 + 66.23 − 84.00 − 25.00 = 821.14"]


def test_items_add_up_to_the_field_that_their_column_names() -> None:
    columns = "Description\nAmount, amount, sums to net_total"
    fields = (*specs(net_total="amount"), FieldSpec("items", "Items", "table", False, 0.8, columns=columns))
    texts = {"items": "Paper\t60.00\nInk\t30.00", "net_total": "90.00"}
    assert list_warnings(fields, texts, today=TODAY) == []
    (warned,) = list_warnings(fields, texts | {"net_total": "100.00"}, today=TODAY)
    assert (warned.field, warned.text) == ("items", "Items: Amount adds up to 90.00, not Net total 100.00")
    read = texts | {"net_total": "100.00"}
    assert list_warnings(fields, read, today=TODAY, read=read) == []  # the page has told why
    fields += specs(discount="amount")
    assert list_warnings(fields, texts | {"net_total": "85.00", "discount": "5.00"}, today=TODAY) == []


def test_a_due_date_before_the_issue_is_warned_of() -> None:
    fields = specs(date="date", due_date="date")
    (warned,) = list_warnings(fields, {"date": "2026-03-31", "due_date": "01/03/2026"}, today=TODAY)
    assert (warned.field, warned.text) == ("due_date", "Due date 2026-03-01 is before Date 2026-03-31")
    assert list_warnings(fields, {"date": "2026-03-31", "due_date": "2026-03-31"}, today=TODAY) == []


def test_an_odd_date_is_warned_of() -> None:
    (warned,) = list_warnings(specs(date="date"), {"date": "2027-01-01"}, today=TODAY)
    assert warned.text == "Date 2027-01-01 is in the future"


@each(
    "name, text, valid",
    [
        ("iban", "GB33 BUKB 2020 1555 5555 55", True),
        ("iban", "GB33 BUKB 2020 1555 5555 56", False),
        ("seller_iban", "DE00", False),
        ("vat_id", "DE 136 695 976", True),
        ("vat_id", "DE123456789", False),
        ("vat_number", "CHE-107.787.577 IVA", True),
        ("vat_id", "ZZ 12", True),  # of no country that we know the form of
        ("vat_id", "12345", True),
        ("note", "DE00", True),
    ],
)
def test_ibans_and_vat_ids_have_check_digits(name, text, valid) -> None:
    assert (list_warnings(specs(**{name: "text"}), {name: text}, today=TODAY) == []) is valid
    machines = needs_review.find_review_reasons({"fields": [read(name, text)]}, specs(**{name: "text"}), today=TODAY)
    assert [one.code for one in machines] == ([] if valid else ["rule"])


@pytest.mark.parametrize(
    ("kind", "text", "day_first", "words"),
    [
        ("amount", "12,5", True, "12.50"),
        ("amount", "12.50", True, ""),
        ("date", "03/04/2025", True, "3 April 2025"),
        ("date", "03/04/2025", False, "4 March 2025"),
        ("date", "2025-04-03", True, ""),
        ("currency", "€", True, "EUR"),
        ("number", "1,5", True, "1.5"),
        ("boolean", "yes", True, "true"),
        ("text", "Acme", True, ""),
        ("amount", "about ten", True, ""),
        ("amount", "", True, ""),
    ],
)
def test_what_will_be_stored_is_said_where_it_is_not_what_was_typed(
    kind: str, text: str, day_first: bool, words: str
) -> None:
    (spec,) = specs(value=kind)
    assert describe_stored(spec, text, day_first=day_first) == words


def test_cells_of_a_table_are_stored_and_said_as_the_document_writes_them() -> None:
    spec = FieldSpec("items", "Items", "table", False, 0.8, columns="What\nDay, date\nAmount, amount")
    typed = "Pens\t03/04/2025\t12,5\nInk\t2025-04-03\t3.00\nGlue\tsoon\t1,1\tmore"
    american = localise(spec, typed, day_first=False)
    assert american == "Pens\t2025-03-04\t12,5\nInk\t2025-04-03\t3.00\nGlue\tsoon\t1,1\tmore"
    assert localise(spec, typed, day_first=True).startswith("Pens\t2025-04-03\t")
    said = describe_stored(spec, typed, day_first=False)
    assert said == "4 March 2025 (row 1), 12.50 (row 1), 1.10 (row 3)"
    assert describe_stored(spec, "Ink\t2025-04-03\t3.00", day_first=True) == ""
    many = "\n".join("Ink\t\t1,5" for _ in range(9))
    assert describe_stored(spec, many, day_first=True).endswith("1.50 (row 5), …")


def test_what_a_machine_read_is_held_to_the_same_sums() -> None:
    fields = specs(net_total="amount", vat="amount", total="amount")
    parts = {"net_total": "100.00", "vat": "20.00", "total": "125.00"}
    found: dict[str, Any] = {"fields": [read(name, value) for name, value in parts.items()]}
    (reason,) = needs_review.find_review_reasons(found, fields, today=TODAY)
    assert (reason.field, reason.code, reason.text) == ("total", "check", "Total 125.00 is not 100.00 + 20.00 = 120.00")
    found["fields"][2]["value"] = "120.00"
    assert needs_review.find_review_reasons(found, fields, today=TODAY) == []
    assert needs_review.find_review_reasons(result(), specs(date="date"), today=TODAY) == []


def read(name: str, value: str) -> dict[str, Any]:
    return {"name": name, "value": value, "confidence": 0.99}


def test_a_cent_is_the_most_that_a_sum_may_be_off() -> None:
    off = Decimal("120.00") + Decimal("0.02")
    assert len(amounts(net_total="100.00", vat="20.00", total=str(off))) == 1

import io
import json
import tracemalloc
from pathlib import Path

import pikepdf
import pytest
from django.conf import settings

from tests.each import each
from tests.tools.paper import Sheet, save
from tests.workflows.stages.formats.einvoices import CII, UBL, pdf_with
from workflows.stages import results
from workflows.stages.base import FieldSpec
from workflows.stages.formats import einvoice
from workflows.stages.formats.blocks import cut_chunks

SAMPLES = Path(settings.BASE_DIR).parent / "shared/samples"


def spec(name: str, kind: str = "text", label: str = "") -> FieldSpec:
    return FieldSpec(name, label or name, kind, required=False, threshold=0.8)


def test_a_cross_industry_invoice_is_read_exactly() -> None:
    found = einvoice.parse_invoice(CII.encode())
    assert found
    assert found.syntax == "CII"
    assert found.values == {
        "invoice_number": "R-2024-7",
        "date": "2024-03-31",
        "seller": "Stift & Co. KG",
        "seller_address": "Weg 1, 80333 München",
        "buyer": "Kunde AG",
        "currency": "EUR",
        "net_total": "100.00",
        "tax_total": "19.00",
        "total": "119.00",
        "amount_due": "119.00",
    }
    assert [(one.name, one.quantity, one.amount) for one in found.items] == [("Pens", "10", "100.00")]


def test_a_ubl_invoice_is_read_exactly() -> None:
    found = einvoice.parse_invoice(UBL.encode())
    assert found
    assert (found.syntax, found.values["seller"], found.values["total"]) == ("UBL", "Lieferant GmbH", "238.00")
    assert [one.name for one in found.items] == ["Chair"]


@each("body", [b"", b"<a>", b"<Invoice/>", b"<html/>", b"\x00\xff", b"<CrossIndustryOrder/>"])
def test_other_xml_is_no_invoice(body: bytes) -> None:
    assert einvoice.parse_invoice(body) is None


def test_an_invoice_that_says_next_to_nothing_is_read_as_that() -> None:
    found = einvoice.parse_invoice(b"<CrossIndustryInvoice><ExchangedDocument/></CrossIndustryInvoice>")
    assert found
    assert (found.values, found.items) == ({}, ())


@pytest.mark.parametrize("name", ["factur-x.xml", "ZUGFeRD-invoice.XML", "xrechnung.xml"])
def test_a_pdf_hands_out_the_invoice_in_it(tmp_path: Path, name: str) -> None:
    found = einvoice.read_embedded_invoice(pdf_with(tmp_path / "a.pdf", CII.encode(), name=name))
    assert found
    assert found.values["total"] == "119.00"


def test_other_pdfs_have_none(tmp_path: Path) -> None:
    assert einvoice.read_embedded_invoice(pdf_with(tmp_path / "a.pdf", b"<a/>")) is None
    assert einvoice.read_embedded_invoice(pdf_with(tmp_path / "b.pdf", CII.encode(), name="a.txt")) is None
    assert einvoice.read_embedded_invoice(save([Sheet(100, 100)], tmp_path / "c.pdf")) is None
    (tmp_path / "d.pdf").write_bytes(b"%PDF-1.4 and then nothing")
    assert einvoice.read_embedded_invoice(tmp_path / "d.pdf") is None


@pytest.mark.wide
def test_an_attachment_that_is_made_to_fill_a_memory_does_not(tmp_path: Path) -> None:
    path = pdf_with(tmp_path / "a.pdf", b"<a>" + b" " * 200_000_000)
    assert path.stat().st_size < 1_000_000
    tracemalloc.start()
    assert einvoice.read_embedded_invoice(path) is None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * einvoice.MOST_BYTES


def test_a_locked_pdf_is_left_to_those_who_say_so(tmp_path: Path) -> None:
    with pikepdf.open(io.BytesIO(pdf_with(tmp_path / "a.pdf", CII.encode()).read_bytes())) as document:
        document.save(tmp_path / "b.pdf", encryption=pikepdf.Encryption(owner="o", user="u"))
    assert einvoice.read_embedded_invoice(tmp_path / "b.pdf") is None


@each(
    ("field", "value"),
    [
        (spec("company"), "Stift & Co. KG"),
        (spec("issuer"), "Stift & Co. KG"),
        (spec("customer"), "Kunde AG"),
        (spec("issue_date", "date"), "2024-03-31"),
        (spec("grand_total", "amount"), "119.00"),
        (spec("x", "amount", "Grand Total"), "119.00"),
        (spec("total", "date"), None),
        (spec("colour"), None),
        (spec("due_date", "date"), None),
    ],
)
def test_a_fields_value_is_found_by_what_projects_call_it(field: FieldSpec, value: str | None) -> None:
    found = einvoice.parse_invoice(CII.encode())
    assert found
    assert einvoice.value_of(found.values, field) == value


def test_an_invoice_of_xml_alone_reads_as_text() -> None:
    found = einvoice.parse_invoice(CII.encode())
    assert found
    (only,) = cut_chunks(einvoice.invoice_blocks(found))
    assert only.title == "Invoice"
    assert "Total: 119.00" in only.text
    assert only.text.endswith("| Pens | 10 |  | 100.00 |")


@pytest.mark.skipif(not SAMPLES.exists(), reason="the sample documents are not on this machine")
def test_the_sample_invoices_are_read_without_an_error() -> None:
    kinds = {"issue_date": "date", "grand_total": "amount", "currency": "currency"}
    for line in (SAMPLES / "ground_truth.jsonl").read_text().splitlines():
        known = json.loads(line)
        if not known["file"].startswith("einvoices/"):
            continue
        found = einvoice.read_embedded_invoice(SAMPLES / known["file"])
        assert found
        for name, value in known["fields"].items():
            kind = kinds.get(name, "text")
            read = einvoice.value_of(found.values, spec(name, kind))
            assert results.normalise_value(kind, read) == results.normalise_value(kind, value), (known["file"], name)

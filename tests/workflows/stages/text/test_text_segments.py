"""Files that are text through the stages: as many segments as they have, no image, no box, exact values where given."""

from pathlib import Path
from typing import Any

import pytest

from config.errors import StageFailed
from tests.workflows.stages.formats.einvoices import CII, pdf_with
from tests.workflows.stages.formats.office import paragraph, shape, slides, word
from tests.workflows.stages.memory import context, kept, list_reasons, run_all
from workflows.stages import formats
from workflows.stages.base import FieldSpec, StageContext
from workflows.stages.pages import text_page
from workflows.stages.text import text_segments

RECEIPT = """Paper & Pens Ltd
12 High Street, London

Receipt
Date: 12/03/2024
Pens    4.00
Total   £ 14.00
Thank you, paid in cash"""


def text(folder: Path, words: str) -> StageContext:
    path = folder / "a.txt"
    path.write_text(words)
    return context(path, formats.TEXT)


def field(ctx: StageContext, name: str) -> dict[str, Any]:
    return next(one for one in kept(ctx).json("runs/run1/result.json")["fields"] if one["name"] == name)


def test_a_text_becomes_segments_and_its_fields_are_found_without_places(tmp_path: Path) -> None:
    ctx = text(tmp_path, RECEIPT)
    results = run_all(ctx)
    assert results["paddleocr_processor"].status == "skipped"
    assert results["segment_builder"].facts["segment_count"] == 1
    segment = kept(ctx).json("analysis/segment_0000.json")
    assert (segment["segment_type"], segment["image_uri"], segment["text_content"]) == ("TEXT", None, RECEIPT)
    assert segment["ai_analysis"] == [{"analysis_query": "Page 1 Analysis", "content": RECEIPT}]
    total, date = field(ctx, "total"), field(ctx, "date")
    assert (total["value"], total["page"], total["box"]) == ("14.00", 0, None)
    assert date["value"] == "2024-03-12"
    assert all(one["box"] is None for one in total["candidates"])
    assert kept(ctx).json("runs/run1/result.json")["pages"][0]["image"] is None


def test_half_a_letter_of_a_mail_in_an_odd_character_set_fails_no_run(tmp_path: Path) -> None:
    path = tmp_path / "a.eml"
    path.write_bytes(b"From: a@example.org\nContent-Type: text/plain; charset=utf-7\n\nTotal +2D0- 14.00, +2D3eAA-")
    ctx = context(path, formats.MAIL)
    run_all(ctx)
    assert kept(ctx).json("analysis/segment_0000.json")["text_content"].endswith("Total ? 14.00, \U0001f600")


def test_each_slide_is_a_segment_with_its_title(tmp_path: Path) -> None:
    ctx = context(slides(tmp_path / "a", shape("Plan", kind="title"), shape("Then")), formats.PPTX)
    run_all(ctx)
    metadata = kept(ctx).json("preprocessed/metadata.json")
    assert [(one["segment_index"], one["title"]) for one in metadata["segments"]] == [
        (0, "Slide 1: Plan"),
        (1, "Slide 2"),
    ]
    assert kept(ctx).json("analysis/segment_0001.json")["page_title"] == "Slide 2"
    chunks = kept(ctx).json("format-parser/result.json")["chunks"]
    assert [(one["chunk_index"], one["text"]) for one in chunks] == [(0, "# Plan"), (1, "Slide 2\nThen")]


@pytest.mark.slow
def test_a_long_text_lies_in_chunks_and_is_complete(tmp_path: Path) -> None:
    lines = [f"line {number} " + "x" * 80 for number in range(40_000)]
    ctx = text(tmp_path, "\n".join(lines))
    count = run_all(ctx)["segment_builder"].facts["segment_count"]
    assert count > 200
    assert kept(ctx).json("format-parser/result.json")["chunks"] == "format-parser/chunks/chunk_{index:04d}.json"
    last = kept(ctx).json(f"analysis/segment_{count - 1:04d}.json")
    assert last["text_content"].endswith(lines[-1])
    assert kept(ctx).json(f"analysis/segment_{count // 2:04d}.json")["status"] == "completed"


def test_running_the_stages_again_leaves_the_same_artifacts(tmp_path: Path) -> None:
    ctx = context(word(tmp_path / "a", paragraph("Words")), formats.DOCX)
    run_all(ctx)
    first = dict(kept(ctx).kept)
    run_all(ctx)
    assert kept(ctx).kept == first


def test_a_file_that_turns_out_damaged_fails_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"PK\x03\x04")
    with pytest.raises(StageFailed, match="Save it again"):
        text_segments.write_text_segments(context(path, formats.DOCX))


def test_more_segments_than_a_run_takes_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_segments, "MOST", 2)
    with pytest.raises(StageFailed, match="more than"):
        text_segments.write_text_segments(text(tmp_path, "words " * 10_000))


def test_an_invoice_in_a_pdf_is_exact_and_leads_to_where_it_is_printed(tmp_path: Path) -> None:
    ctx = context(pdf_with(tmp_path / "a.pdf", CII.encode(), rows=("Stift und Co", "Rechnung", "Gesamt 119,00 EUR")))
    run_all(ctx)
    total, company = field(ctx, "total"), field(ctx, "company")
    assert (total["value"], total["confidence"], total["source"], total["page"]) == ("119.00", 1.0, "embedded_xml", 0)
    assert total["box"] is not None
    assert (company["value"], company["source"]) == ("Stift & Co. KG", "embedded_xml")
    assert field(ctx, "date")["value"] == "2024-03-31"


def test_an_invoice_of_xml_alone_is_exact_too(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(CII)
    ctx = context(path, formats.XML)
    run_all(ctx)
    assert {one["source"] for one in kept(ctx).json("runs/run1/result.json")["fields"]} == {"embedded_xml"}
    assert kept(ctx).json("analysis/segment_0000.json")["page_title"] == "Invoice"


@pytest.mark.parametrize(
    ("iban", "confidence", "reasons"),
    [
        ("DE89370400440532013000", 1.0, []),
        ("DE8937040044053201300", 0.0, ["IBAN is not a valid IBAN: its check digits do not match"]),  # one digit short
    ],
)
def test_an_account_of_an_invoice_that_cannot_be_right_is_not_certain(
    tmp_path: Path, iban: str, confidence: float, reasons: list[str]
) -> None:
    account = f"""<ram:SpecifiedTradeSettlementPaymentMeans><ram:PayeePartyCreditorFinancialAccount>
<ram:IBANID>{iban}</ram:IBANID></ram:PayeePartyCreditorFinancialAccount></ram:SpecifiedTradeSettlementPaymentMeans>"""
    sums = "<ram:SpecifiedTradeSettlementHeaderMonetarySummation>"
    path = tmp_path / "a.xml"
    path.write_text(CII.replace(sums, account + sums))
    ctx = context(path, formats.XML, fields=(FieldSpec("iban", "IBAN", "text", False, 0.8),))
    run_all(ctx)
    found = field(ctx, "iban")
    assert (found["value"], found["confidence"], found["source"]) == (iban, confidence, "embedded_xml")
    assert list_reasons(ctx) == reasons


def test_rows_and_columns_of_text_stand_as_on_a_page() -> None:
    page = text_page.page(3, "# Bill\n| Item | Sum |\n| --- | --- |\n| Pens | 4\\|5 |\nName:\tAnn")
    assert [[line.text for line in row.lines] for row in page.rows] == [
        ["Bill"],
        ["Item", "Sum"],
        ["Pens", "4|5"],
        ["Name:", "Ann"],
    ]
    assert all(0 <= side <= 1 for row in page.rows for side in row.box)
    assert page.index == 3

"""How sure a table is, what proves it, and what sends it to a person."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from projects.settings.columns import ITEM_COLUMNS
from tests.each import each
from tests.workflows.stages.tables.test_finding import HEAD, drawn
from workflows.stages import results
from workflows.stages.assessment import needs_review, proofs
from workflows.stages.calibration import UNCALIBRATED, Calibration
from workflows.stages.field_spec import FieldSpec
from workflows.stages.fields.candidates import Document
from workflows.stages.formats.einvoice import EInvoiceItems
from workflows.stages.tables import reading

SPEC = FieldSpec("items", "Line items", "table", required=True, threshold=0.8, columns=ITEM_COLUMNS)
NET = FieldSpec("net_total", "Net total", "amount", required=False, threshold=0.8)
PENS, INK = ("Pens", "2", "1.50", "3.00"), ("Ink", "1", "4.00", "4.00")
SUMS = ("", "", "Net total", "7.00")


def field(document: Document, written: EInvoiceItems | None = None) -> dict[str, Any]:
    policy = {"name": "items", "label": "Line items", "type": "table", "required": True, "threshold": 0.8}
    return policy | {"columns": ITEM_COLUMNS} | reading.read_table(document, SPEC, written or EInvoiceItems())


def reasons(found: dict[str, Any], net: str | None = None) -> list[str]:
    total = {
        "name": "net_total",
        "label": "Net total",
        "type": "amount",
        "value": net,
        "source": "default",
        "confidence": 1.0,
    }
    fields = proofs.add_proofs([found, total], UNCALIBRATED, 0.01)
    result = {"fields": fields, "checks": [vars(one) for one in reading.list_table_checks(fields)]}
    return [one.text for one in needs_review.find_review_reasons(result, [SPEC, NET], today="2026-03-01")]


def read(document: Document) -> Document:
    """As if OCR had read it."""
    return Document(tuple(replace(page, source="ocr") for page in document.pages))


def test_rows_that_add_up_to_a_printed_sum_need_no_person(tmp_path: Path) -> None:
    found = field(drawn(tmp_path, HEAD, PENS, INK, SUMS))
    assert found["value"] == "Pens\t2\t1.50\t3.00\nInk\t1\t4.00\t4.00"
    assert (found["proved"], found["page"], found["source"]) == (True, 0, "rules")
    assert [cell["column"] for cell in found["rows"][0]] == ["description", "quantity", "unit_price", "amount"]
    left, top, right, bottom = found["rows"][1][3]["box"]
    assert 0.8 < left < right <= 1.0
    assert 0 < top < bottom < 0.5
    assert reasons(found, "7.00") == []


def test_what_ocr_read_is_looked_at_however_well_it_adds_up(tmp_path: Path) -> None:
    found = field(read(drawn(tmp_path, HEAD, PENS, INK, SUMS)))
    assert not found["proved"]
    assert found["confidence"] > 0.8
    assert reasons(found) == ["Line items is not verified; too few reviews to rely on its confidence"]


def test_a_row_that_does_not_add_up_is_a_reason_to_look(tmp_path: Path) -> None:
    found = field(drawn(tmp_path, HEAD, PENS, ("Ink", "1", "4.00", "4.40"), ("", "", "Net total", "7.40")))
    assert (found["proved"], found["confidence"]) == (False, 0.5)
    assert [cell["confidence"] for cell in found["rows"][1]] == [0.95, 0.5, 0.5, 0.5]
    assert reasons(found, "7.40") == ["Line items: row 2 does not add up"]
    assert [one.text for one in reading.list_table_checks([found])] == ["Line items: row 2 does not add up"]


def test_a_sum_that_the_rows_do_not_come_to_is_a_reason_to_look(tmp_path: Path) -> None:
    found = field(drawn(tmp_path, HEAD, PENS, INK, ("", "", "Net total", "9.00")))
    total = {"name": "net_total", "type": "amount", "value": "9.00", "source": "rules"}
    assert not found["proved"]
    assert [one.text for one in reading.list_table_checks([found, total])] == [
        "Line items: Amount adds up to 7.00, not 9.00"
    ]


@each(
    ("row", "place", "confidence"),
    [
        (("Ink", "", "4.00", "4.00"), 1, 0.5),  # not read, or not there
        (("Ink", "some", "4.00", "4.00"), 1, 0.2),
        (("", "1", "4.00", "4.00"), 0, 0.0),
    ],
)
def test_a_cell_that_is_missing_or_no_value_is_not_sure(
    tmp_path: Path, row: tuple[str, ...], place: int, confidence: float
) -> None:
    found = field(drawn(tmp_path, HEAD, PENS, row, SUMS))
    assert (found["rows"][1][place]["confidence"], found["proved"]) == (confidence, False)
    assert reasons(found) != []


def test_a_required_table_that_is_not_found_is_missing(tmp_path: Path) -> None:
    found = field(drawn(tmp_path, ("Milk", "1.20")))
    assert (found["value"], found["rows"]) == (None, [])
    assert reasons(found) == ["Line items not found"]


def test_what_a_program_wrote_is_taken_with_the_places_of_the_printed_rows(tmp_path: Path) -> None:
    written = EInvoiceItems.from_stored(
        {
            "items": [
                {"name": "Pens, blue", "quantity": "2.0000", "price": "1.5000", "amount": "3.00"},
                {"name": "Ink", "quantity": "1", "price": "4", "amount": "4"},
            ],
            "items_total": "7.00",
        }
    )
    found = field(drawn(tmp_path, HEAD, PENS, INK, SUMS), written)
    assert found["value"] == "Pens, blue\t2.0000\t1.50\t3.00\nInk\t1\t4.00\t4.00"
    assert (found["source"], found["confidence"], found["proved"]) == ("embedded_xml", 1.0, True)
    assert found["rows"][0][0]["box"]
    assert reasons(found, "7.00") == []
    assert reasons(field(drawn(tmp_path, HEAD, PENS, INK), replace(written, total="8.00")), "8.00") == [
        "Line items: Amount adds up to 7.00, not 8.00"
    ]


def test_a_person_sees_where_the_page_prints_other_rows_than_the_file_has(tmp_path: Path) -> None:
    item = {"name": "Pens", "quantity": "2", "price": "1.50", "amount": "3.57"}
    written = EInvoiceItems.from_stored({"items": [item], "items_total": "3.57"})
    assert reasons(field(drawn(tmp_path, HEAD, PENS, ("", "", "Net total", "3.00")), written)) == [
        "Line items: the file's XML and the page have other rows"
    ]


def test_a_correction_keeps_the_places_of_rows_that_stayed(tmp_path: Path) -> None:
    found = field(drawn(tmp_path, HEAD, PENS, INK, SUMS))
    result = {"document_type": "invoice", "classification": None, "fields": [found]}
    corrected = "Pens\t2\t1.50\t3.00\nPaper\t1\t9.00\t9.00\nInk, red\t1\t4.00\t4.00"
    (published,) = results.merge_corrections(result, {"items": corrected})["fields"]
    first, new, last = published["rows"]
    assert (published["value"], published["source"], published["extracted"]) == (corrected, "reviewer", found["value"])
    assert first == found["rows"][0]
    assert new[0] == {"column": "description", "value": "Paper", "confidence": 1.0, "page": None, "box": None}
    assert last[0] == {**found["rows"][1][0], "value": "Ink, red", "confidence": 1.0}
    assert last[1:] == found["rows"][1][1:]
    (again,) = results.apply_corrections(result, {"items": corrected})["fields"]
    assert results.fields_of({"fields": [again]}) == (SPEC,)
    (blank,) = results.merge_corrections(result, {"items": None})["fields"]
    assert (blank["value"], blank["rows"]) == (None, [])


def test_no_calibration_lets_a_table_pass_that_its_sums_do_not_prove(tmp_path: Path) -> None:
    sure = Calibration(3, {"items": {"bias": 9.0}}, limits={"0.01": 0.1})
    found = field(read(drawn(tmp_path, HEAD, PENS, INK, SUMS)))
    (rated,) = proofs.add_proofs([found], sure, 0.01)
    assert (rated["proof"], rated["limit"]) == ("", None)

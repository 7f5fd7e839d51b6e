"""Textract's answers read: the real ones of the samples against their own raw blocks, and what no sample holds."""

import json
from collections import Counter
from pathlib import Path

import pytest
from django.conf import settings

from tests.each import each
from workflows.providers import blocks
from workflows.stages.pages.reading import DocumentReading

SAMPLES = Path(settings.BASE_DIR).parent / "shared/samples/textract"
real = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not on this machine")
BLOCKS = ("form1005-response", "gib", "gib_multi_page_table_merge", "patient_intake_form_sample")


def sample(name: str) -> dict:
    return json.loads((SAMPLES / f"{name}.json").read_text())


def reading(name: str) -> DocumentReading:
    return blocks.read_textract_answer(blocks.merge_parts([sample(name)]))


def kinds(name: str) -> Counter[str]:
    return Counter(block["BlockType"] for block in sample(name)["Blocks"])


@real
@pytest.mark.parametrize("name", BLOCKS)
def test_every_line_word_table_and_form_field_of_a_real_answer_is_read(name):
    found, held = reading(name), kinds(name)
    raw = sample(name)["Blocks"]
    assert len(found.pages) == held["PAGE"]
    assert sum(len(page.lines) for page in found.pages) == held["LINE"]
    assert Counter(word.text for page in found.pages for line in page.lines for word in line.words) == Counter(
        block["Text"] for block in raw if block["BlockType"] == "WORD"
    )
    assert Counter(line.text for page in found.pages for line in page.lines) == Counter(
        block["Text"] for block in raw if block["BlockType"] == "LINE"
    )
    assert sum(len(page.tables) for page in found.pages) == held["TABLE"]
    assert sum(len(page.fields) for page in found.pages) == sum("KEY" in b.get("EntityTypes", ()) for b in raw)
    assert sum(len(page.signatures) for page in found.pages) == held["SIGNATURE"]
    assert sum(len(page.answers) for page in found.pages) == held["QUERY_RESULT"]


@real
@pytest.mark.parametrize("name", BLOCKS)
def test_boxes_are_on_the_page_and_scores_are_shares(name):
    for page in reading(name).pages:
        for line in page.lines:
            x0, y0, x1, y1 = line.box
            assert 0 <= x0 < x1 <= 1
            assert 0 <= y0 < y1 <= 1
            assert 0 < line.score <= 1
            assert line.page == page.index


@real
def test_the_form_with_all_features():
    (page,) = reading("form1005-response").pages
    fields = {field.key: field.value.text for field in page.fields}
    assert fields["4. Title"] == "Project Manager"
    assert fields["21. Date Hired"] == "04/04/2004"
    assert {answer.alias: answer.value.text for answer in page.answers} == {
        "form_type": "Form 1005",
        "employer_name": "Alejandro Rosalez",
        "lender_address": "100 Main Street, Anytown, USA",
        "YTD_base_pay": "$ 15.00",
        "overtime": "Yes",
    }
    assert page.answers[0].question == "What is the form type?"
    assert page.answers[0].value.score == 0.98
    assert {region.kind for region in page.regions} >= {"title", "text", "key_value", "section_header", "footer"}
    assert (
        next(one for one in page.regions if one.kind == "title").value.text == "Request for Verification of Employment"
    )
    earnings = page.tables[1]
    assert earnings.title == "12B. Gross Earnings"
    assert earnings.grid[2] == ["Base Pay", "Thru 2006 $ 15.00", "$ 20.00", "30.00 $", "Flight or Hazard"]
    assert any(cell.rows > 1 or cell.columns > 1 for cell in earnings.cells)
    assert "| Total | $ 70.00 | $ 80.00 | $ 90.00 | Variable Housing Allowance |" in earnings.markdown
    assert page.slope == pytest.approx(0.0008, abs=0.0005)


@real
def test_ticked_boxes_and_handwriting():
    (page,) = reading("patient_intake_form_sample").pages
    ticks = Counter((field.key, field.ticked) for field in page.fields if field.ticked is not None)
    assert ticks == {("Yes", True): 2, ("Yes", False): 4, ("No", True): 4, ("No", False): 2}
    fields = [(field.key, field.value.text) for field in page.fields]
    assert ("Date of Birth:", "10/10/1982") in fields
    assert ("Email Address:", "") in fields
    assert page.tables[0].grid[2] == ["Do you have a cough?", "☐ ☒ Yes No"]


@real
def test_tables_over_three_pages():
    found = reading("gib_multi_page_table_merge")
    assert [[len(table.grid) for table in page.tables] for page in found.pages] == [[10, 7], [41], [11]]
    assert [page.index for page in found.pages] == [0, 1, 2]


@real
def test_an_expense_has_named_fields_and_items():
    (page,) = reading("invoice-expense-response").pages
    raw = sample("invoice-expense-response")["ExpenseDocuments"][0]
    assert len(page.fields) == len(raw["SummaryFields"])
    named = {field.kind: (field.key, field.value.text) for field in page.fields}
    assert named["TOTAL"] == ("Grand Total", "$6231.09")
    assert named["INVOICE_RECEIPT_ID"] == ("INVOICE #", "123PQR456")
    assert named["VENDOR_ADDRESS"] == ("", "123 Some Street\nSome City, XYZ, USA")
    assert page.tables[0].grid[0][:4] == ["Description", "Quantity", "Unit Price", "Amount"]
    assert page.tables[0].grid[3][:4] == ["Product 2", "2", "$106.04", "$212.08"]


@real
def test_an_identity_has_named_fields_without_empty_ones():
    (page,) = reading("test-trp2_analyzeid_sample1").pages
    named = {field.kind: field.value.text for field in page.fields}
    assert named["DOCUMENT_NUMBER"] == "5550100"
    assert named["DATE_OF_ISSUE"] == "2013-08-10T00:00:00"
    assert "FIRST_NAME" not in named


@real
def test_a_job_under_way_has_no_pages():
    assert reading("test-inprogress-response").pages == ()


@real
def test_parts_make_the_same_reading_as_the_whole():
    whole = sample("gib_multi_page_table_merge")
    every = whole["Blocks"]
    head = {name: value for name, value in whole.items() if name != "Blocks"}
    parts = [
        {**head, "Blocks": every[:300], "NextToken": "a"},
        {**head, "Blocks": every[290:700], "NextToken": "b"},  # AWS does not promise that parts do not overlap
        {**head, "Blocks": every[700:]},
    ]
    assert blocks.read_textract_answer(blocks.merge_parts(parts)) == blocks.read_textract_answer(whole)
    assert "NextToken" not in blocks.merge_parts(parts)


@real
def test_one_part_alone_is_read_as_far_as_it_goes():
    whole = sample("gib_multi_page_table_merge")
    found = blocks.read_textract_answer({**whole, "Blocks": whole["Blocks"][:100]})
    assert sum(len(page.lines) for page in found.pages) == sum(b["BlockType"] == "LINE" for b in whole["Blocks"][:100])


BOX = {"BoundingBox": {"Left": 0.1, "Top": 0.2, "Width": 0.3, "Height": 0.1}}


def test_a_line_whose_words_are_in_another_part_keeps_its_text():
    line = {"BlockType": "LINE", "Id": "l", "Text": "Total 9.00", "Geometry": BOX, "Confidence": 91.0}
    line["Relationships"] = [{"Type": "CHILD", "Ids": ["gone"]}]
    (page,) = blocks.read_textract_answer({"Blocks": [line]}).pages
    assert page.text == "Total 9.00"
    assert page.lines[0].box == pytest.approx((0.1, 0.2, 0.4, 0.3))
    assert page.lines[0].score == pytest.approx(0.91)


@each(
    "block",
    [
        {},
        {"BlockType": "LINE"},
        {"BlockType": "LINE", "Text": "no geometry"},
        {"BlockType": "WORD", "Text": "alone", "Geometry": {}},
        {"BlockType": "TABLE", "Relationships": None},
        {"BlockType": "CELL"},
        {"BlockType": "KEY_VALUE_SET", "EntityTypes": ["KEY"], "Relationships": [{"Type": "VALUE", "Ids": ["gone"]}]},
        {"BlockType": "QUERY"},
        {"BlockType": "SIGNATURE"},
        {"BlockType": "LAYOUT_FIGURE"},
        {"BlockType": "SOMETHING_NEW", "Confidence": None, "Page": None},
    ],
)
def test_what_is_missing_is_no_error(block):
    (page,) = blocks.read_textract_answer({"Blocks": [block]}).pages
    assert (page.index, page.lines) == (0, ())


def test_a_page_without_anything_on_it_is_there_and_one_that_failed_says_why():
    answer = {
        "DocumentMetadata": {"Pages": 3},
        "Blocks": [],
        "Warnings": [{"ErrorCode": "PAGE_SIZE_EXCEEDED", "Pages": [2]}],
    }
    found = blocks.read_textract_answer(blocks.merge_parts([answer]))
    assert [page.index for page in found.pages] == [0, 1, 2]
    assert found.unread == {1: "PAGE_SIZE_EXCEEDED"}


def test_a_bar_in_a_cell_does_not_break_the_table():
    cell = {"BlockType": "CELL", "Id": "c", "RowIndex": 1, "ColumnIndex": 1, "Text": "a|b"}
    table = {"BlockType": "TABLE", "Id": "t", "Relationships": [{"Type": "CHILD", "Ids": ["c"]}]}
    (page,) = blocks.read_textract_answer({"Blocks": [table, cell]}).pages
    assert page.tables[0].markdown == "| a\\|b |\n| --- |"


def line_of(text: str, block_id: str, page: int = 1) -> list[dict]:
    word = {"BlockType": "WORD", "Id": f"{block_id}w", "Text": text, "Geometry": BOX, "Confidence": 99.0, "Page": page}
    related = [{"Type": "CHILD", "Ids": [f"{block_id}w"]}]
    return [{**word, "BlockType": "LINE", "Id": block_id, "Relationships": related}, word]


TOTAL = {
    "Type": {"Text": "TOTAL"},
    "LabelDetection": {"Text": "Total"},
    "ValueDetection": {"Text": "9.00", "Geometry": BOX, "Confidence": 97.0},
    "PageNumber": 1,
}


def test_the_words_of_an_expense_are_in_its_own_blocks():
    """And a second part's expenses do not take the place of the first's."""
    parts = [
        {"ExpenseDocuments": [{"SummaryFields": [TOTAL], "Blocks": line_of("Alder", "a")}], "NextToken": "x"},
        {"ExpenseDocuments": [{"SummaryFields": [{**TOTAL, "PageNumber": 2}], "Blocks": line_of("Quill", "b", 2)}]},
    ]
    found = blocks.read_textract_answer(blocks.merge_parts(parts))
    assert [page.text for page in found.pages] == ["Alder", "Quill"]
    assert [[(field.kind, field.value.page) for field in page.fields] for page in found.pages] == [
        [("TOTAL", 0)],
        [("TOTAL", 1)],
    ]


def test_a_lending_answer_has_the_fields_of_each_page():
    field = {
        "Type": "BORROWER_NAME",
        "KeyDetection": {"Text": "Borrower", "Confidence": 90.0},
        "ValueDetections": [{"Text": "Ada Quill", "Geometry": BOX, "Confidence": 95.0}],
    }
    ticked = {"Type": "OWNS", "ValueDetections": [{"SelectionStatus": "SELECTED", "Confidence": 80.0}]}
    lending = {"LendingFields": [field, ticked], "SignatureDetections": [{"Confidence": 70.0, "Geometry": BOX}]}
    expense = {"SummaryFields": [TOTAL], "Blocks": line_of("Alder", "a")}
    results = [
        {"Page": 1, "Extractions": [{"LendingDocument": lending}]},
        {"Page": 2, "Extractions": [{"ExpenseDocument": expense}]},
    ]
    parts = [{"DocumentMetadata": {"Pages": 2}, "Results": [one]} for one in results]
    first, second = blocks.read_textract_answer(blocks.merge_parts(parts)).pages
    assert [(one.key, one.kind, one.value.text, one.ticked) for one in first.fields] == [
        ("Borrower", "BORROWER_NAME", "Ada Quill", None),
        ("", "OWNS", "", True),
    ]
    assert [one.score for one in first.signatures] == [0.7]
    assert (second.index, second.text, second.fields[0].value.page) == (1, "Alder", 1)

"""A table at the desk: shown cell by cell, kept as a draft, corrected and published, without a script and with one."""

import html
import json
import re

import pytest

from projects.settings.columns import ITEM_COLUMNS
from review import queries
from review.decide import claims
from tests.html import one_line
from tests.people import bob, charlie, signed_in
from tests.review.desk.pages import compared, form
from tests.review.reviews import open_review, person, result, url
from workflows.stages import results
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.usefixtures("desk")
PENS, INK = ("Pens", "2", "1.50", "3.00"), ("Ink", "1", "4.00", "4.40")
TEXT = "Pens\t2\t1.50\t3.00\nInk\t1\t4.00\t4.40"
COLUMNS = ("description", "quantity", "unit_price", "amount")


def table(*rows, required=True):
    cells = [
        [
            {"column": column, "value": text or None, "confidence": 0.5 if text == "4.40" else 0.95, "page": 0,
             "box": [0.1 + 0.2 * at, 0.5 + 0.1 * number, 0.2 + 0.2 * at, 0.55 + 0.1 * number]}
            for at, (column, text) in enumerate(zip(COLUMNS, row, strict=True))
        ]
        for number, row in enumerate(rows)
    ]  # fmt: skip
    value = "\n".join("\t".join(row) for row in rows) or None
    return {
        "name": "items", "label": "Line items", "type": "table", "required": required, "threshold": 0.8, "allowed": [],
        "default": "", "date_range": "", "columns": ITEM_COLUMNS, "value": value, "raw": None, "confidence": 0.5,
        "page": 0, "box": [0.1, 0.5, 0.9, 0.65], "source": "rules", "rows": cells, "proved": False, "candidates": [],
    }  # fmt: skip


@pytest.fixture
def ref():
    found = result()
    run, ref = open_review(found={**found, "fields": [*found["fields"], table(PENS, INK)]})
    claims.claim_review(ref, run, by=person(bob()))
    return ref


def page(ref, who=bob):
    return one_line(signed_in(who()).get(url("show-review", ref)).content)


def cells(ref):
    """The inputs of the form's cells, as a browser without scripts sends them."""
    found = re.findall(r'<input class="text-input[^"]*" id="c-[^"]*" name="(cell-[^"]+)" value="([^"]*)"', page(ref))
    return {name: html.unescape(value) for name, value in found}


def post(ref, name="decide", **changes):
    typed = cells(ref) | {key: changes.pop(key) for key in [*changes] if key.startswith("cell_")}
    typed = {key.replace("_", "-") if key.startswith("cell_") else key: text for key, text in typed.items()}
    return signed_in(bob()).post(url(name, ref), form(bob(), ref, **changes) | typed)


def decided(ref):
    review = queries.get_review(ref)
    store = DocumentFiles(ref.site, review.project_id, ref.document_id)
    return json.loads(store.read_pinned(store.name_of(review.decision_uri), review.decision_sha256))["corrections"]


def test_each_cell_is_an_input_and_a_box_on_the_page(ref):
    text = page(ref)
    assert [*cells(ref).values()][:8] == [*PENS, *INK]
    assert len(cells(ref)) == 4 * 5  # three rows to be filled in
    assert 'aria-label="Amount, row 2"' in text
    assert text.count("data-cell-box=") == 8
    assert text.count('class="field-box cell-box todo"') == 1
    assert text.count('class="text-input doubt"') == 1


def test_whoever_only_looks_sees_the_rows_and_no_more(ref):
    text = page(ref, charlie)
    assert text.count("data-cell=") == 8
    assert "data-grid-value" not in text
    assert text.count("readonly") >= 8


def test_cells_that_no_one_touched_are_no_draft_and_no_correction(ref):
    post(ref, "save-draft", tick=False)
    assert queries.review_and_draft(ref, person(bob()).id)[1] is None
    assert post(ref).status_code == 302
    assert "items" not in decided(ref)


def test_cells_of_a_plain_form_are_a_draft_of_the_whole_table(ref):
    post(ref, "save-draft", **{"cell_items-1-3": "4.00", "cell_items-2-0": "Paper", "cell_items-2-3": "1.00"})
    kept = queries.review_and_draft(ref, person(bob()).id)[1]
    assert kept.values.as_dict() == {"items": "Pens\t2\t1.50\t3.00\nInk\t1\t4.00\t4.00\nPaper\t\t\t1.00"}
    assert [*cells(ref).values()][8:12] == ["Paper", "", "", "1.00"]
    assert page(ref).count('class="text-input doubt"') == 0  # it was changed


def test_a_script_sends_one_text_which_goes_before_the_cells(ref):
    sent = "Ink\t1\t4.00\t4.00\r\n\t2\t1.50\t3.00"
    client = signed_in(bob())
    carried = form(bob(), ref)["ticket"]
    client.post(url("save-draft", ref), {"ticket": carried, "field-items": sent}, headers={"HX-Request": "true"})
    kept = queries.review_and_draft(ref, person(bob()).id)[1]
    assert kept.values.as_dict() == {"items": sent.replace("\r\n", "\n")}
    assert [*cells(ref).values()][:8] == ["Ink", "1", "4.00", "4.00", "", "2", "1.50", "3.00"]


def test_a_correction_is_stored_by_its_columns(ref):
    assert post(ref, **{"cell_items-1-3": "4,00 €", "cell_items-0-0": "", "cell_items-0-1": "", "cell_items-0-2": "",
                        "cell_items-0-3": ""}).status_code == 302  # fmt: skip
    assert decided(ref) == {"items": "Ink\t1\t4.00\t4.00"}
    merged = results.merge_corrections({**result(), "classification": None, "fields": [table(PENS, INK)]}, decided(ref))
    (row,) = merged["fields"][0]["rows"]
    assert [(cell["value"], cell["confidence"]) for cell in row] == [
        ("Ink", 0.95), ("1", 0.95), ("4.00", 0.95), ("4.00", 1.0),
    ]  # fmt: skip
    assert row[0]["box"][1] == 0.6  # where it was found


def test_what_cannot_be_stored_is_said_with_its_row_and_nothing_is_lost(ref):
    answer = post(ref, **{"cell_items-1-3": "four", "cell_items-2-0": "Paper"})
    text = one_line(answer.content)
    assert answer.status_code == 422
    assert "Row 2: Amount “four” is not an amount, for example 33.90." in text
    assert 'value="four"' in text
    assert 'value="Paper"' in text
    assert text.count('aria-invalid="true"') == 2  # and the new row's amount is missing


def test_a_required_table_may_not_be_emptied_and_another_may(ref):
    empty = {name.replace("-", "_", 1): "" for name in cells(ref)}
    assert "Line items is required" in one_line(post(ref, **empty).content)
    found = result()
    run, other = open_review(found={**found, "fields": [*found["fields"], table(PENS, required=False)]})
    claims.claim_review(other, run, by=person(bob()))
    assert post(other, **empty).status_code == 302
    assert decided(other) == {"items": None}


def test_found_right_is_for_these_rows_only(ref):
    post(ref, "save-draft", **{"seen-items": "1"})
    kept = queries.review_and_draft(ref, person(bob()).id)[1]
    assert kept.confirmed.as_dict()["items"] == TEXT
    assert re.search(r'class="exception settled" id="f-items"', page(ref))


def test_who_comes_second_sees_both_tables(ref):
    client = signed_in(bob())
    claims.release_claim(ref, queries.run_of(ref, queries.get_review(ref)), by=person(bob()))
    sent = {"ticket": "", "field-items": "Ink\t1\t4.00\t4.00"}
    answer = client.post(url("save-draft", ref), sent)
    assert answer.status_code == 409
    assert compared(answer.content.decode()) is None  # it is still open to this person, with what was typed
    assert 'value="4.00"' in one_line(answer.content)


def test_a_table_longer_than_any_is_not_kept(ref):
    sent = {"ticket": form(bob(), ref)["ticket"], "field-items": "Pens\t1\t1.00\t1.00\n" * 5_000}
    answer = signed_in(bob()).post(url("save-draft", ref), sent, headers={"HX-Request": "true"})
    assert answer.status_code == 422
    assert "use at most 60,000 characters" in answer.content.decode()

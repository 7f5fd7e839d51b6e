"""Line items are reviewed by keyboard alone: moved about, corrected, added, split, merged, pasted and approved."""

import json
import re

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from projects.settings.columns import ITEM_COLUMNS
from review import queries
from tests.browser.desk import claim, expect_saved, in_sight, sign_in
from tests.factories import PROJECT, ref_of, start_run
from tests.people import bob
from tests.pump import Pump
from workflows.runs.items import Run
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.django_db(transaction=True)
FIELDS = [
    {"name": "company", "label": "Company", "type": "text"},
    {"name": "net_total", "label": "Net total", "type": "amount"},
    {"name": "items", "label": "Line items", "type": "table", "columns": ITEM_COLUMNS, "required": True},
]


def waiting(live_server: LiveServer, pump: Pump) -> tuple[str, Run]:
    run, before = start_run(always_review=True, project={**PROJECT, "fields": FIELDS}), pump.ran("open_review")
    pump.run(lambda: pump.ran("open_review") > before)
    ref = ref_of(run)
    return f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/", run


def cell(page: Page, row: int, column: int) -> Locator:
    return page.locator("[data-grid] tbody tr").nth(row).locator("[data-cell]").nth(column)


def rows(page: Page) -> list[list[str]]:
    return page.locator("[data-grid] tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.querySelectorAll('[data-cell]')].map((one) => one.value))"
    )


def value(page: Page) -> str:
    return page.locator('[name="field-items"]').input_value()


def decided(run: Run) -> dict[str, str]:
    review = queries.get_review(ref_of(run))
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    found: dict[str, str] = json.loads(store.read_pinned(store.name_of(review.decision_uri), review.decision_sha256))[
        "corrections"
    ]
    return found


def claimed(live_server: LiveServer, context: BrowserContext, pump: Pump) -> Page:
    bob()
    url, _ = waiting(live_server, pump)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, url)
    return page


@pytest.mark.wide
def test_a_table_is_reviewed_by_keyboard_alone(
    live_server: LiveServer, context: BrowserContext, pump: Pump, console: list[str], settings: Settings
) -> None:
    settings.REVIEW_UNDO_SECONDS = 60
    bob()
    url, run = waiting(live_server, pump)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, url)
    keys, found = page.keyboard, rows(page)
    assert len(found) > 2
    keys.press("j")
    keys.press("j")
    keys.press("e")  # into the grid
    expect(cell(page, 0, 0)).to_be_focused()
    expect(page.locator(".cell-box.active")).to_have_count(1)
    keys.press("ArrowRight")
    keys.press("ArrowRight")
    keys.press("ArrowDown")
    expect(cell(page, 1, 2)).to_be_focused()
    keys.type("9.99")
    expect_saved(page)
    assert value(page).split("\n")[1].split("\t")[2] == "9.99"
    keys.press("Tab")
    keys.press("Enter")
    expect(cell(page, 2, 3)).to_be_focused()
    keys.press("Control+Enter")  # a row below
    expect(cell(page, 3, 0)).to_be_focused()
    keys.type("Delivery by bike")
    keys.press("Home")
    for _ in range(len("Delivery")):
        keys.press("Shift+ArrowRight")
    keys.press("ArrowRight")
    keys.press("Alt+s")
    assert [row[0] for row in rows(page)][3:5] == ["Delivery", "by bike"]
    keys.press("ArrowUp")
    keys.press("Alt+m")
    assert rows(page)[3][0] == "Delivery by bike"
    keys.press("Control+Delete")
    assert len(rows(page)) == len(found)
    keys.press("Control+z")
    assert rows(page)[3][0] == "Delivery by bike"
    keys.press("Control+Delete")
    keys.press("Escape")
    keys.press("Enter")  # a correction has been looked at
    expect(page.locator("#f-items")).to_have_class("exception settled")
    expect_saved(page)
    page.reload()
    in_sight(page)
    assert rows(page)[1][2] == "9.99"  # as it was left
    for name in page.locator("[data-seen]").evaluate_all("boxes => boxes.map((one) => one.name)"):
        page.locator(f"[name='{name}']").check()
    in_sight(page)
    keys.press("Escape")
    keys.press("a")
    page.wait_for_url("**/review/?done=*")
    corrected = [*found[:1], [*found[1][:2], "9.99", found[1][3]], *found[2:]]
    assert decided(run) == {"items": "\n".join("\t".join(row) for row in corrected)}
    keys.press("z")
    page.wait_for_url(f"{url}*")
    assert rows(page) == corrected  # as it was sent
    assert console == []


def test_who_typed_goes_on_to_a_table_as_a_whole_so_that_no_key_replaces_a_cell(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    page = claimed(live_server, context, pump)
    found = rows(page)
    page.locator('[name="seen-company"]').check()
    page.locator('[name="field-net_total"]').fill("12.00")
    page.keyboard.press("Enter")
    expect(page.locator("#f-items")).to_be_focused()
    page.keyboard.press("a")  # not yet: the table is left to check
    assert rows(page) == found
    page.keyboard.press("Enter")
    expect(page.locator("#f-items [data-seen]")).to_be_checked()
    assert rows(page) == found


@pytest.mark.wide
def test_rows_of_a_spreadsheet_are_pasted_and_boxes_lead_to_cells(
    live_server: LiveServer, context: BrowserContext, pump: Pump, console: list[str]
) -> None:
    page = claimed(live_server, context, pump)
    found = rows(page)
    page.locator("[data-cell-box] rect").nth(5).click()
    expect(cell(page, 1, 1)).to_be_focused()
    page.evaluate(
        """() => {
        const data = new DataTransfer();
        data.setData("text/plain", "Quantity\\tUnit price\\n7\\t1.00\\n8\\t2.00\\n9\\t3.00\\n");
        document.activeElement.dispatchEvent(
          new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
        }"""
    )
    expect_saved(page)
    pasted = rows(page)
    assert [row[1:3] for row in pasted][1:4] == [["7", "1.00"], ["8", "2.00"], ["9", "3.00"]]
    assert pasted[0] == found[0]
    assert pasted[1][0] == found[1][0]
    page.get_by_role("button", name="Add row").click()
    assert len(rows(page)) == len(pasted) + 1
    expect(page.locator("[data-sum]")).to_contain_text("adds up to")
    assert console == []


def test_a_table_is_checked_while_it_is_typed_and_its_sum_follows_the_total(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    page = claimed(live_server, context, pump)
    page.evaluate("() => { for (const one of document.querySelectorAll('#desk details')) one.open = true; }")
    items, net = page.locator("#f-items"), page.locator('[name="field-net_total"]')
    total = net.input_value()
    expect(items.locator("[data-sum]")).to_contain_text(f"adds up to {total}, as it should")
    net.fill("1.00")
    expect(items.locator("[data-sum]")).to_contain_text(f"adds up to {total}, not 1.00")
    expect(items.locator("[data-warned-words]")).to_contain_text(f"adds up to {total}, not Net total 1.00")
    net.fill("1,5")
    expect(items.locator("[data-sum]")).to_have_text(re.compile(rf"adds up to {total}$"))
    net.fill(total)
    expect(items.locator("[data-warned]")).to_be_hidden()
    amount = page.locator("[data-grid] tbody tr").first.locator("[data-cell]").last
    amount.fill("3,5")
    expect(items.locator("[data-stored-words]")).to_have_text("3.50 (row 1)")
    amount.fill("three")
    expect(items.locator("[data-live-error]")).to_contain_text("Row 1: Amount “three” is not an amount")
    expect(items.locator("[data-sum]")).to_be_hidden()


def test_a_box_leads_to_its_cell_where_the_table_is_folded_away(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    page = claimed(live_server, context, pump)
    page.locator("#f-items").evaluate(
        """(field) => {
        const fold = document.createElement("details");
        field.replaceWith(fold);
        fold.append(field);
        }"""
    )
    expect(cell(page, 1, 1)).to_be_hidden()
    page.locator("[data-cell-box] rect").nth(5).click()
    expect(cell(page, 1, 1)).to_be_focused()

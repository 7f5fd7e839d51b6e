"""A reviewer's story of each kind of paper, from the queue to the decision."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from projects.settings.columns import ITEM_COLUMNS
from projects.settings.values import FieldSetting
from tests.browser.conftest import WIDTHS
from tests.browser.desk import field
from tests.browser.telling import FIELDS, Story, active_box_is_in_sight, begin
from tests.factories import sample_files
from tests.pump import Pump
from tests.tools import paper

pytestmark = pytest.mark.django_db(transaction=True)
ITEMS = FieldSetting("items", "Line items", "table", columns=ITEM_COLUMNS)
LETTER = """
<html lang="ar" dir="rtl"><meta charset="utf-8"><body style="font: 15px DejaVu Sans; margin: 60px">
<h2>شركة النور للتجارة</h2><p>التاريخ: 2024-03-12</p>
<p>نرسل إليكم فاتورة الورق والحبر التي طلبتموها في الشهر الماضي.</p>
<p>المبلغ الإجمالي: 1,250.50 SAR</p></body></html>
"""


@pytest.fixture(params=WIDTHS)
def story(
    request: pytest.FixtureRequest, live_server: LiveServer, browser: Browser, pump: Pump, console: list[str]
) -> Iterator[Story]:
    told = begin(live_server, browser, pump, console, width=request.param)
    yield told
    told.context.close()


def receipt() -> paper.Sheet:
    sheet = paper.Sheet(226, 240)
    for number, line in enumerate(("CAFE LUNA", "12 High Street", "Date 2024-03-31", "Coffee 4.50", "Cake 8.00")):
        sheet.text(20, 40 + 30 * number, line, font="F2" if number == 0 else "F1", size=13)
    sheet.text(20, 210, "TOTAL", font="F2", size=14)
    sheet.text(206, 210, "12.50", font="F2", size=14, right=True)
    return sheet


@pytest.mark.wide
def test_a_receipt_from_the_till(story: Story, tmp_path: Path) -> None:
    file = tmp_path / "till receipt.png"
    paper.scanned(paper.picture(receipt(), 150), seed=1, angle=0.3).save(file)
    story.upload(file)
    story.open_from_queue(file.name)
    expect(story.page.locator("#f-total svg.field-crop")).to_be_visible()
    story.correct("company", "Cafe Luna")
    story.correct("date", "31.3.2024")
    expect(story.page.locator("#f-date [data-stored-words]")).to_contain_text("31 March 2024")
    story.correct("total", "12.50")
    story.confirm()
    story.approve()


@pytest.mark.wide
def test_an_invoice_with_line_items(live_server: LiveServer, browser: Browser, pump: Pump, console: list[str]) -> None:
    told = begin(live_server, browser, pump, console, width=1440, fields=(*FIELDS, ITEMS))
    told.upload(sample_files()[0])
    told.open_from_queue(sample_files()[0].name)
    rows = told.page.locator("[data-grid] tbody tr")
    expect(rows.first).to_be_visible()
    first = rows.first.locator("[data-cell]").first
    first.focus()
    first.press("Control+a")
    told.page.keyboard.type("Drawing paper A2, pad of 40")
    told.page.keyboard.press("Escape")
    told.page.keyboard.press("Enter")
    told.confirm()
    told.approve()
    told.context.close()


@pytest.mark.wide
def test_a_contract_of_forty_pages(story: Story, tmp_path: Path) -> None:
    story.upload(paper.save(contract(), tmp_path / "framework agreement.pdf"))
    page = story.page
    story.open_from_queue("framework agreement.pdf")
    expect(page.locator(".page-strip a").last).to_contain_text("40")
    page.locator("#f-total").focus()
    expect(page.locator(".page-image")).to_have_attribute("data-index", "39")  # the page goes where the field is
    expect(page.locator(".page-image .field-box.active")).to_be_attached()
    assert active_box_is_in_sight(page)
    page.keyboard.press("p")
    page.keyboard.type("17")
    page.keyboard.press("Enter")
    expect(page.locator(".page-image")).to_have_attribute("data-index", "16")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("governing law")
    page.keyboard.press("Enter")
    expect(page.locator(".viewer-told")).to_contain_text("1 found on 21")
    story.correct("company", "Alder & Quill Stationers Ltd")
    story.confirm()
    story.approve()


def contract() -> list[paper.Sheet]:
    sheets = [paper.Sheet(400, 500) for _ in range(40)]
    for number, sheet in enumerate(sheets, start=1):
        sheet.text(40, 50, f"{number}. Clause", font="F2", size=14)
        for line in range(12):
            sheet.text(40, 90 + 20 * line, "The supplier shall deliver the goods without delay.", size=11)
    sheets[0].text(40, 400, "Between Alder & Quill Stationers Ltd and Grossmarkt Ruhr", size=11)
    sheets[20].text(40, 400, "Governing law is that of Northbridge.", size=11)
    sheets[39].text(40, 400, "Date 30 March 2024", size=11)
    sheets[39].text(40, 430, "Total 120500.00 EUR", font="F2", size=11)
    return sheets


@pytest.mark.wide
def test_a_photo_that_lies_on_its_side(story: Story, tmp_path: Path) -> None:
    file = tmp_path / "sideways.png"
    paper.picture(receipt(), 150).rotate(90, expand=True).save(file)
    story.upload(file)
    story.open_from_queue(file.name)
    page = story.page
    before = shape(page)
    assert before[0] < before[1]  # it was turned to be read, with its boxes and cut-outs
    box = page.locator('.page-image [data-box="total"] .field-box').bounding_box()
    assert box
    assert box["width"] > box["height"]
    assert field(page, "total").input_value() == "12.50"
    page.locator("#left").focus()
    page.keyboard.press("t")
    expect(page.locator(".page-image [data-turn]")).to_have_attribute("transform", re.compile(r"rotate\(90\)"))
    assert shape(page) == tuple(reversed(before))
    story.correct("company", "Cafe Luna")
    story.correct("total", "12.50")
    story.confirm()
    story.approve()


def shape(page: Page) -> tuple[float, float]:
    _, _, width, height = str(page.locator(".page-image").get_attribute("viewBox")).split()
    return float(width), float(height)


def test_an_arabic_letter(story: Story, tmp_path: Path) -> None:
    drawing = story.context.new_page()
    drawing.set_content(LETTER)
    drawing.pdf(path=tmp_path / "letter.pdf", width="400px", height="500px")
    drawing.close()
    story.upload(tmp_path / "letter.pdf")
    story.open_from_queue("letter.pdf")
    page = story.page
    story.correct("company", "شركة النور للتجارة")
    assert page.evaluate("getComputedStyle(document.querySelector('[name=field-company]')).direction") == "rtl"
    page.locator("#f-total").focus()
    expect(page.locator(".page-image .field-box.active")).to_be_attached()
    assert active_box_is_in_sight(page)
    expect(page.locator("[name='field-total']")).to_have_value("1250.50")
    story.confirm()
    story.approve()
    page.goto(page.url.split("/review/")[0] + "/documents/")
    page.get_by_role("link", name="letter.pdf").first.click()
    values = page.locator("td[data-label=Value]")
    for text, direction in (("للتجارة", "rtl"), ("1250.50", "ltr")):
        value = values.filter(has_text=text).first
        assert value.evaluate("one => getComputedStyle(one).direction") == direction

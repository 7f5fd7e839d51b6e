"""A reviewer's story of each kind of file that is no paper, from the queue to the decision."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.conftest import WIDTHS
from tests.browser.desk import in_sight
from tests.browser.telling import Story, begin
from tests.flow.test_copies import invoice
from tests.pump import Pump
from tests.review.recordings import make_recording
from tests.review.reviews import open_review, result
from tests.workflows.boxes import mailed
from tests.workflows.stages.formats.office import workbook
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.django_db(transaction=True)
LINES = """(cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return new Set([...range.getClientRects()].map((box) => box.top)).size;
}"""
TEXT = "Dear Rosa,\n\nplease find our invoice RE-2024-17 attached.\nTotal 1500.00 EUR\n\nACME TRADING LTD\n"


@pytest.fixture(params=WIDTHS)
def story(
    request: pytest.FixtureRequest, live_server: LiveServer, browser: Browser, pump: Pump, console: list[str]
) -> Iterator[Story]:
    told = begin(live_server, browser, pump, console, width=request.param)
    yield told
    told.context.close()


@pytest.mark.wide
def test_a_mail_and_its_attachment(story: Story, tmp_path: Path) -> None:
    attached = {"invoice.pdf": invoice(tmp_path, "invoice.pdf").read_bytes()}
    mail = tmp_path / "Invoice RE-2024-17.eml"
    mail.write_bytes(mailed(attached, subject="Invoice RE-2024-17", text=TEXT))
    story.upload(mail, reviews=2)
    page = story.page
    story.open_from_queue("Invoice RE-2024-17.txt")
    expect(page.locator(".mail-heads")).to_contain_text("a@example.org")
    expect(page.locator(".mail-heads dt").last).to_have_text("Subject")
    expect(page.locator(".page-text")).to_contain_text("please find our invoice")
    story.correct("company", "ACME Trading Ltd")
    story.correct("total", "1500.00")
    story.approve()
    in_sight(page)  # the next one, which came by itself
    expect(page.locator("h1")).to_have_text("invoice.pdf")
    expect(page.locator(".page-image")).to_be_visible()
    story.confirm()
    story.approve()


@pytest.mark.wide
def test_a_spreadsheet(story: Story, tmp_path: Path) -> None:
    lines = (("Company", "Acme Trading Ltd"), ("Date", "2024-03-31"), ("Total", "1500.00"))
    lines += (("Reference", "6ff4173b-42a5-4784-9b19-f49caff4d93d-9b19-f49caff4d93d"),)
    cell = '<c t="inlineStr"><is><t>{}</t></is></c>'
    rows = "".join(f"<row>{''.join(cell.format(one) for one in line)}</row>" for line in lines)
    file = tmp_path / "costs.xlsx"
    workbook(file, {"March": rows, "April": rows.replace("2024-03-31", "2024-04-30")})
    story.upload(file)
    story.open_from_queue("costs.xlsx")
    page = story.page
    expect(page.locator(".page-text table")).to_contain_text("Acme Trading Ltd")
    cell = page.locator(".page-text td").filter(has_text="Reference")
    assert cell.evaluate(LINES) == 1  # beside a long word too: a number in two lines is read as two
    expect(page.locator(".viewer-tools")).to_contain_text("March")
    page.locator("#left").focus()
    page.keyboard.press("x")
    expect(page.locator(".viewer-tools")).to_contain_text("April")
    for name, value in (("company", "Acme Trading Ltd"), ("date", "2024-04-30"), ("total", "1500.00")):
        story.correct(name, value)
    story.approve()


def test_a_recording(story: Story) -> None:
    found = result()
    found["pages"] = [{"index": 0, "width": 1000, "height": 1414, "image": None, "title": "", "source": "text"}]
    for one in found["fields"]:
        one["box"] = None
    run, _ = open_review("call.wav", found=found)
    make_recording(run)
    spoken = [{"transcript": "good morning the total is 33.90", "start_time": 2.0, "end_time": 8.0}]
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    segment = {"text_content": "", "transcribe_segments": spoken}
    store.write(files.segment(0), json.dumps(segment).encode(), "application/json")
    page = story.page
    story.open_from_queue("call.wav")
    expect(page.locator(".viewer-tools")).to_contain_text("Transcript")
    page.locator("#left").focus()
    page.keyboard.press("h")
    page.wait_for_function("() => !document.querySelector('[data-player]').paused")
    page.keyboard.press("h")
    page.wait_for_function("() => document.querySelector('[data-player]').paused")
    story.correct("total", "38.90")
    story.confirm()
    story.approve()

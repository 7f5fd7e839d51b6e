"""A newcomer's first day, by README and tutorial: an own type, five files, their reviews, and what became of them."""

import csv
import io
import re
from pathlib import Path

import pytest
from django.core import mail
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.desk import check_all, field, in_sight, sign_in
from tests.people import alice
from tests.pump import Pump

pytestmark = pytest.mark.django_db(transaction=True)
ATTRIBUTES = (("Delivery number", "delivery_number", "Text"), ("Ship date", "ship_date", "Date"))


def test_an_own_type_is_read_reviewed_exported_and_accounted_for(
    live_server: LiveServer, context: BrowserContext, pump: Pump, console: list[str], tmp_path: Path
) -> None:
    alice()
    page = context.new_page()
    sign_in(page, live_server, "alice")
    create_type(page, live_server.url)
    create_project(page, live_server.url)
    upload(page, write_notes(tmp_path))
    pump.run(lambda: pump.ran("open_review") == 5, seconds=90)
    for number in range(1, 5):
        decide(page, live_server.url, f"note-{number}.txt", corrected="DN-2002" if number == 2 else "")
    reject(page, live_server.url, "note-5.txt")
    pump.run(idle=1.0)
    project = open_project(page, live_server.url)
    numbers = {"note-1.txt": "DN-1001", "note-2.txt": "DN-2002", "note-3.txt": "DN-1003", "note-4.txt": "DN-1004"}
    assert sorted(export(page, pump)) == [(note, number, "Alice Novak") for note, number in numbers.items()]
    page.goto(f"{live_server.url}/settings/audit/")
    told = page.locator("main")
    expect(told).to_contain_text("Approved · note-1.txt · Alice Novak")
    expect(told).to_contain_text("Rejected · note-5.txt · Alice Novak")
    expect(told).to_contain_text("Project created · Deliveries")
    expect(told).to_contain_text("Document type created · Delivery note")
    page.goto(f"{live_server.url}/settings/costs/")
    expect(page.locator("main")).to_contain_text("No usage in")  # a text is read without OCR and models
    invite(page, live_server.url)
    upload_by_program(page, live_server.url, project)
    assert console == []


def create_type(page: Page, root: str) -> None:
    """Its attributes are made beside it; nothing that was typed is lost."""
    page.goto(f"{root}/schemas/new/")
    page.get_by_role("textbox", name="Name").fill("Delivery note")
    for number, (label, key, kind) in enumerate(ATTRIBUTES):
        page.locator("[name=new-label]").fill(label)
        page.locator("[name=new-key]").fill(key)
        page.locator("[name=new-kind]").select_option(label=kind)
        page.locator("[name=new-key]").press("Enter")
        expect(page.locator(f"[name=uses-{number}-key]")).to_have_value(key)
        expect(page.locator("[name=new-label]")).to_be_focused()
    page.get_by_role("button", name="Create document type").first.click()
    expect(page.get_by_role("link", name="Delivery note")).to_be_visible()


def create_project(page: Page, root: str) -> None:
    page.goto(f"{root}/projects/new/")
    page.get_by_label("Name", exact=True).first.fill("Deliveries")
    page.locator("[name=document_prompt]").fill("These are delivery notes of timber merchants.")
    page.locator("[name=audit_share]").fill("100")
    page.locator("[name=classification_id]").select_option(label="Delivery note")
    page.locator("#project-form button[type=submit].primary").first.click()
    expect(page.get_by_role("heading", name="Deliveries")).to_be_visible()


def write_notes(folder: Path) -> list[Path]:
    notes = [folder / f"note-{number}.txt" for number in range(1, 6)]
    for number, note in enumerate(notes, 1):
        words = ("Delivery note", "Hall Timber Ltd", f"Delivery number DN-100{number}", f"Ship date 2026-11-0{number}")
        note.write_text("\n".join([*words, f"{number} pallets of oak boards"]))
    return notes


def upload(page: Page, notes: list[Path]) -> None:
    page.get_by_role("link", name="Upload").first.click()
    page.get_by_label("Files").set_input_files(notes)
    page.get_by_role("button", name="Upload", exact=True).click()
    expect(page.get_by_text("Uploaded")).to_have_count(5, timeout=30_000)
    expect(page.get_by_role("link", name="View project")).to_be_visible()


def decide(page: Page, root: str, note: str, corrected: str) -> None:
    claim(page, root, note)
    if corrected:
        field(page, "delivery_number").fill(corrected)
    check_all(page)
    page.get_by_role("button", name="Approve and stop").click()
    page.wait_for_url("**/review/?done=*")


def reject(page: Page, root: str, note: str) -> None:
    claim(page, root, note)
    page.keyboard.press("r")
    page.get_by_label("Reason for rejection").fill("Not ours.")
    page.get_by_role("button", name="Reject and stop").click()
    page.wait_for_url("**/review/?done=*")


def claim(page: Page, root: str, note: str) -> None:
    page.goto(f"{root}/review/")
    page.get_by_role("link", name=note).click()
    page.locator("[data-claim]").click()
    in_sight(page)


def open_project(page: Page, root: str) -> str:
    page.goto(f"{root}/projects/")
    page.get_by_role("link", name="Deliveries").first.click()
    page.wait_for_url("**/projects/proj_*/")
    return page.url.rstrip("/").rpartition("/")[2]


def export(page: Page, pump: Pump) -> list[tuple[str, str, str]]:
    page.get_by_role("link", name="Export").click()
    page.get_by_role("button", name="Export", exact=True).click()
    expect(page.get_by_text("Queued").first).to_be_visible()
    pump.run(idle=1.0)
    page.reload()
    with page.expect_download() as started:
        page.get_by_role("link", name="documents.csv").click()
    rows = csv.DictReader(io.StringIO(Path(started.value.path()).read_text(encoding="utf-8-sig")))
    return [(row["Document"], row["Delivery number"], row["Decided by"]) for row in rows]


def invite(page: Page, root: str) -> None:
    page.goto(f"{root}/settings/people/")
    page.get_by_label("Email").fill("nora@example.com")
    page.get_by_label("First name").fill("Nora")
    page.get_by_label("Last name").fill("Lind")
    page.get_by_label("reviewers").check()
    page.get_by_role("button", name="Send invitation").click()
    expect(page.get_by_text("Invitation sent.")).to_be_visible()
    link = re.search(r"http\S+/login/new-password/\S+", mail.outbox[-1].body)
    assert link
    theirs = page.context.browser.new_context().new_page()
    theirs.goto(f"{root}/{link[0].split('/', 3)[3]}")
    theirs.locator("[name=new_password1]").fill("oak boards and pallets")
    theirs.locator("[name=new_password2]").fill("oak boards and pallets")
    theirs.locator("main form button[type=submit]").click()
    theirs.get_by_label("Username").fill("nora@example.com")
    theirs.get_by_label("Password").fill("oak boards and pallets")
    theirs.get_by_role("button", name="Sign in").click()
    theirs.goto(f"{root}/review/")
    expect(theirs.get_by_role("heading", name="Review", exact=True)).to_be_visible()
    theirs.context.close()


def upload_by_program(page: Page, root: str, project_id: str) -> None:
    page.goto(f"{root}/settings/keys/")
    page.locator("main form [name=name]").fill("Scanner")
    page.get_by_label("Upload and edit documents").check()
    page.get_by_role("button", name="Create API key").click()
    key = page.locator("[data-secret]").inner_text()
    answer = page.request.post(
        f"{root}/api/v1/projects/{project_id}/documents",
        headers={"Authorization": f"Bearer {key}"},
        multipart={"file": {"name": "note-6.txt", "mimeType": "text/plain", "buffer": b"Delivery number DN-1006"}},
    )
    assert answer.status == 201, answer.text()

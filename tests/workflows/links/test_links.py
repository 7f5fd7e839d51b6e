"""What whoever has a link is shown, and no one else: opened by a form, counted, masked, gone when it is revoked."""

import io
import json
import logging
from dataclasses import replace

import pikepdf
import pytest
from django.test import Client
from PIL import Image

from config import clock
from projects.folders import actions as folder_actions
from projects.folders.items import EntryType
from projects.queues import actions as queue_actions
from projects.settings import actions as project_actions
from projects.settings import merging
from projects.settings.values import FieldSetting
from projects.shares import actions, queries
from projects.shares.actions import LinkDraft
from projects.sites import sign_in
from tests.factories import SITE, start_run
from tests.html import one_line
from tests.projects.projects import make_project
from tests.workflows.removing import ROSA
from tests.workflows.repeated import field, publish
from workflows.documents.actions import removals
from workflows.runs.items import Run
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
BOX = [0.25, 0.4, 0.5, 0.5]


def picture() -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (400, 200), "white").save(made, "PNG")
    return made.getvalue()


def published(project_id: str = "", folder_id: str = "") -> Run:
    """One page, two fields; a result."""
    wanted = {"project_id": project_id} if project_id else {}
    run = start_run(pages=1, folder_id=folder_id, **wanted)
    rows = [[{"column": "item_name", "value": "Paper"}, {"column": "price", "value": "4.00"}]]
    publish(run, field("total", "4.00"), field("company", "Mill Ltd", box=BOX), field("items", None, rows=rows))
    store = DocumentFiles(SITE, run.project_id, run.document_id)
    store.write(files.page_image(0), picture(), "image/png")
    words = {"segment_index": 0, "words": [{"text": "Mill Ltd", "box": BOX}]}
    store.write(files.segment(0), json.dumps(words).encode(), "application/json")
    return run


def link_to(kind: EntryType, target_id: str, **wanted: object) -> actions.NewLink:
    target = actions.find_target(SITE, kind, target_id)
    return actions.create_link(SITE, target, LinkDraft(**{"name": "Auditors", "days": 7, **wanted}), by=ROSA)


def address(made: actions.NewLink) -> str:
    return f"/shared/{made.share.share_id}/open/{made.secret}/"


def opened(made: actions.NewLink, **form: str) -> Client:
    browser = Client()
    assert browser.post(address(made), form).status_code == 302
    return browser


def test_a_link_is_opened_by_a_form_and_shows_the_result_and_the_pages() -> None:
    run = published()
    made = link_to(EntryType.FILE, run.document_id)
    browser, at = Client(), f"/shared/{made.share.share_id}/"
    assert browser.get(at).status_code == 404  # the address without the secret opens nothing
    form = browser.get(address(made))
    assert "Open document" in one_line(form.content)
    assert (form["Referrer-Policy"], form["Cache-Control"]) == ("same-origin", "private, no-store")
    assert "4.00" not in form.content.decode()
    assert queries.get_share(SITE, made.share.share_id).openings == 0
    assert browser.post(address(made))["Location"] == at
    assert queries.get_share(SITE, made.share.share_id).openings == 1
    page = one_line(browser.get(at).content)
    assert all(word in page for word in ("4.00", "Mill Ltd", "Paper", "Item name"))
    assert not any(word in page for word in ("Sign in", "Confidence", run.project_id, run.workflow_id))
    image = browser.get(f"{at}documents/{run.document_id}/pages/0.png")
    assert image["Content-Type"] == "image/webp"
    assert browser.get(f"{at}documents/{run.document_id}/pages/1.png").status_code == 404
    whole = browser.get(f"{at}documents/{run.document_id}/download/")
    with pikepdf.open(io.BytesIO(whole.content)) as pdf:
        assert len(pdf.pages) == 1
    actions.revoke_share(SITE, made.share.share_id, by=ROSA)
    for path in ("", f"documents/{run.document_id}/pages/0.png", f"documents/{run.document_id}/download/"):
        assert browser.get(at + path).status_code == 404, path
    for gone in (address(made), f"/shared/{clock.new_ulid()}/open/none/"):  # the same, whether there was one
        answer = browser.get(gone)
        assert answer.status_code == 404
        assert "Ask the person who sent it for a new link" in one_line(answer.content)
        assert "shared a document" not in one_line(answer.content)


def test_a_link_leads_to_nothing_else() -> None:
    run, other = published(), published()
    made, another = link_to(EntryType.FILE, run.document_id), link_to(EntryType.FILE, other.document_id)
    browser, at = opened(made), f"/shared/{made.share.share_id}/"
    for path in ("", "pages/0.png", "download/"):
        assert browser.get(f"{at}documents/{other.document_id}/{path}").status_code == 404, path
    assert browser.get(f"/shared/{another.share.share_id}/").status_code == 404
    assert browser.get(f"/s/acme/shared/{made.share.share_id}/").status_code == 404
    assert browser.get(f"/documents/{run.document_id}/").status_code == 302
    waiting = start_run()
    early = opened(link_to(EntryType.FILE, waiting.document_id))
    share = queries.list_shares_of(SITE, waiting.document_id)[0]
    assert "Nothing is published yet" in one_line(early.get(f"/shared/{share.share_id}/").content)


def test_a_deleted_document_is_not_there_for_a_link() -> None:
    run = published()
    made = link_to(EntryType.FILE, run.document_id)
    browser, at = opened(made), f"/shared/{made.share.share_id}/"
    removals.delete_document(SITE, run.document_id, by=ROSA)
    assert browser.get(at).status_code == 404
    removals.restore_document(SITE, run.document_id, by=ROSA)
    assert browser.get(at).status_code == 200


def test_a_password_is_asked_for_and_guesses_are_few() -> None:
    made = link_to(EntryType.FILE, published().document_id, password="a long word", max_openings=1)
    browser = Client()
    for _ in range(sign_in.PAIR.tries - 1):
        answer = browser.post(address(made), {"password": "another word"})
        assert (answer.status_code, "incorrect" in answer.content.decode()) == (422, True)
    assert opened(made, password="a long word")
    for _ in range(sign_in.PAIR.tries):
        browser.post(address(made), {"password": ""})
    assert queries.get_share(SITE, made.share.share_id).openings == 1
    over = browser.post(address(made), {"password": "a long word"})
    assert (over.status_code, "reached its limit of openings" in over.content.decode()) == (410, True)
    again = link_to(EntryType.FILE, published().document_id, password="a long word")
    for _ in range(sign_in.PAIR.tries):
        browser.post(address(again), {"password": "another word"})
    assert browser.post(address(again), {"password": "a long word"}).status_code == 429
    assert Client(REMOTE_ADDR="203.0.113.9").post(address(again), {"password": "a long word"}).status_code == 302


def test_addresses_that_are_guessed_are_few() -> None:
    made, browser = link_to(EntryType.FILE, published().document_id), Client()
    wrong = f"/shared/{made.share.share_id}/open/{made.secret[:-1]}/"
    answers = {browser.get(wrong).status_code for _ in range(sign_in.PAIR.tries + 1)}
    assert answers == {404, 429}
    assert browser.get(address(made)).status_code == 200  # who has the right one is let in


def test_personal_values_are_masked_and_painted_over() -> None:
    project = make_project()
    fields = (FieldSetting("company", "Company", "text", personal=True), FieldSetting("total", "Total", "amount"))
    seen = merging.digest_settings(project.settings, project.version)
    project_actions.update_project(SITE, project.id, replace(project.settings, fields=fields), seen=seen, by=ROSA)
    run = published(project.id)
    made = link_to(EntryType.FILE, run.document_id)
    browser, at = opened(made), f"/shared/{made.share.share_id}/"
    page = browser.get(at).content.decode()
    assert ("Mill Ltd" in page, "•••" in page, "4.00" in page) == (False, True, True)
    with Image.open(io.BytesIO(browser.get(f"{at}documents/{run.document_id}/pages/0.png").content)) as image:
        pixel = image.convert("RGB").getpixel((int(0.37 * image.width), int(0.45 * image.height)))
    assert isinstance(pixel, tuple)
    assert max(pixel) < 100
    early = start_run(pages=1, project_id=project.id)
    unpublished = link_to(EntryType.FILE, early.document_id)
    waiting = opened(unpublished).get(f"/shared/{unpublished.share.share_id}/")
    assert "/pages/0.png" not in waiting.content.decode()


def test_a_folder_by_link_leaves_out_what_is_closed_in_it() -> None:
    outer = folder_actions.create_path(SITE, "Audit/2026", by=ROSA)
    top = folder_actions.create_path(SITE, "Audit", by=ROSA)
    closed = folder_actions.create_path(SITE, "Audit/2026/Board", by=ROSA)
    folder_actions.restrict_folder(SITE, closed, ["admins"], version=1, by=ROSA)
    queue_actions.create_queue(SITE, "Board", ["admins"], by=ROSA, queue_id="board")
    first, hidden = published(folder_id=outer), published(folder_id=closed)
    made = link_to(EntryType.FOLDER, top)
    browser, at = opened(made), f"/shared/{made.share.share_id}/"
    assert f"folder={outer}" in browser.get(at).content.decode()
    page = browser.get(at, {"folder": outer}).content.decode()
    assert first.document_id in page
    assert "Board" not in page
    assert browser.get(f"{at}documents/{first.document_id}/").status_code == 200
    assert browser.get(f"{at}documents/{hidden.document_id}/").status_code == 404
    assert browser.get(at, {"folder": closed}).status_code == 404
    assert browser.get(at, {"folder": "none"}).status_code == 404
    assert browser.get(at, {"folder": outer, "after": "forged"}).status_code == 404


def test_no_secret_of_a_link_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    made = link_to(EntryType.FILE, published().document_id, password="a long word")
    with caplog.at_level(logging.DEBUG):
        Client().get(address(made))
        Client().post(address(made), {"password": "another word"})
        Client().post(address(made), {"password": "a long word"})
        Client().get(f"/shared/none/open/{made.secret}/")
    ours = [record for record in caplog.records if not record.name.startswith(("botocore", "boto3", "urllib3"))]
    told = "".join(f"{record.getMessage()} {record.__dict__}" for record in ours if record.name != "django.request")
    assert made.secret not in told
    assert "long word" not in told

import io
import re
from html import escape

import pytest
from django.core.cache import cache
from django.urls import reverse
from PIL import Image, ImageDraw, ImageFont

from config.transaction import transact
from projects.audit.events import Actor
from tests.aws_faults import count_calls, fail
from tests.factories import PROJECT_ID, start_run
from tests.html import one_line
from tests.people import bob, charlie, dora, signed_in
from tests.review import reviews
from tests.workflows.advancing import waiting
from tests.workflows.repeated import run_to_repeat
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.documents.actions import removals
from workflows.runs import events, queries
from workflows.runs.actions import advance, segments
from workflows.runs.items import WorkflowSteps
from workflows.runs.page_pictures import shrink_picture
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.django_db


def run_url(run, more=""):
    return f"/workflows/{run.document_id}/{run.workflow_id}/{more}"


def failed(run):
    advance.fail(
        run, DOCUMENT_ANALYSIS, queries.execution(run), attempt=1, error="StageFailed", sentence="No pages in it."
    )


def read(browser, url):
    return one_line(browser.get(url).content)


@pytest.mark.parametrize("url", ["/", "/workflows/", "/workflows/projects/proj_test/documents/"])
def test_pages_ask_for_a_sign_in_and_for_a_role(client, table, url):
    assert client.get(url)["Location"] == f"/login/?next={url}"
    assert signed_in(dora()).get(url).status_code == 403
    assert signed_in(charlie()).get(url).status_code == 200


def test_the_overview_shows_what_is_under_way_with_its_details_and_its_count_and_asks_again(table):
    cache.clear()
    run, browser = start_run(), signed_in(charlie())
    with count_calls() as seen:
        page = read(browser, "/")
    assert len(seen.names()) == 4  # one of them, what is usual, once a minute
    with count_calls() as seen:
        page = read(browser, "/")
    assert seen.names() == ["dynamodb.Query", "dynamodb.BatchGetItem", "dynamodb.Query"]
    assert "<b>1</b> running" in page
    assert run_url(run) in page
    assert "Segment Prep" in page
    assert 'hx-trigger="every 4s"' in page


def test_an_overview_without_analyses_rests_and_says_where_to_go(table):
    page = read(signed_in(charlie()), "/")
    assert "No runs in progress" in page
    assert re.findall('hx-trigger="(.*?)"', page) == ["load"]  # the reviews that wait, once


def test_an_ended_run_leaves_the_overview_and_stays_in_the_list_and_in_its_project(table):
    run, browser = start_run(), signed_in(charlie())
    failed(run)
    assert run_url(run) not in read(browser, "/")
    for url in ("/workflows/", f"/workflows/projects/{PROJECT_ID}/documents/"):
        page = read(browser, url)
        assert run_url(run) in page
        assert "Failed" in page


def test_the_list_of_runs_names_documents_newest_first_in_two_reads(table):
    older, newer = start_run(), start_run()
    browser = signed_in(charlie())
    with count_calls() as seen:
        page = read(browser, "/workflows/")
    assert seen.names() == ["dynamodb.Query", "dynamodb.BatchGetItem"]
    assert page.index(run_url(newer)) < page.index(run_url(older))
    assert ".pdf" in page


def test_a_run_shows_steps_and_pages_in_one_request(table):
    run, browser = start_run(), signed_in(charlie())
    segments.write(run, 2)
    with count_calls() as seen:
        page = read(browser, run_url(run))
    assert len(seen.of_page()) <= 5, seen.of_page()
    for step in DOCUMENT_ANALYSIS.steps:
        assert step.label in page
    assert run_url(run, "segments/1/") in page


def test_a_page_of_a_run_shows_its_image_before_anything_is_read_and_its_text_after(table):
    run = start_run()
    url = run_url(run, "segments/0/")
    assert signed_in(charlie()).get(url).status_code == 404
    board = queries.board(run.site, run.workflow_id)
    WorkflowSteps.change(board.key, [WorkflowSteps.page_count.set(2)], WorkflowSteps.PK.exists())
    page = read(signed_in(charlie()), url)
    assert "No text was extracted from this page yet." in page
    assert f"/workflows/{PROJECT_ID}/{run.document_id}/pages/0.png" in page
    body = b'{"segment_type": "PAGE", "status": "parsing", "paddleocr": "a <b>", "text_content": "a <b>"}'
    DocumentFiles(run.site, run.project_id, run.document_id).write(files.segment(0), body, "application/json")
    page = read(signed_in(charlie()), url)
    assert page.count("a &lt;b&gt;") == 1
    assert "Parsing" not in page
    assert signed_in(dora()).get(url).status_code == 403


def test_a_failed_run_says_why_and_stops_asking(table):
    run, browser = start_run(), signed_in(charlie())
    seen = queries.board(run.site, run.workflow_id).updated_at
    poll = run_url(run, "poll/")
    assert browser.get(poll, {"seen": seen}).status_code == 204
    failed(run)
    page = one_line(signed_in(charlie(), htmx=True).get(poll, {"seen": seen}).content)
    assert "No pages in it." in page
    assert "every 3s" not in page
    assert "<html" not in page


def test_the_history_of_a_document_names_who_began_it(table):
    page = read(signed_in(charlie()), run_url(start_run(), "lineage/"))
    assert "Received from test" in page


def test_a_run_that_waits_leads_to_its_review(table):
    run, ref = reviews.open_review()
    browser = signed_in(charlie())
    assert f'href="{reviews.url("show-review", ref)}"' in read(browser, run_url(run, "lineage/"))
    assert "Needs review" in read(browser, "/workflows/")


def test_steps_behind_a_failure_were_not_reached(table):
    run = start_run()
    failed(run)
    assert "Not run" in read(signed_in(charlie()), run_url(run))


def test_fields_are_shown_once_they_were_read(table):
    run, browser = start_run(), signed_in(charlie())
    url = run_url(run, "result/")
    assert "appear here" in read(browser, url)
    body = b'{"fields": [{"name": "total", "label": "Total", "value": "<b>9</b>", "confidence": 0.5, "page": 0}]}'
    DocumentFiles(run.site, run.project_id, run.document_id).write(
        files.result(run.workflow_id), body, "application/json"
    )
    page = read(browser, url)
    assert "&lt;b&gt;9&lt;/b&gt;" in page
    assert "50 %" in page


def test_a_run_of_another_document_is_not_found(table):
    one, other = start_run(), start_run()
    browser = signed_in(charlie())
    assert browser.get(f"/workflows/{one.document_id}/{other.workflow_id}/").status_code == 404
    assert browser.get(f"/workflows/{one.document_id}/none/").status_code == 404


def test_a_page_image_is_sent_as_large_as_it_is_shown(table):
    run, made = start_run(), io.BytesIO()
    Image.linear_gradient("L").resize((1240, 1754)).save(made, "PNG")
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    store.write(files.page_image(0), made.getvalue(), "image/png")
    store.write(files.page_image(1), b"\x89PNG", "image/png")
    browser, url = signed_in(charlie()), f"/workflows/{run.project_id}/{run.document_id}/pages/0.png"
    page, thumb, other = (browser.get(f"{url}?size={size}") for size in ("page", "thumb", "huge"))
    closer = browser.get(f"{url}?size=zoom")
    assert (closer["Content-Type"], Image.open(io.BytesIO(closer.content)).size) == ("image/webp", (1240, 1754))
    assert (page["Content-Type"], thumb["Content-Type"], other["Content-Type"]) == (
        "image/webp", "image/webp", "image/png",
    )  # fmt: skip
    assert [Image.open(io.BytesIO(one.content)).size for one in (page, thumb)] == [(1240, 1754), (113, 160)]
    assert "sandbox" in page["Content-Security-Policy"]
    broken = browser.get(url.replace("/0.png", "/1.png?size=thumb"))
    assert (broken.content, broken["Content-Type"]) == (b"\x89PNG", "image/png")


@pytest.mark.wide
def test_a_noisy_scan_keeps_within_the_bytes_of_a_decision():
    sheet, made = Image.new("L", (1240, 1754), 245), io.BytesIO()
    for y in range(100, 1650, 42):
        ImageDraw.Draw(sheet).text((100, y), "Oak planks, kiln-dried 27 mm   462.00", font=ImageFont.load_default(26))
    Image.blend(sheet, Image.effect_noise(sheet.size, 90), 0.15).save(made, "PNG")
    smaller = shrink_picture(made.getvalue(), "page")
    assert len(made.getvalue()) > 1_000_000
    assert len(smaller) <= 120_000
    assert Image.open(io.BytesIO(smaller)).height >= 1100
    closer = shrink_picture(made.getvalue(), "zoom")
    assert len(closer) <= 450_000
    assert Image.open(io.BytesIO(closer)).size == sheet.size  # enlarged, it keeps its pixels


@pytest.mark.wide
def test_an_enlarged_page_is_a_part_of_the_bytes_that_are_stored():
    sheet, made = Image.new("L", (2480, 3508), 245), io.BytesIO()
    for y in range(100, 3400, 42):
        ImageDraw.Draw(sheet).text((100, y), "Oak planks, kiln-dried 27 mm   462.00", font=ImageFont.load_default(26))
    Image.blend(sheet, Image.effect_noise(sheet.size, 20), 0.1).save(made, "PNG")
    closer = shrink_picture(made.getvalue(), "zoom")
    assert len(closer) * 4 < len(made.getvalue())
    assert max(Image.open(io.BytesIO(closer)).size) == 3200


def test_a_page_image_is_streamed_to_who_may_look(client, table):
    run = start_run()
    DocumentFiles(run.site, run.project_id, run.document_id).write(files.page_image(0), b"\x89PNG", "image/png")
    url = f"/workflows/{run.project_id}/{run.document_id}/pages/0.png"
    assert client.get(url).status_code == 302
    assert signed_in(dora()).get(url).status_code == 403
    answer = signed_in(bob()).get(url)
    assert b"".join(answer.streaming_content) == b"\x89PNG"
    assert answer["Content-Type"] == "image/png"
    assert answer["Cache-Control"] == "private, no-cache"
    assert signed_in(bob()).get(url.replace("/0.png", "/9.png")).status_code == 404


def test_a_page_image_is_sent_again_to_another_session(client, table):
    run = start_run()
    DocumentFiles(run.site, run.project_id, run.document_id).write(files.page_image(0), b"\x89PNG", "image/png")
    url, browser = f"/workflows/{run.project_id}/{run.document_id}/pages/0.png", signed_in(bob())
    first = browser.get(url)
    kept = {"If-None-Match": first["ETag"]}
    assert b"".join(first.streaming_content) == b"\x89PNG"
    with count_calls() as seen:
        assert browser.get(url, headers=kept).status_code == 304
    assert not [name for name in seen.names() if name.startswith("s3.")]
    other = signed_in(bob()).get(url, headers=kept)
    assert b"".join(other.streaming_content) == b"\x89PNG"
    browser.post("/logout/")
    assert browser.get(url, headers=kept).status_code == 302


def test_the_pages_of_a_deleted_document_are_not_shown_until_it_is_restored(table):
    run = start_run()
    failed(run)
    DocumentFiles(run.site, run.project_id, run.document_id).write(files.page_image(0), b"\x89PNG", "image/png")
    browser, by = signed_in(bob()), Actor("7", "Rosa Marin")
    url = f"/workflows/{run.project_id}/{run.document_id}/pages/0.png"
    removals.delete_document(run.site, run.document_id, by=by)
    assert browser.get(url).status_code == 404
    removals.finish_removal(run.site, run.document_id)
    removals.restore_document(run.site, run.document_id, by=by)
    removals.finish_removal(run.site, run.document_id)
    assert browser.get(url).status_code == 200


def test_machines_ask_without_a_sign_in(client, table):
    assert client.get("/healthz").content == b"ok\n"
    assert client.get("/readyz").content == b"ok\n"
    assert b"process_" in client.get("/metrics").content


def test_a_table_that_does_not_answer_is_not_ready_and_the_process_is_up(client, table):
    with fail("dynamodb", "GetItem", times=9):
        assert client.get("/readyz").status_code == 503
        assert client.get("/healthz").status_code == 200


def test_a_document_that_waits_for_a_person_says_so_in_its_project(table, machines):
    run = waiting(start_run())
    with count_calls() as seen:
        page = read(signed_in(charlie()), f"/workflows/projects/{run.project_id}/documents/")
    assert seen.names() == ["dynamodb.Query", "dynamodb.Query"]
    assert page.count("Needs review") == 1
    assert "<b>1</b> needs review" in page
    listed = f"{reverse('workflows:overview')}?state=in_review&project={run.project_id}"
    assert f'<a class="status warn" href="{escape(listed)}">' in page
    assert str(run.document_id) in read(signed_in(charlie()), listed)


def test_a_list_is_one_query_and_one_for_its_count(table):
    failed(start_run())
    with count_calls() as seen:
        page = read(signed_in(charlie()), f"/workflows/projects/{PROJECT_ID}/documents/")
    assert seen.names() == ["dynamodb.Query", "dynamodb.Query"]
    assert "<b>1</b> failed" in page


@pytest.mark.parametrize(
    ("path", "tab"),
    [("/", "Overview"), ("/workflows/", "Runs"), (f"/workflows/projects/{PROJECT_ID}/documents/", "Projects")],
)
def test_the_tab_of_a_page_is_lit(table, path, tab):
    lit = re.findall(r'aria-current="page">.*?</svg>(\w+)</a>', read(signed_in(charlie()), path), re.DOTALL)
    assert lit == [tab]


def test_what_happened_is_told_in_words_and_without_hashes(table):
    run = start_run()
    facts = {"review_required": True, "partial": False, "result_sha256": "ab" * 32, "pages": 2}
    transact([], events.lineage(run, "ASSESS_COMPLETED", facts=facts))
    page = read(signed_in(charlie()), run_url(run, "lineage/"))
    assert "<small>Review required, 2 pages</small>" in page


def test_one_segment_is_counted_as_one(table):
    shown = one_line(signed_in(bob()).get(run_url(run_to_repeat())).content)
    assert re.search(r"\b1 page\b", shown)
    assert not re.search(r"\b1 pages\b", shown)

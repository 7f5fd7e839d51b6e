"""A table and a bucket of the seed-000 system open in our pages as they are, and looking changes nothing."""

import re

import pytest
from django.conf import settings
from django.test import Client

from config import aws
from config.due import sweeper
from projects.audit.events import actor_of
from projects.settings import actions as project_actions
from projects.settings import queries as project_queries
from projects.settings.values import DEFAULT_FIELDS
from projects.sites import api_keys
from projects.sites.permissions import Permission
from tests.aws_faults import count_calls
from tests.compat.pages import read, run_url, words
from tests.compat.shapes import STEPS, iso
from tests.people import alice, charlie, signed_in
from tests.projects.projects import SITE, seen_of
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.runs import run_settings
from workflows.runs.seed_000 import TEN_STEPS

pytestmark = pytest.mark.django_db
ENDED = {"completed", "failed", "picture", "video", "web"}


def everything():
    """Every item of both tables and every object, as they are stored."""
    client = aws.dynamodb_client()
    items = {}
    for name in (settings.TABLE_NAME, settings.VERSIONS_TABLE_NAME):
        for page in client.get_paginator("scan").paginate(TableName=name):
            items |= {(name, item["PK"]["S"], item["SK"]["S"]): item for item in page["Items"]}
    listed = aws.aws_client("s3").get_paginator("list_objects_v2").paginate(Bucket=settings.BUCKET_NAME)
    objects = {one["Key"]: (one["ETag"], one["LastModified"]) for page in listed for one in page.get("Contents", ())}
    return items, objects


def test_the_ten_steps_are_that_systems():
    assert {step.name: step.label for step in TEN_STEPS.steps} == STEPS
    assert [step.order for step in TEN_STEPS.steps] == list(range(1, 11))


def test_the_list_of_projects_names_it(seed):
    with count_calls() as calls:
        page = read("/projects/")
    assert "Handbücher &amp; Verträge" in page
    assert f"/projects/{seed.project_id}/" in page
    assert calls.names()[1:] in ([], ["dynamodb.BatchGetItem"])


def test_the_project_is_shown_with_its_settings(seed):
    text = words(read(f"/projects/{seed.project_id}/"))
    for one in (
        "Handbücher &amp; Verträge",
        "Manuals of the older desk",
        "Korean",
        "paddleocr-vl",
        "4 Mar 2025, 09:00 UTC",
    ):
        assert one in text
    assert "v0" not in text


def test_its_documents_are_listed_with_names_states_and_the_way_to_their_runs(seed):
    url = f"/workflows/projects/{seed.project_id}/documents/"
    with count_calls() as calls:
        page = read(url)
    assert len(calls.of("dynamodb")) <= 3
    rows = {row.split("</th>")[0]: words(row) for row in page.split("<tr>")[2:]}
    shown = {word: next(text for text in rows.values() if one.name in text) for word, one in seed.documents.items()}
    for word in ENDED - {"failed"}:
        assert "Completed" in shown[word]
    assert "Failed" in shown["failed"]
    assert "Failed" in shown["stuck"]
    assert "Running" in shown["analyzing"]
    assert "Re-analysing" in shown["reanalyzing"]
    assert "Uploading" in shown["uploading"]
    assert "39.1" in shown["completed"]  # KB
    for word, one in seed.documents.items():
        assert (f"/workflows/{one.document_id}/" in page) == (word != "uploading")
    assert "None" not in words(page)


@pytest.mark.parametrize("word", ["completed", "web", "analyzing"])
def test_a_document_leads_to_its_run(seed, word):
    answer = signed_in(charlie()).get(f"/workflows/{seed.documents[word].document_id}/")
    assert answer["Location"] == run_url(seed, word)


def test_a_document_with_many_runs_leads_to_the_newest(seed):
    document = seed.documents["completed"]
    for number in range(40):
        row = {"PK": f"DOC#{document.document_id}", "SK": f"WF#wf_-{number:02}", "data": {"status": "failed"}}
        seed.put(row | {"created_at": iso(-number), "updated_at": iso(-number)})
    answer = signed_in(charlie()).get(f"/workflows/{document.document_id}/")
    assert answer["Location"] == run_url(seed, "completed")


def test_the_page_of_a_document_leads_to_its_run_and_a_run_to_no_page_that_is_not_there(seed):
    for word in ("completed", "web"):
        document = seed.documents[word]
        answer = signed_in(charlie()).get(f"/documents/{document.document_id}/")
        assert answer["Location"] == f"/workflows/{document.document_id}/"
        assert f"/documents/{document.document_id}/" not in read(run_url(seed, word))
    for unknown in (seed.documents["uploading"].document_id, "none", "no%23thing"):
        assert signed_in(charlie()).get(f"/documents/{unknown}/").status_code == 404


def test_a_document_without_a_run_says_so(seed):
    for document_id in (seed.documents["uploading"].document_id, "projects"):
        answer = signed_in(charlie()).get(f"/workflows/{document_id}/")
        assert answer.status_code == 404
        assert f"There is no document “{document_id}”, or it has not been processed yet." in answer.content.decode()


def test_a_completed_run_shows_ten_steps_with_their_times(seed):
    page = read(run_url(seed, "completed"))
    text = words(page)
    for label in STEPS.values():
        assert label in text
    assert "Rules" not in text
    for one in ("Pumpe Handbuch 펌프.pdf", "Handbücher &amp; Verträge", "Completed", "09:06:00 UTC", "30.0 s"):
        assert one in text
    assert "12 entities, 5 relationships" in text
    assert "3 pages" in text
    assert "bda_processor is not for this file" in text
    assert text.count("Not needed") >= 3
    assert "every 3s" not in page
    for index in range(3):
        assert run_url(seed, "completed", f"segments/{index}/") in page


def test_a_run_that_stopped_between_steps_says_so_too(seed):
    page = read(run_url(seed, "stuck"))
    assert "The analysis failed" in page
    assert "States.Timeout after 24 h" in page
    assert "every 3s" not in page


def test_a_failed_run_says_what_failed_and_stops_asking(seed):
    page = read(run_url(seed, "failed"))
    assert "PaddleOCR Processing failed" in page
    assert "chunk_0001 could not be read" in page
    assert "Not run" in page
    assert "every 3s" not in page


@pytest.mark.parametrize("word", ["analyzing", "reanalyzing", "pending"])
def test_a_run_under_way_is_watched_until_it_changes(seed, word):
    page = read(run_url(seed, word))
    assert "Running" in page
    asked = re.search(r'hx-get="([^"]+poll/\?seen=[^"]+)" hx-trigger="every 3s"', page)
    browser = signed_in(charlie(), htmx=True)
    assert browser.get(asked[1].replace("&amp;", "&")).status_code == 204
    document = seed.documents[word]
    end_of(seed, document)
    page = browser.get(asked[1]).content.decode()
    assert "Completed" in page
    assert "every 3s" not in page


def end_of(seed, document):
    """That system ends a run in the run's own row only."""
    aws.dynamodb_client().update_item(
        TableName=seed.table,
        Key={"PK": {"S": f"DOC#{document.document_id}"}, "SK": {"S": f"WF#{document.workflow_id}"}},
        UpdateExpression="SET #d.#s = :c, updated_at = :t",
        ExpressionAttributeNames={"#d": "data", "#s": "status"},
        ExpressionAttributeValues={":c": {"S": "completed"}, ":t": {"S": "2025-03-04T10:00:00+00:00"}},
    )


def test_what_is_under_way_there_is_in_the_overview(seed):
    with count_calls() as calls:
        page = read("/")
    assert len(calls.of("dynamodb")) <= 4
    text = words(page)
    for word in ("analyzing", "reanalyzing"):
        assert seed.documents[word].name in text
        assert run_url(seed, word) in page
    assert "8 of 10 · Segment Analysis" in text
    assert "Handbücher &amp; Verträge" in text
    rows = [words(row) for row in page.split("<tr>") if seed.documents["stuck"].name in row]
    assert "8 of 10 · Segment Analysis" in rows[0]
    assert "Failed" in rows[0]  # its busy flag stays set in that system
    for word in ENDED:
        assert seed.documents[word].name not in text


def test_the_result_is_its_summary_with_a_line_of_each_page(seed):
    for htmx in (False, True):
        text = words(read(run_url(seed, "completed", "result/"), htmx=htmx))
        assert "A manual about pumps &amp; valves." in text
        for number in (1, 2, 3):
            assert f"Page {number} Description of page {number}" in text


@pytest.mark.parametrize(
    ("word", "told"),
    [("analyzing", "No description"), ("pending", "appears here"), ("failed", "ended before extraction")],
)
def test_a_result_that_is_not_there_yet_says_so(seed, word, told):
    assert told in words(read(run_url(seed, word, "result/")))


def test_the_history_is_what_the_steps_tell(seed):
    text = words(read(run_url(seed, "failed", "lineage/"), htmx=True))
    for one in ("keeps no history", "Run created", "Segment Prep started", "PaddleOCR Processing failed", "chunk_0001"):
        assert one in text
    order = ("Segment Prep started", "Segment Prep completed", "Format Parsing started")
    assert sorted(order, key=text.index) == list(order)


@pytest.mark.wide
def test_looking_at_everything_and_sweeping_leaves_every_item_and_object_as_it_was(seed):
    before = everything()
    browsers = [signed_in(who(), htmx=htmx) for who in (alice, charlie) for htmx in (False, True)]
    urls = ["/", "/projects/", f"/projects/{seed.project_id}/", f"/workflows/projects/{seed.project_id}/documents/"]
    for word, document in seed.documents.items():
        urls += [f"/workflows/{document.document_id}/", f"/documents/{document.document_id}/"]
        if document.workflow_id:
            urls += [
                run_url(seed, word, more) for more in ("", "poll/", "result/", "lineage/", "segments/0/", "follow-up/")
            ]
            urls.append(f"/workflows/{seed.project_id}/{document.document_id}/pages/0.png")
    for browser in browsers:
        for url in [*urls, "/workflows/", "/review/", "/documents/"]:
            answer = browser.get(url)
            assert answer.status_code in {200, 302, 404}
            if answer.streaming:
                b"".join(answer.streaming_content)
    assert signed_in(alice()).get(f"/projects/{seed.project_id}/edit/").status_code == 200
    assert sweeper.sweep() == 0
    assert everything() == before


def test_an_admin_saves_its_settings_and_that_systems_own_entries_stay(seed):
    project = project_queries.get_project(SITE, seed.project_id)
    settings_ = project.settings.__class__(**{**vars(project.settings), "name": "Renamed"})
    project_actions.update_project(SITE, seed.project_id, settings_, seen=seen_of(project), by=actor_of(alice()))
    data = project_queries.get_project(SITE, seed.project_id).data.as_dict()
    assert (data["name"], data["color"], data["language"]) == ("Renamed", 3, "ko")
    assert data["ocr_options"] == {"lang": "korean", "use_doc_orientation_classify": True}
    assert data["created_by"] == "3f2c-cognito-sub"
    assert "Renamed" in read("/projects/")


def test_our_own_runs_are_no_runs_of_that_system():
    assert DOCUMENT_ANALYSIS.steps != TEN_STEPS.steps


def test_a_run_of_ours_in_its_project_reads_the_fields_that_the_page_shows(seed):
    data = project_queries.get_project(SITE, seed.project_id).data.as_dict()
    assert [one.name for one in run_settings.settings_of(SITE, "proj_test", data).fields] == [
        one.name for one in DEFAULT_FIELDS
    ]


def test_programs_read_it_too(seed):
    _, key = api_keys.create_api_key(SITE, "Scanner", (Permission.READ,), by=actor_of(alice()))
    client = Client(headers={"Authorization": f"Bearer {key}"})
    listed = client.get(f"/api/v1/projects/{seed.project_id}/documents").json()["items"]
    assert {one["name"] for one in listed} == {one.name for one in seed.documents.values()}
    status = {
        "completed": "completed",
        "failed": "failed",
        "stuck": "failed",
        "analyzing": "running",
        "web": "completed",
    }
    for word, told in status.items():
        document = seed.documents[word]
        run = client.get(f"/api/v1/documents/{document.document_id}/runs/{document.workflow_id}").json()
        assert (run["name"], run["status"], len(run["steps"])) == (document.name, told, 10)


def test_a_question_that_cannot_be_asked_here_is_answered_with_a_way_that_there_is(seed):
    writer = signed_in(alice())
    refused = writer.post(run_url(seed, "completed", "segments/0/questions/ask/"), {"question": "What is it?"})
    assert refused.status_code == 422
    assert "Upload the file to a project to ask about it here." in words(refused.content.decode())
    # Its file is read again here from the first step only, and what is refused imports nothing.
    assert writer.post(run_url(seed, "completed", "again/stage/"), {"step": "assess"}).status_code == 422
    contents = f"/documents/{seed.documents['completed'].document_id}/contents/"
    assert writer.get(contents).status_code == 404
    assert "Processing options" in words(writer.get(f"/workflows/projects/{seed.project_id}/upload/").content.decode())


@pytest.mark.wide
@pytest.mark.parametrize(
    ("head", "times"),
    [("WF#", ("updated_at",)), ("", ("updated_at",)), ("", ("created_at", "updated_at"))],
    ids=["boards", "all", "no time at all"],
)
def test_rows_without_their_times_are_shown_too(seed, head, times):
    client = aws.dynamodb_client()
    for item in client.scan(TableName=seed.table)["Items"]:
        if item["PK"]["S"].startswith(head) and set(times) & set(item):
            key = {name: item[name] for name in ("PK", "SK")}
            client.update_item(TableName=seed.table, Key=key, UpdateExpression=f"REMOVE {', '.join(times)}")
    everywhere = ["/", "/projects/", "/workflows/", "/review/"]
    everywhere += [f"/projects/{seed.project_id}/", f"/workflows/projects/{seed.project_id}/documents/"]
    for word, document in seed.documents.items():
        if document.workflow_id:
            everywhere += [run_url(seed, word, more) for more in ("", "result/", "lineage/", "segments/0/")]
    browser = signed_in(charlie())
    for url in everywhere:
        answer = browser.get(url)
        assert answer.status_code in {200, 404}, url
        assert answer.status_code == 200 or "segments" in url
        assert not re.search(r"\bNone\b", words(answer.content.decode())), url
    for word in ("completed", "web"):
        assert browser.get(f"/workflows/{seed.documents[word].document_id}/")["Location"] == run_url(seed, word)
    _, key = api_keys.create_api_key(SITE, "Scanner", (Permission.READ,), by=actor_of(alice()))
    program = Client(headers={"Authorization": f"Bearer {key}"})
    for document in seed.documents.values():
        if document.workflow_id:
            url = f"/api/v1/documents/{document.document_id}/runs/{document.workflow_id}"
            assert program.get(url).json()["name"] == document.name
    assert program.get(f"/api/v1/projects/{seed.project_id}/documents").status_code == 200

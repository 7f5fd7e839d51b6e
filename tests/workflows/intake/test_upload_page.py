import hashlib
import json
from unittest import mock

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from config import aws
from projects.documents import queries as document_queries
from projects.settings.values import DEFAULT_FIELDS
from tests.aws_faults import fail
from tests.each import each
from tests.factories import sample_files
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.projects.projects import make_project
from workflows.runs import queries, run_settings

pytestmark = pytest.mark.django_db


@pytest.fixture
def limited(monkeypatch):
    monkeypatch.setattr(settings, "UPLOAD_MAX_BYTES", 100)


def url(project):
    return f"/workflows/projects/{project.id}/upload/"


def pdf(name="Tankbeleg.pdf"):
    return SimpleUploadedFile(name, sample_files()[0].read_bytes())


def documents(project):
    return queries.project_documents("default", project.id).rows


def stored(project):
    found = aws.aws_client("s3").list_objects_v2(Bucket=settings.BUCKET_NAME, Prefix=f"projects/{project.id}/")
    return [one["Key"] for one in found.get("Contents", ())]


def send(project, *files, who=bob, **headers):
    return signed_in(who()).post(url(project), {"files": list(files)}, headers=headers)


def test_an_upload_makes_a_document_and_its_run(table):
    project = make_project()
    answer = send(project, pdf())
    assert answer["Location"] == f"/projects/{project.id}/"
    (document,) = documents(project)
    assert document.name == "Tankbeleg.pdf"
    assert stored(project) == [f"projects/{project.id}/documents/{document.document_id}/{document.document_id}.pdf"]
    link = queries.document_workflow("default", document.document_id, document.workflow_id)
    assert len(run_settings.from_json(link.settings).fields) == len(DEFAULT_FIELDS)
    assert queries.board("default", document.workflow_id).name == "Tankbeleg.pdf"


def test_several_files_are_several_documents(table):
    project = make_project()
    send(project, pdf("a.pdf"), pdf("b.pdf"))
    assert {one.name for one in documents(project)} == {"a.pdf", "b.pdf"}


@pytest.mark.parametrize(
    ("name", "body", "words"),
    [("empty.pdf", b"", "empty"), ("invoice.pdf", b"MZ\x90\x00 a program", "program"), ("x.pdf", b"%PDF-1.4 cut", "")],
)
def test_what_cannot_be_processed_is_refused_with_nothing_created(table, name, body, words):
    project = make_project()
    answer = send(project, SimpleUploadedFile(name, body))
    assert answer.status_code == 422
    assert words in one_line(answer.content)
    assert not documents(project)
    assert not stored(project)


def test_one_bad_file_does_not_hold_back_the_good_one(table):
    project = make_project()
    answer = send(project, SimpleUploadedFile("empty.pdf", b""), pdf("good.pdf"))
    assert answer.status_code == 422
    assert [one.name for one in documents(project)] == ["good.pdf"]
    assert "View run" in one_line(answer.content)


def test_the_script_is_told_by_file(table):
    project = make_project()
    (told,) = send(project, pdf(), accept="application/json").json()["files"]
    assert told["url"].startswith("/workflows/")
    (told,) = send(project, SimpleUploadedFile("e.pdf", b""), accept="application/json").json()["files"]
    assert "empty" in told["error"]


def test_a_name_with_markup_stays_text(table):
    project = make_project()
    send(project, pdf("<img src=x>.pdf"))
    assert b"<img src=x>" not in signed_in(bob()).get(f"/workflows/projects/{project.id}/documents/").content


def test_a_file_over_the_limit_is_refused_before_it_is_read(table, limited):
    project = make_project()
    answer = send(project, SimpleUploadedFile("long.pdf", b"%PDF-" + b"x" * 100_000))
    assert answer.status_code == 413
    assert not stored(project)


def test_a_file_that_grows_over_the_limit_is_stopped_on_the_way(table, limited):
    project = make_project()
    answer = send(project, SimpleUploadedFile("long.pdf", b"%PDF-" + b"x" * 1000))  # within the form's allowance
    assert answer.status_code == 413
    assert "exceeds" in one_line(answer.content)
    assert not documents(project)


def test_where_the_table_fails_the_stored_file_is_taken_back(table):
    project = make_project()
    with fail("dynamodb", "TransactWriteItems", times=9):
        answer = send(project, pdf())
    assert answer.status_code == 503
    assert not documents(project)
    assert not stored(project)


def test_the_checksum_is_counted_while_the_file_comes(table):
    project = make_project()
    body = sample_files()[0].read_bytes()
    with mock.patch.object(hashlib, "file_digest", side_effect=AssertionError("read a second time")):
        send(project, pdf())
    (row,) = documents(project)
    document = document_queries.get_document("default", row.document_id)
    assert document.checksum == hashlib.sha256(body).hexdigest()
    assert (document.userId, document.user_name) == (str(bob().pk), "Bob Ito")


def test_where_only_the_answer_is_lost_the_file_stays_with_its_document(table):
    project = make_project()
    with fail("dynamodb", "TransactWriteItems", error_code="connection", after=True):
        assert send(project, pdf()).status_code == 503
    assert len(documents(project)) == len(stored(project)) == 1


def test_no_file_is_asked_for_again(table):
    assert send(make_project()).status_code == 422


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ({"analyzer": "magic"}, "choose an option from the list"),
        ({"ocr_model": "pp-ocrv5", "summarizer": "LOCAL"}, "choose an option from the list"),
        ({"analyser": "rules"}, "unknown fields: “analyser”"),
    ],
)
def test_a_choice_that_nothing_reads_is_refused_with_nothing_created(table, part, words):
    project, browser = make_project(), signed_in(bob())
    answer = browser.post(url(project), {"files": [pdf()], **part})
    assert answer.status_code == 422
    assert words in one_line(answer.content)
    (told,) = browser.post(url(project), {"files": [pdf()], **part}, headers={"accept": "application/json"}).json()[
        "files"
    ]
    assert words in told["error"]
    assert not documents(project)
    assert not stored(project)


def test_a_choice_left_as_the_project_says_is_taken(table):
    project = make_project()
    answer = signed_in(bob()).post(url(project), {"files": [pdf()], "analyzer": "", "summarizer": "local"})
    assert answer.status_code == 302


def test_viewers_and_strangers_may_not_upload(client, table):
    project = make_project()
    assert send(project, pdf(), who=charlie).status_code == 403
    assert client.post(url(project), {"files": [pdf()]}).status_code == 302
    assert not documents(project)
    page = signed_in(charlie()).get(f"/workflows/projects/{project.id}/documents/")
    assert b"/upload/" not in page.content


def test_a_form_of_another_page_is_refused(table):
    project = make_project()
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(bob())
    assert browser.post(url(project), {"files": [pdf()]}).status_code == 403
    assert browser.get(url(project)).status_code == 200
    token = browser.cookies["csrftoken"].value
    good = browser.post(url(project), {"files": [pdf()], "csrfmiddlewaretoken": token})
    assert good.status_code == 302


def test_documents_lead_to_the_upload_of_the_only_project(table):
    project = make_project()
    reviewer = signed_in(bob())
    assert 'href="/upload/"' in reviewer.get("/documents/").content.decode()
    assert reviewer.get("/upload/").url == url(project)


def test_which_project_is_asked_where_there_are_several(table):
    first, second = make_project(), make_project()
    page = signed_in(bob()).get("/upload/").content.decode()
    assert f'href="{url(first)}"' in page
    assert f'href="{url(second)}"' in page


def test_without_a_project_an_admin_is_told_to_create_one_and_a_reviewer_to_ask(table):
    assert "Ask an admin to create one." in signed_in(bob()).get("/upload/").content.decode()
    assert "Create project" in signed_in(alice()).get("/upload/").content.decode()


def test_who_may_not_upload_is_not_led_there(table):
    make_project()
    viewer = signed_in(charlie())
    assert 'href="/upload/"' not in viewer.get("/documents/").content.decode()
    assert viewer.get("/upload/").status_code == 403


def ask_for_page(project, who=bob, **typed):
    return signed_in(who()).post(f"/workflows/projects/{project.id}/web-page/", {"pages": "1", **typed})


def test_a_web_page_is_asked_for_by_its_address(table):
    project = make_project()
    answer = ask_for_page(
        project, url=" https://example.com/prices/2026#top ", pages="3", instruction="Prices", folder="Prices"
    )
    assert answer["Location"] == f"/projects/{project.id}/"
    (document,) = documents(project)
    assert document.name == "example.com prices 2026.webreq"
    assert document.file_type == "application/x-webreq"
    (key,) = stored(project)
    body = aws.aws_client("s3").get_object(Bucket=settings.BUCKET_NAME, Key=key)["Body"].read()
    assert json.loads(body) == {"url": "https://example.com/prices/2026", "instruction": "Prices", "pages": 3}
    assert document_queries.get_document("default", document.document_id).folder_id


@each(
    "typed, words",
    [
        ({"url": ""}, "Enter an address"),
        ({"url": "file:///etc/passwd"}, "is not the address of a web page"),
        ({"url": "https://example.com/", "pages": "51"}, "less than or equal to 50"),
        ({"url": "https://example.com/", "folder": "/".join("x" * 300)}, "folder"),
    ],
)
def test_a_request_that_cannot_be_followed_is_refused_beside_its_field(table, typed, words):
    project = make_project()
    answer = ask_for_page(project, **typed)
    assert answer.status_code == 422
    assert words in one_line(answer.content)
    assert not documents(project)


def test_who_may_not_upload_asks_for_no_page(table):
    assert ask_for_page(make_project(), who=charlie, url="https://example.com/").status_code == 403

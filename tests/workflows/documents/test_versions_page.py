import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from config import aws
from projects.documents import queries as document_queries
from tests.aws_faults import count_calls, fail
from tests.factories import sample_files
from tests.html import one_line
from tests.people import bob, charlie, dora, signed_in
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.django_db
SITE = "default"


def url(run, more="contents/"):
    return f"/documents/{run.document_id}/{more}"


def send(run, name="newer.pdf", body=None, who=bob):
    body = sample_files()[0].read_bytes() + b"\n% newer" if body is None else body
    return signed_in(who()).post(url(run), {"file": SimpleUploadedFile(name, body)})


def versions(run):
    return document_queries.list_versions(SITE, run.document_id).rows


def s3_versions(run):
    root = DocumentFiles(SITE, run.project_id, run.document_id)
    bucket = root.uri("").split("/")[2]
    found = aws.aws_client("s3").list_object_versions(Bucket=bucket, Prefix=f"{root.root}{run.document_id}")
    return [one["VersionId"] for one in found.get("Versions", ())]


def test_a_newer_content_is_uploaded_and_each_can_be_downloaded(run):
    assert send(run)["Location"] == f"/documents/{run.document_id}/"
    now, before = versions(run)
    page = one_line(signed_in(charlie(), htmx=True).get(url(run)).content)
    for version, body in (
        (now, sample_files()[0].read_bytes() + b"\n% newer"),
        (before, sample_files()[0].read_bytes()),
    ):
        at = version.SK.partition("#")[2]
        assert f"{url(run)}{at}/" in page
        answer = signed_in(charlie()).get(f"{url(run)}{at}/")
        assert b"".join(answer.streaming_content) == body
        assert answer["Content-Disposition"].startswith("attachment")
    assert page.count("current version") == 1


def test_each_panel_is_one_query(run):
    browser = signed_in(charlie(), htmx=True)
    row = "dynamodb.GetItem"
    for more, calls_of in (("runs/", [row, "dynamodb.Query", row]), ("contents/", [row])):
        with count_calls() as calls:
            browser.get(url(run, more))
        assert calls.names() == calls_of  # the first: whether it was deleted


def test_the_runs_of_a_document_lead_to_each(run):
    page = one_line(signed_in(charlie()).get(url(run, "runs/")).content)
    assert f"/workflows/{run.document_id}/{run.workflow_id}/" in page
    assert "Not readable." in page


@pytest.mark.parametrize(("name", "body", "words"), [("e.pdf", b"", "empty"), ("i.pdf", b"MZ\x90\x00 a", "program")])
def test_what_cannot_be_processed_is_no_content(run, name, body, words):
    answer = send(run, name, body)
    assert answer.status_code == 422
    assert words in one_line(answer.content)
    assert len(versions(run)) == len(s3_versions(run)) == 1


def test_while_a_run_is_under_way_the_upload_is_refused_before_it_is_stored(run):
    send(run)
    answer = send(run)
    assert answer.status_code == 422
    assert "in progress" in one_line(answer.content)
    assert len(versions(run)) == len(s3_versions(run)) == 2


def test_where_the_table_fails_only_the_new_file_is_taken_back(run):
    with fail("dynamodb", "TransactWriteItems", times=9):
        assert send(run).status_code == 503
    assert len(versions(run)) == 1
    assert s3_versions(run) == [versions(run)[0].s3version]


def test_who_may_only_look_uploads_nothing(client, run):
    assert send(run, who=charlie).status_code == 403
    assert send(run, who=dora).status_code == 403
    assert client.post(url(run), {}).status_code == 302
    assert "Upload a new" not in one_line(signed_in(charlie()).get(url(run)).content)
    assert signed_in(bob()).post(url(run), {}).status_code == 422
    assert len(versions(run)) == 1


def test_a_content_that_is_not_there_is_not_found(run):
    browser = signed_in(charlie())
    for at in ("2020-01-01T00:00:00Z", "no-time", "a%23b"):
        assert browser.get(f"{url(run)}{at}/").status_code == 404
    assert browser.get("/documents/none/contents/").status_code == 404


def test_the_run_of_an_older_content_says_where_its_pages_went(run):
    send(run)
    page = one_line(signed_in(charlie()).get(f"/workflows/{run.document_id}/{run.workflow_id}/").content)
    assert "newer file version" in page

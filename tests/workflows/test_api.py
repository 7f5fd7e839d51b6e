"""The API as a program meets it: with a key, without, and with what it has no right to."""

import io
import json
import logging

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from projects.documents.queries import get_removal
from projects.sites import api_keys
from projects.sites.permissions import Permission
from review.api import api
from tests.aws_faults import count_calls, fail
from tests.each import each
from tests.factories import ended_run, sample_files, start_run, waiting_run
from tests.people import alice, signed_in
from tests.projects.make_sites import BY, make_site
from tests.projects.projects import make_project
from tests.pump import Pump
from tests.workflows.boxes import zipped
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.documents.actions import removals
from workflows.runs import queries
from workflows.runs.actions import advance
from workflows.runs.items import Run

pytestmark = pytest.mark.django_db
API = "/api/v1"
BOTH = (Permission.READ, Permission.WRITE)


def program(*permissions: Permission, site: str = "default") -> Client:
    _, key = api_keys.create_api_key(site, "Scanner", permissions or BOTH, by=BY)
    client = Client(headers={"Authorization": f"Bearer {key}"})
    client.get(f"{API}/projects")  # notes the key's use, so that calls can be counted
    return client


def problem(answer, status: int) -> dict[str, object]:
    assert answer.status_code == status
    assert answer["Content-Type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == status
    assert set(body) >= {"type", "title", "detail"}
    return body


def upload(client: Client, project, name: str = "", body: bytes | None = None, **headers: str):
    path = sample_files()[0]
    file = io.BytesIO(path.read_bytes() if body is None else body)
    file.name = name or path.name
    return client.post(f"{API}/projects/{project.id}/documents", {"file": file}, headers=headers)


@pytest.mark.wide
def test_a_document_is_sent_followed_and_its_result_fetched(pump: Pump) -> None:
    project, client = make_project(), program()
    answer = upload(client, project)
    made = answer.json()
    assert answer.status_code == 201
    at = f"{API}/documents/{made['document_id']}/runs/{made['run_id']}"
    found = client.get(at).json()
    assert (found["status"], found["steps"][0]["status"]) == ("running", "running")
    assert "No fields extracted yet" in problem(client.get(f"{at}/result"), 404)["detail"]
    pump.run(lambda: client.get(at).json()["status"] != "running", seconds=60)
    run = client.get(at).json()
    assert run["status"] in {"published", "in_review"}
    assert run["steps"][0]["status"] == "completed"
    result = client.get(f"{at}/result").json()
    assert {"name", "value", "confidence", "page", "box", "rows", "answer", "masked"} == set(result["fields"][0])
    rows = client.get(f"{API}/projects/{project.id}/documents").json()
    assert [one["id"] for one in rows["items"]] == [made["document_id"]]
    assert rows["items"][0]["file_type"] == "application/pdf"
    assert rows["items"][0]["status"] == run["status"]


def test_a_projects_documents_say_how_they_stand_and_archives_that_all_came_out(pump: Pump) -> None:
    project, client = make_project(), program()
    upload(client, project, "post.zip", zipped({"minutes.txt": b"Minutes of the third meeting"}))

    def status() -> dict[str, str]:
        rows = client.get(f"{API}/projects/{project.id}/documents").json()["items"]
        return {one["name"]: one["status"] for one in rows}

    assert status() == {"post.zip": "unpacking"}
    pump.run(lambda: len(status()) == 2)
    assert status() == {"post.zip": "unpacked", "minutes.txt": "running"}
    pump.run(lambda: status()["minutes.txt"] != "running", seconds=60)
    assert status()["minutes.txt"] == "in_review"
    page = signed_in(alice()).get(reverse("workflows:list-documents", args=[project.id])).content.decode()
    assert ["Unpacked" in row for row in page.split("<tr>") if "post.zip" in row] == [True]  # as the count above it


def test_a_run_that_waits_for_a_person_says_so(pump: Pump) -> None:
    run, _ = waiting_run(pump)
    at = f"{API}/documents/{run.document_id}/runs/{run.workflow_id}"
    client = program(Permission.READ)
    found = client.get(at).json()
    assert found["status"] == "in_review"
    assert [one["name"] for one in found["steps"] if one["status"] == "in_review"] == ["human_review"]
    assert client.get(f"{at}/result").json()["final"] is False
    problem(client.get(f"{API}/documents/another/runs/{run.workflow_id}"), 404)
    problem(client.get(f"{API}/documents/{run.document_id}/runs/a%23b"), 404)


def test_lists_come_in_pages(table: str) -> None:
    for i in range(settings.PAGE_SIZE + 1):
        make_project(f"Project {i:02}")
    client = program(Permission.READ)
    with count_calls() as seen:
        first = client.get(f"{API}/projects").json()
    assert seen.names() == ["dynamodb.GetItem", "dynamodb.Query"]
    assert len(first["items"]) == settings.PAGE_SIZE
    second = client.get(f"{API}/projects", {"after": first["next"]}).json()
    assert ([one["name"] for one in second["items"]], second["next"]) == (["Project 00"], None)
    problem(client.get(f"{API}/projects", {"after": "forged"}), 404)


def test_a_page_of_documents_is_three_calls(pump: Pump) -> None:
    project = make_project()
    client = program()
    upload(client, project)
    with count_calls() as seen:
        client.get(f"{API}/projects/{project.id}/documents")
    assert seen.names() == ["dynamodb.GetItem", "dynamodb.GetItem", "dynamodb.Query"]  # key, project, documents


@each("head", ["", "Bearer", "Bearer cs_x", "Basic YTpi", "Token abc"])
def test_who_has_no_key_is_told_how_to_get_one_and_never_sent_to_sign_in(table: str, head: str) -> None:
    client = Client(headers={"Authorization": head} if head else {})
    for method, path in (("get", "/projects"), ("post", "/projects/x/documents"), ("get", "/documents/d/runs/r")):
        answer = getattr(client, method)(f"{API}{path}")
        assert problem(answer, 401)["title"] == "Unauthorized"
        assert answer["WWW-Authenticate"] == "Bearer"


def test_a_signed_in_person_is_nobody_to_the_api(table: str) -> None:
    problem(signed_in(alice()).get(f"{API}/projects"), 401)
    _, key = api_keys.create_api_key("default", "Reader", [Permission.READ], by=BY)
    browser = signed_in(alice())
    answer = upload_with(browser, key)
    problem(answer, 403)


def upload_with(client: Client, key: str):
    project = make_project()
    return client.post(f"{API}/projects/{project.id}/documents", headers={"Authorization": f"Bearer {key}"})


def test_a_key_may_do_what_it_lists_and_nothing_else(pump: Pump) -> None:
    project = make_project()
    run = start_run()
    reader, writer = program(Permission.READ), program(Permission.WRITE)
    assert "write" in problem(upload(reader, project), 403)["detail"]
    assert upload(writer, project).status_code == 201
    for path in (
        "/projects",
        f"/projects/{project.id}/documents",
        f"/documents/{run.document_id}/runs/{run.workflow_id}",
    ):
        assert reader.get(f"{API}{path}").status_code == 200
        problem(writer.get(f"{API}{path}"), 403)


def test_a_revoked_key_is_refused_with_its_next_request(table: str) -> None:
    row, key = api_keys.create_api_key("default", "Scanner", BOTH, by=BY)
    client = Client(headers={"Authorization": f"Bearer {key}"})
    assert client.get(f"{API}/projects").status_code == 200
    api_keys.revoke_api_key("default", str(row.mask), by=BY)
    assert "Invalid API key" in problem(client.get(f"{API}/projects"), 401)["detail"]


def test_the_site_is_the_keys(table: str) -> None:
    make_site("acme")
    project = make_project()
    theirs = program(site="acme")
    assert theirs.get(f"{API}/projects").json()["items"] == []
    problem(theirs.get(f"{API}/projects/{project.id}/documents"), 404)
    problem(upload(theirs, project), 404)
    for site in ("acme", "default", "nowhere"):
        answer = theirs.get(f"/s/{site}{API}/projects")
        assert "without a site prefix" in problem(answer, 404)["detail"]


def test_the_same_idempotency_key_is_the_same_document(pump: Pump) -> None:
    project, client = make_project(), program()
    first = upload(client, project, **{"Idempotency-Key": "scan 17"})
    again = upload(client, project, **{"Idempotency-Key": "scan 17"})
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["run_id"] == again.json()["run_id"]
    other = upload(program(), project, **{"Idempotency-Key": "scan 17"})
    assert other.status_code == 201
    problem(upload(client, project, **{"Idempotency-Key": "x" * 300}), 422)


@pytest.mark.parametrize("key", ["", " "])
def test_an_empty_idempotency_key_is_refused_and_stores_nothing(table: str, key: str) -> None:
    project, client = make_project(), program()
    assert "is empty" in str(problem(upload(client, project, **{"Idempotency-Key": key}), 422)["detail"])
    assert not client.get(f"{API}/projects/{project.id}/documents").json()["items"]


def test_a_query_string_is_refused_by_the_names_that_nothing_reads(table: str) -> None:
    project, client = make_project(), program()
    for path, known in (("/projects", "after"), (f"/projects/{project.id}/documents", "after"), ("/search?q=a", "q")):
        mark = "&" if "?" in path else "?"
        told = problem(client.get(f"{API}{path}{mark}limit=5&colo%07ur=x"), 422)["detail"]
        assert str(told).startswith(f"Unknown query parameters: “colour”, “limit”. Supported: {known}")
    assert client.get(f"{API}/projects?after=").status_code == 200
    told = problem(client.post(f"{API}/projects/{project.id}/documents?analyzer=rules"), 422)["detail"]
    assert "This endpoint supports none." in str(told)
    assert Client().get(f"{API}/projects?limit=5").status_code == 401  # says nothing without a key


def test_the_result_of_a_run_that_ended_without_one_says_so_for_good(pump: Pump) -> None:
    run = start_run(project_id=make_project().id)
    at = f"{API}/documents/{run.document_id}/runs/{run.workflow_id}/result"
    client = program(Permission.READ)
    assert "Try again later" in str(problem(client.get(at), 404)["detail"])
    advance.fail(run, DOCUMENT_ANALYSIS, queries.execution(run), attempt=1, error="E", sentence="This page is damaged.")
    told = str(problem(client.get(at), 409)["detail"])
    assert told.startswith("This run failed at ")
    assert "This page is damaged and has no result. Re-run it from a stage or upload the file again." in told


def test_the_idempotency_key_of_a_purged_document_brings_it_no_more(pump: Pump) -> None:
    project, client = make_project(), program()
    made = upload(client, project, **{"Idempotency-Key": "scan 18"}).json()
    run = Run("default", project.id, made["document_id"], made["run_id"])
    advance.fail(run, DOCUMENT_ANALYSIS, queries.execution(run), attempt=1, error="E", sentence="Not readable.")
    removals.delete_document("default", run.document_id, by=BY)
    assert upload(client, project, **{"Idempotency-Key": "scan 18"}).json()["document_id"] == run.document_id
    removals.purge_document("default", run.document_id, by=BY)
    removals.finish_removal("default", run.document_id)
    assert "Send a new key" in problem(upload(client, project, **{"Idempotency-Key": "scan 18"}), 422)["detail"]
    assert upload(client, project, **{"Idempotency-Key": "scan 19"}).status_code == 201


@pytest.mark.parametrize(
    ("name", "body", "words"),
    [("empty.pdf", b"", "empty"), ("x.docx", b"PK\x03\x04nothing", "damaged"), ("x.pdf", b"%PDF-1.4 cut", "PDF")],
)
def test_a_file_that_is_not_taken_is_refused_with_the_sentence_of_the_page(
    pump: Pump, name: str, body: bytes, words: str
) -> None:
    assert words in str(problem(upload(program(), make_project(), name, body), 422)["detail"])


def test_no_file_two_files_and_too_much_are_refused(table: str, settings) -> None:
    project, client = make_project(), program()
    url = f"{API}/projects/{project.id}/documents"
    two = [io.BytesIO(b"a"), io.BytesIO(b"b")]
    for form in ({}, {"file": two}, {"file": "text"}):
        assert "exactly one file" in problem(client.post(url, form), 422)["detail"]
    settings.UPLOAD_MAX_BYTES = 10
    assert problem(upload(client, project), 413)
    problem(client.post(url, io.BytesIO(b"x").read(), content_type="multipart/form-data"), 400)


def test_what_is_not_there_is_a_problem_and_no_page(table: str) -> None:
    client = program()
    for path in ("", "/", "/nothing", "/projects/", "/projects/none/documents/"):
        problem(client.get(f"{API}{path}"), 404)
    problem(client.get("/api"), 404)
    problem(client.get(f"{API}/projects/none/documents"), 404)
    answer = client.delete(f"{API}/projects")
    problem(answer, 405)
    assert set(answer["Allow"].split(", ")) == {"GET", "POST"}


def test_a_table_that_does_not_answer_is_a_503_and_a_fault_of_ours_a_500(table: str, monkeypatch) -> None:
    client = program()
    with fail("dynamodb", "Query", error_code="InternalServerError", times=9):
        assert "try again" in problem(client.get(f"{API}/projects"), 503)["detail"]
    client.raise_request_exception = False
    monkeypatch.setattr("projects.settings.queries.list_projects", lambda *_: 1 / 0)
    answer = client.get(f"{API}/projects")
    assert "Internal error" in problem(answer, 500)["detail"]
    assert b"ZeroDivision" not in answer.content


@pytest.mark.wide
def test_the_openapi_says_what_there_is_and_is_open_to_all(client: Client) -> None:
    found = client.get(f"{API}/openapi.json").json()
    assert found["openapi"].startswith("3.1")
    assert all(path.startswith(f"{API}/") for path in found["paths"])  # which ones: tests/flow/test_capabilities.py
    assert found["components"]["securitySchemes"]["KeyAuth"] == {"type": "http", "scheme": "bearer"}
    form = found["paths"][f"{API}/projects/{{project_id}}/documents"]["post"]
    assert "multipart/form-data" in form["requestBody"]["content"]
    assert "Idempotency-Key" in json.dumps(form["parameters"])
    assert set(form["responses"]) == {"200", "201", "400", "401", "403", "404", "413", "422", "429", "503"}


def test_no_path_is_in_two_routers() -> None:
    """The first one would answer 405 for the methods of the other."""
    paths = [prefix.rstrip("/") + path for prefix, router in api._routers for path in router.path_operations]
    assert len(paths) == len(set(paths))


def test_no_key_is_ever_logged(table: str, caplog) -> None:
    _, key = api_keys.create_api_key("default", "Scanner", BOTH, by=BY)
    with caplog.at_level(logging.DEBUG):
        Client(headers={"Authorization": f"Bearer {key}"}).get(f"{API}/projects")
        Client(headers={"Authorization": f"Bearer {key}x"}).get(f"{API}/projects")
        Client(headers={"Authorization": f"Basic {key}"}).get(f"{API}/projects")
    ours = [record for record in caplog.records if not record.name.startswith(("botocore", "boto3", "urllib3"))]
    assert key not in "".join(record.getMessage() for record in ours)


def test_a_key_that_may_delete_deletes_and_a_person_may_restore(table: str) -> None:
    make_site("acme")
    run = ended_run(project_id=make_project().id)
    at = f"{API}/documents/{run.document_id}"
    problem(program().delete(at), 403)
    problem(program(Permission.DELETE, site="acme").delete(at), 404)
    client = program(Permission.DELETE)
    assert client.delete(at).status_code == 204
    assert get_removal(run.site, run.document_id).holder_name == "API key Scanner"
    problem(client.delete(at), 404)
    removals.restore_document(run.site, run.document_id, by=BY)
    assert client.delete(at).status_code == 204


def test_a_document_whose_run_is_under_way_is_not_deleted(table: str) -> None:
    run = start_run(project_id=make_project().id)
    answer = problem(program(Permission.DELETE).delete(f"{API}/documents/{run.document_id}"), 422)
    assert "in progress" in str(answer["detail"])

"""Uploads of programs: a key of their own names one upload for good, and every part of a form is taken or refused."""

import io
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any
from urllib.request import Request, urlopen

import pytest
from django.conf import settings
from django.test import Client

from projects.documents.queries import get_document, list_versions
from projects.settings.items import settings_to_store
from tests.each import each
from tests.projects.make_sites import BY
from tests.projects.projects import make_project
from tests.pump import Pump
from tests.workflows.boxes import zipped
from tests.workflows.decided import pin_learned
from tests.workflows.test_api import API, problem, program, upload
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.intake import store as intake_store
from workflows.runs import queries, run_settings
from workflows.runs.actions import advance
from workflows.runs.items import Run
from workflows.runs.new_run import Original
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.django_db


def test_an_idempotency_key_with_another_upload_is_refused_and_says_in_what_it_differs(pump: Pump) -> None:
    project, client = make_project(), program()
    key = {"Idempotency-Key": "scan 20"}
    made = upload(client, project, "a.txt", b"Invoice 17", **key)
    for name, body, words in (
        ("a.txt", b"Invoice 18", "another file (SHA-256)"),
        ("b.txt", b"Invoice 17", "another name"),
        ("b.txt", b"Invoice 18", "another file (SHA-256), another name"),
    ):
        told = problem(upload(client, project, name, body, **key), 422)["detail"]
        assert f"was used for a different upload: {words}. Nothing was stored" in str(told)
    file = io.BytesIO(b"Invoice 17")
    file.name = "a.txt"
    url = f"{API}/projects/{project.id}/documents"
    told = problem(client.post(url, {"file": file, "analyzer": "rules"}, headers=key), 422)["detail"]
    assert "another analyzer" in str(told)
    again = upload(client, project, "a.txt", b"Invoice 17", **key)
    assert (again.status_code, again.json()["document_id"]) == (200, made.json()["document_id"])
    assert len(queries.project_documents("default", project.id).rows) == 1
    assert len(list_versions("default", made.json()["document_id"]).rows) == 1


def test_a_newer_content_leaves_the_key_with_the_file_it_brought(pump: Pump) -> None:
    project, client = make_project(), program()
    key = {"Idempotency-Key": "scan 21"}
    made = upload(client, project, "a.txt", b"Invoice 17", **key).json()
    run = Run("default", project.id, made["document_id"], made["run_id"])
    advance.fail(run, DOCUMENT_ANALYSIS, queries.execution(run), attempt=1, error="E", sentence="Not readable.")
    store = DocumentFiles(run.site, project.id, run.document_id)
    kept = store.save_original(io.BytesIO(b"Invoice 18"), ".txt", "text/plain")
    newer = Original("a.txt", "text/plain", 10, kept.key, None, kept.sha256, kept.version)
    data = settings_to_store(project.settings)
    intake_store.start_again(
        intake_store.plan_run(run.site, project.id, data, "text/plain"),
        document_id=run.document_id,
        original=newer,
        by=BY,
    )
    assert upload(client, project, "a.txt", b"Invoice 17", **key).status_code == 200
    problem(upload(client, project, "a.txt", b"Invoice 18", **key), 422)


@pytest.mark.wide
def test_uploads_with_one_key_at_once_are_one_document_and_a_refusal_each(pump: Pump) -> None:
    project, client = make_project(), program()
    bodies = [b"Invoice 17", b"Invoice 18"] * 4
    start = Barrier(len(bodies))

    def send(body: bytes):
        start.wait()
        sender = Client(**client.defaults)
        return body, upload(sender, project, "a.txt", body, **{"Idempotency-Key": "scan 22"})

    with ThreadPoolExecutor(len(bodies)) as pool:
        answers = list(pool.map(send, bodies))
    made = [(body, one) for body, one in answers if one.status_code == 201]
    assert len(made) == 1
    won, document_id = made[0][0], made[0][1].json()["document_id"]
    for body, one in answers:
        if body != won:
            problem(one, 422)
        else:
            assert one.json()["document_id"] == document_id
    document = get_document("default", document_id)
    store = DocumentFiles("default", project.id, document_id)
    assert store.open_original(document.s3_key, document.s3version)[0].read() == won


def test_what_an_archives_upload_chooses_holds_for_all_that_comes_out_of_it(pump: Pump) -> None:
    project, client = make_project(), program()
    packed = zipped({"deep.zip": zipped({"b.txt": b"Invoice 18"}), "a.txt": b"Invoice 17"})

    def send():
        file = io.BytesIO(packed)
        file.name = "both.zip"
        url = f"{API}/projects/{project.id}/documents"
        return client.post(url, {"file": file, "summarizer": "local"}, headers={"Idempotency-Key": "scan 23"})

    made = send()
    assert (made.status_code, send().status_code) == (201, 200)

    def found() -> dict[str, str]:
        ids = [str(row.document_id) for row in queries.project_documents("default", project.id).rows]
        rows = [queries.project_document("default", project.id, one) for one in ids]
        return {str(row.name): row.data.as_dict().get("summarizer") for row in rows}

    pump.run(lambda: len(found()) == 4, seconds=30)
    assert found() == dict.fromkeys(("both.zip", "deep.zip", "a.txt", "b.txt"), "local")


@each(
    ("parts", "words"),
    [
        ({"analyser": "rules"}, "Unknown part “analyser”. Send file, and optionally folder, ocr_model, analyzer"),
        ({"analyzer": "magic"}, "analyzer must be one of rules, model. Omit it"),
        ({"analyzer": ""}, "analyzer must be one of"),
        ({"analyzer": ["rules", "model"]}, "Send part analyzer only once"),
        ({"file": "text"}, "Send part file only once"),
        ({"attachment": io.BytesIO(b"second")}, "Unknown part “attachment”"),
        ({"ocr_model": io.BytesIO(b"pp-ocrv5")}, "ocr_model must be one of"),
    ],
)
def test_a_part_that_is_unknown_or_says_what_is_unknown_is_refused(table: str, parts, words: str) -> None:
    project, client = make_project(), program()
    file = io.BytesIO(b"Invoice 17")
    file.name = "a.txt"
    form = {**parts, "file": [file, parts["file"]] if "file" in parts else file}
    told = problem(client.post(f"{API}/projects/{project.id}/documents", form), 422)["detail"]
    assert words in str(told)
    assert queries.project_documents("default", project.id).rows == []


def put(ticket: dict[str, Any], body: bytes) -> int:
    asked = Request(ticket["url"], data=body, method=ticket["method"], headers=ticket["headers"])
    with urlopen(asked) as answer:
        return int(answer.status)


def test_a_file_goes_to_the_bucket_by_itself_and_becomes_one_document(pump: Pump) -> None:
    project, client = make_project(), program()
    at = f"{API}/projects/{project.id}/uploads"

    def post(address: str, **body: object):
        return client.post(address, body, content_type="application/json")

    ticket = post(at, size=10).json()
    complete = f"{at}/{ticket['upload_id']}/complete"
    assert "No file has arrived" in str(problem(post(complete, name="a.txt"), 404)["detail"])
    assert put(ticket, b"Invoice 17") == 200
    assert problem(post(complete, name="a.txt", options={"analyzer": "magic"}), 422)["errors"][0]["where"] == (
        "options.analyzer"
    )
    first, again = post(complete, name="a.txt"), post(complete, name="a.txt")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["document_id"] == again.json()["document_id"]
    assert get_document("default", first.json()["document_id"]).checksum == files.sha256(b"Invoice 17")
    assert len(queries.project_documents("default", project.id).rows) == 1
    stranger = program()
    refused = stranger.post(complete, {"name": "a.txt"}, content_type="application/json")
    problem(refused, 404)
    problem(post(at, size=settings.UPLOAD_MAX_BYTES + 1), 413)
    problem(post(f"{at}/none/complete", name="a.txt"), 404)


def test_an_upload_pins_the_calibration_and_the_extractor_that_are_in_use(pump: Pump) -> None:
    project, client = make_project(), program()
    pin_learned(project.id)
    made = upload(client, project, "a.txt", b"Invoice 17").json()
    link = queries.document_workflow("default", made["document_id"], made["run_id"])
    pinned = run_settings.from_json(link.settings)
    assert (pinned.calibration_version, pinned.calibration_sha256) == (3, "c" * 64)
    assert (pinned.extractor_version, pinned.extractor_sha256) == (2, "e" * 64)

"""Mails and archives become documents: each file once, with its own run, whoever dies on the way."""

import uuid

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile, TemporaryUploadedFile

from config import clock
from config.due import sweeper
from config.errors import Refused, Unavailable
from projects.audit.events import actor_of
from projects.documents import queries as browse_queries
from projects.documents.index_queries import ByDay
from projects.documents.items import DocumentUnpacking
from projects.documents.queries import get_removal
from tests.aws_faults import count_calls, crash_after, fail
from tests.html import one_line
from tests.people import bob, charlie, signed_in
from tests.projects.projects import make_project
from tests.pump import Pump
from tests.workflows import stored
from tests.workflows.boxes import mail, mailed, samples, zipped
from tests.workflows.decided import pin_learned, pinned_learned
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.documents.actions import removals
from workflows.intake.tasks import unpack
from workflows.intake.upload import take
from workflows.runs import queries
from workflows.runs.actions import advance
from workflows.runs.items import Run
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.django_db
SITE = "default"


@pytest.fixture
def worker(pump: Pump) -> Pump:
    pump.hold = lambda message: not message.task.endswith("unpack")
    return pump


def uploaded(body: bytes, name: str = "Post.zip", *, who=bob) -> str:
    """The id of the mail's or archive's document."""
    project = make_project()
    answer = signed_in(who()).post(
        f"/workflows/projects/{project.id}/upload/", {"files": SimpleUploadedFile(name, body)},
        headers={"accept": "application/json"},
    )  # fmt: skip
    told = answer.json()["files"][0]
    assert not told["error"], told
    assert told["way"] == "View document"
    return told["url"].rstrip("/").rpartition("/")[2]


def rows(document_id: str):
    return browse_queries.document_rows(SITE, document_id)


def names(document_id: str) -> list[str]:
    return sorted(child.name for child in rows(document_id).children)


def refused(document_id: str) -> dict[str, str]:
    return {one["name"]: one["why"] for one in record(document_id).refused or ()}


def record(document_id: str) -> DocumentUnpacking:
    found = rows(document_id).unpacking
    assert found
    return found


def ended(worker: Pump, document_id: str) -> None:
    worker.run(lambda: record(document_id).status == "done")


@pytest.mark.parametrize("text", ["Please pay all three.", "Total: 12\n\nThanks", "\nMinutes: see below\n\nAda"])
def test_a_mails_text_is_one_text_and_no_mail_in_a_mail(worker: Pump, text: str) -> None:
    document_id = uploaded(mailed({}, subject="Third meeting", text=text), "third.eml")
    ended(worker, document_id)
    (child,) = rows(document_id).children
    assert (child.name, child.file_type) == ("Third meeting.txt", "text/plain")
    assert rows(child.documentId).unpacking is None


@pytest.mark.wide
@pytest.mark.parametrize("make", [zipped, mailed])
def test_each_file_is_a_document_with_a_run_and_its_parent_lists_it(worker: Pump, make) -> None:
    document_id = uploaded(make(samples()))
    ended(worker, document_id)
    assert names(document_id) == sorted(samples())
    for child in rows(document_id).children:
        document = browse_queries.get_document(SITE, child.documentId)
        assert (document.belongsToDocumentId, document.user_name) == (document_id, "Bob Ito")
        (run,) = queries.document_workflows(SITE, child.documentId).rows
        assert run.data["file_name"] == child.name
        store = DocumentFiles(SITE, document.project_id, child.documentId)
        body, _ = store.open_original(document.s3_key, document.s3version)
        assert body.read() == samples()[child.name]
    parent = browse_queries.get_document(SITE, document_id)
    row = queries.project_document(SITE, parent.project_id, document_id)
    assert (row.status, row.workflow_id) == ("completed", None)
    assert int(record(document_id).files) == 3


@pytest.mark.wide
@pytest.mark.parametrize("make", [zipped, mailed])
def test_each_file_pins_the_calibration_and_the_extractor_in_use(worker: Pump, make) -> None:
    document_id = uploaded(make(samples()))
    project_id = str(browse_queries.get_document(SITE, document_id).project_id)
    pin_learned(project_id)  # after the upload, before its files are extracted
    ended(worker, document_id)
    assert {pinned_learned(SITE, child.documentId) for child in rows(document_id).children} == {(3, 2)}


def test_the_pages_lead_from_the_one_to_the_others(worker: Pump) -> None:
    document_id = uploaded(zipped({**samples(), "notes.docx": b"PK\x03\x04 no"}))
    browser = signed_in(charlie())
    assert "being unpacked" in one_line(browser.get(f"/documents/{document_id}/").content)
    ended(worker, document_id)
    page = one_line(browser.get(f"/documents/{document_id}/").content)
    child = rows(document_id).children[0]
    assert f"/documents/{child.documentId}/" in page
    assert "Skipped files" in page
    assert "notes.docx" in page
    assert f"/documents/{document_id}/" in one_line(browser.get(f"/documents/{child.documentId}/").content)
    project_id = browse_queries.get_document(SITE, document_id).project_id
    listed = one_line(browser.get(f"/workflows/projects/{project_id}/documents/").content)
    assert f'href="/documents/{document_id}/"' in listed


def test_what_cannot_be_processed_is_named_with_its_reason_and_the_rest_is_taken(worker: Pump) -> None:
    document_id = uploaded(
        zipped({**samples(), "empty.pdf": b"", "tool.exe": b"MZ\x90", "cut.png": b"\x89PNG\r\n\x1a\n"})
    )
    ended(worker, document_id)
    assert names(document_id) == sorted(samples())
    told = refused(document_id)
    assert "empty" in told["empty.pdf"]
    assert "program" in told["tool.exe"]
    assert set(told) == {"empty.pdf", "tool.exe", "cut.png"}


def test_a_mail_in_an_archive_is_unpacked_too_and_no_deeper_than_allowed(worker: Pump, monkeypatch) -> None:
    monkeypatch.setattr(settings, "UNPACK_MAX_DEPTH", 2)
    name, body = next(iter(samples().items()))
    deepest = zipped({"deep.zip": zipped({name: body}), name: body})
    outer = mail({"inner.zip": deepest}, subject="Fwd")
    document_id = uploaded(outer.as_bytes(), "Fwd.eml")
    ended(worker, document_id)
    (inner,) = rows(document_id).children
    ended(worker, inner.documentId)
    assert names(inner.documentId) == [name]
    assert "archive" in refused(inner.documentId)["deep.zip"]
    assert int(record(document_id).files) == 2  # counted together, at what was uploaded


@pytest.mark.wide
def test_all_that_comes_out_together_is_limited(worker: Pump, monkeypatch) -> None:
    name, body = next(iter(samples().items()))
    inner = zipped({f"{number}.pdf": body for number in range(3)})
    whole = zipped({"a.zip": inner, "b.zip": inner, name: body})
    monkeypatch.setattr(settings, "UNPACK_MAX_FILES", 5)
    document_id = uploaded(whole)
    ended(worker, document_id)
    for child in rows(document_id).children:
        if child.file_type == "application/zip":
            ended(worker, child.documentId)
    assert int(record(document_id).files) == 5
    told = {why for child in rows(document_id).children if child.file_type == "application/zip"
            for why in refused(child.documentId).values()}  # fmt: skip
    assert told == {"The email or archive exceeds the limit. Upload the remaining files individually."}
    assert sum(len(stored.objects(f"projects/{row.project_id}/documents/{row.document_id}/")) == 1
               for row in browse_queries.list_documents(SITE, ByDay(clock.now().date())).rows) == 6  # fmt: skip


def test_delivered_twice_each_file_is_there_once(worker: Pump) -> None:
    document_id = uploaded(zipped(samples()))
    ended(worker, document_id)
    before = stored.rows()
    unpack.apply(kwargs={"site": SITE, "document_id": document_id}, throw=True)
    assert stored.rows() == before
    unpack.apply(kwargs={"site": SITE, "document_id": "nothing"}, throw=True)


@pytest.mark.wide
def test_a_worker_that_dies_anywhere_is_followed_by_one_that_makes_the_rest(worker: Pump) -> None:
    total = _transactions()
    assert total == 4
    for nth in range(1, total + 1):
        document_id = uploaded(zipped(samples()))
        with crash_after("dynamodb", "TransactWriteItems", nth):
            unpack.apply(kwargs={"site": SITE, "document_id": document_id}, throw=True)

        def done(document_id: str = document_id) -> bool:
            sweeper.sweep()
            return record(document_id).status == "done"

        worker.run(done, seconds=20)
        assert names(document_id) == sorted(samples())
        assert int(record(document_id).files) == 3
        for child in rows(document_id).children:
            assert len(queries.document_workflows(SITE, child.documentId).rows) == 1
            project_id = browse_queries.get_document(SITE, document_id).project_id
            assert len(stored.objects(DocumentFiles(SITE, project_id, child.documentId).root)) == 1


def _transactions() -> int:
    document_id = uploaded(zipped(samples()))
    with count_calls() as calls:
        unpack.apply(kwargs={"site": SITE, "document_id": document_id}, throw=True)
    return len(calls.of("dynamodb", "TransactWriteItems"))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (zipped({}), "no file"),
        (zipped({f"{number}.pdf": b"1" for number in range(201)}), "201 files"),
        (mailed({}), "neither text nor attachments"),
        (zipped(samples())[:-30], "damaged"),
    ],
)
def test_what_cannot_be_unpacked_is_refused_at_once_with_nothing_kept(table: str, body: bytes, words: str) -> None:
    project = make_project()
    answer = signed_in(bob()).post(
        f"/workflows/projects/{project.id}/upload/", {"files": SimpleUploadedFile("a.zip", body)}
    )
    assert answer.status_code == 422
    assert words in one_line(answer.content)
    assert not queries.project_documents(SITE, project.id).rows
    assert not stored.objects(f"projects/{project.id}/")


def test_where_the_table_fails_nothing_of_the_archive_is_kept(table: str) -> None:
    project = make_project()
    upload = _temporary(zipped(samples()))
    with fail("dynamodb", "TransactWriteItems", times=9), pytest.raises(Unavailable):
        take(SITE, project, upload, document_id=str(uuid.uuid4()), by=actor_of(bob()))
    assert not queries.project_documents(SITE, project.id).rows
    assert not stored.objects(f"projects/{project.id}/")


def _temporary(body: bytes) -> TemporaryUploadedFile:
    upload = TemporaryUploadedFile("a.zip", "application/zip", len(body), None)
    upload.write(body)
    upload.seek(0)
    return upload


@pytest.mark.wide
def test_a_queue_that_does_not_answer_leaves_it_to_the_sweeper(worker: Pump) -> None:
    with fail("sqs", "SendMessage", error_code="connection", times=9):
        document_id = uploaded(zipped(samples()))

    def done() -> bool:
        sweeper.sweep()
        return record(document_id).status == "done"

    worker.run(done, seconds=20)
    assert names(document_id) == sorted(samples())


def test_a_container_keeps_its_content_and_goes_only_when_it_is_unpacked(worker: Pump) -> None:
    document_id = uploaded(zipped(samples()))
    browser = signed_in(bob())
    by = actor_of(bob())
    with pytest.raises(Refused, match="in progress"):
        removals.delete_document(SITE, document_id, by=by)
    ended(worker, document_id)
    pdf = SimpleUploadedFile("a.pdf", next(iter(samples().values())))
    answer = browser.post(f"/documents/{document_id}/contents/", {"file": pdf})
    assert answer.status_code == 422
    assert "so it cannot be replaced" in one_line(answer.content)
    before = {key: row for key, row in stored.rows().items() if not key[2].startswith(("activity#", "EVENT#"))}
    removals.delete_document(SITE, document_id, by=by)
    assert get_removal(SITE, document_id).status == "deleted"
    removals.restore_document(SITE, document_id, by=by)
    assert {key: row for key, row in stored.rows().items() if not key[2].startswith(("activity#", "EVENT#"))} == before


@pytest.mark.wide
def test_a_deleted_child_leaves_its_parents_list_and_comes_back_to_it(worker: Pump) -> None:
    document_id = uploaded(zipped(samples()))
    ended(worker, document_id)
    child = rows(document_id).children[0]
    link = queries.document_workflows(SITE, child.documentId).rows[0]
    run = Run(SITE, record(document_id).project_id, child.documentId, str(link.SK).partition("#")[2])
    advance.fail(run, DOCUMENT_ANALYSIS, queries.execution(run), attempt=1, error="E", sentence="Not readable.")
    by = actor_of(bob())
    browser = signed_in(charlie())
    removals.delete_document(SITE, child.documentId, by=by)
    assert child.documentId not in one_line(browser.get(f"/documents/{document_id}/").content)
    removals.restore_document(SITE, child.documentId, by=by)
    assert child.documentId in one_line(browser.get(f"/documents/{document_id}/").content)
    removals.delete_document(SITE, child.documentId, by=by)
    removals.purge_document(SITE, child.documentId, by=by)
    removals.finish_removal(SITE, child.documentId)
    assert len(rows(document_id).children) == 2

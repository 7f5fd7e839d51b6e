"""A mail or an archive of which nothing came out has failed, says why, and can be tried again; so can a part of one."""

import logging
from collections.abc import Iterator

import pytest
from django.conf import LazySettings
from django.test import Client
from django.urls import reverse

from config import aws
from config.due import sweeper
from config.errors import Conflict, Refused
from projects.audit.events import actor_of
from projects.documents import queries as document_queries
from projects.documents.items import DocumentStatus
from tests.aws_faults import crash_before, fail, raise_before
from tests.html import one_line
from tests.people import bob, charlie, signed_in
from tests.projects.counts import counted, said
from tests.pump import Pump, work
from tests.workflows import stored
from tests.workflows.batches import bulk
from tests.workflows.boxes import mailed, zipped
from tests.workflows.intake.test_deadly_mails import names, record, uploaded
from tests.workflows.test_api import API, problem, program
from workflows.documents.actions import removals
from workflows.intake import unexpected
from workflows.intake.actions import unpack as records
from workflows.intake.tasks import unpack
from workflows.intake.unpacking import _UNEXPECTED
from workflows.runs import events, queries
from workflows.runs.items import DocumentEvent, ProjectDocument

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
SITE = "default"
MARKER = "Zyzzyva & Sons owe 4.00"
TEXTS = {f"{number}.txt": f"Paper {number}".encode() for number in range(3)}
DEEP = {"inner.zip": zipped(TEXTS)}


@pytest.fixture(autouse=True)
def _tells_nothing(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Neither rows nor log have the text of what was raised; whatever happened, the counts are right."""
    caplog.set_level(logging.INFO)
    yield
    formatter = logging.Formatter("%(message)s")
    assert not [one for one in caplog.records if MARKER in formatter.format(one)]
    assert MARKER not in str(stored.rows())
    assert said() == counted()


def done(document_id: str, message: str = "mine") -> None:
    work(unpack.name, {"site": SITE, "document_id": document_id}, message)


def row(document_id: str) -> ProjectDocument:
    return queries.project_document(SITE, record(document_id).project_id, document_id)


def standing(document_id: str) -> tuple[str | None, str | None, str | None]:
    found = row(document_id)
    listed = document_queries.get_document(SITE, document_id).status
    return found.status, found.outcome, listed


FAILED = ("failed", "failed", DocumentStatus.FAILED)
UNPACKED = ("completed", None, DocumentStatus.UNPACKED)


def page(document_id: str, browser: Client | None = None) -> str:
    return one_line((browser or signed_in(bob())).get(f"/documents/{document_id}/").content)


def again(document_id: str, browser: Client | None = None) -> int:
    url = reverse("workflows:unpack-again", args=[document_id])
    return (browser or signed_in(bob())).post(url, follow=True).status_code


def words(document_id: str) -> list[str]:
    return [one.type for one in queries.lineage(SITE, document_id).rows if one.type.startswith("UNPACK")]


def on_the_bus(document_id: str) -> list[DocumentEvent]:
    found = [one for one in queries.lineage(SITE, document_id).rows if one.type == "UNPACKING_FAILED"]
    return [event for one in found if (event := DocumentEvent.load(one.key)).bus_type == events.FAILED]


def test_an_archive_of_which_nothing_came_out_failed_and_try_again_brings_its_files(settings: LazySettings) -> None:
    settings.UNPACK_MAX_DEPTH = 1
    document_id = uploaded(zipped(DEEP))
    done(document_id)
    assert (standing(document_id), names(document_id)) == (FAILED, [])
    assert words(document_id) == ["UNPACKING_FAILED"]
    assert len(on_the_bus(document_id)) == 1
    text = page(document_id)
    assert all(word in text for word in ("Failed", "inner.zip", "No files were unpacked", "Retry"))
    listed = signed_in(charlie()).get(f"/workflows/projects/{row(document_id).project_id}/documents/")
    assert "Failed" in listed.content.decode()
    settings.UNPACK_MAX_DEPTH = 3
    assert again(document_id) == 200
    assert standing(document_id) == ("in_progress", None, DocumentStatus.IN_PROGRESS)
    assert "Try again" not in page(document_id)
    newest, *_ = document_queries.list_activities(SITE, document_id).rows
    assert (newest.type, newest.user_name) == ("MODIFY", "Bob Ito")
    assert list(newest.changes) == [{"what": "unpacking", "before": "ended", "after": "started again"}]
    assert "Changed by Bob Ito <small>unpacking: ended → <b>started again</b></small>" in (
        one_line(signed_in(bob()).get(f"/documents/{document_id}/activity/").content)
    )
    done(document_id)
    assert (standing(document_id), names(document_id)) == (UNPACKED, ["inner.zip"])
    assert words(document_id) == ["UNPACKING_FAILED", "UNPACKING_TRIED_AGAIN", "UNPACKED"]
    assert "Try again" not in page(document_id)


@pytest.mark.wide
def test_a_file_that_raises_is_left_out_and_the_others_come_out() -> None:
    document_id = uploaded(zipped(TEXTS))
    with raise_before("s3", "PutObject", ValueError(MARKER), times=unexpected.MOST + 1):
        done(document_id)
    assert names(document_id) == ["1.txt", "2.txt"]
    assert record(document_id).left_out == [{"name": "0.txt", "why": _UNEXPECTED}]
    assert standing(document_id) == UNPACKED
    assert again(document_id) == 200
    done(document_id)
    assert (names(document_id), record(document_id).left_out) == (sorted(TEXTS), [])


@pytest.mark.parametrize("make", [zipped, mailed])
def test_what_raises_as_a_whole_failed_with_a_sentence(make) -> None:
    document_id = uploaded(make(TEXTS))
    with raise_before("s3", "GetObject", RuntimeError(MARKER), times=99):
        done(document_id)
    assert (standing(document_id), record(document_id).message) == (FAILED, _UNEXPECTED)
    assert record(document_id).GSI2PK is None
    assert _UNEXPECTED in page(document_id)
    assert again(document_id) == 200
    done(document_id)
    assert names(document_id) == sorted(TEXTS)


def test_raised_less_often_nobody_hears_of_it() -> None:
    document_id = uploaded(zipped(TEXTS))
    with raise_before("s3", "PutObject", ValueError(MARKER), times=unexpected.MOST):
        done(document_id)
    assert (names(document_id), record(document_id).left_out) == (sorted(TEXTS), [])


def test_where_not_even_that_can_be_written_its_message_comes_back() -> None:
    document_id = uploaded(zipped(TEXTS))
    of_the_last = len(TEXTS) + 1  # each file, and then the end
    with fail("dynamodb", "TransactWriteItems", error_code="Weird", times=unexpected.MOST + of_the_last):
        done(document_id)
    assert (names(document_id), record(document_id).left_out) == (sorted(TEXTS), [])


def test_a_lost_message_is_sent_again(pump: Pump) -> None:
    document_id = uploaded(zipped(TEXTS))
    with crash_before("dynamodb", "BatchGetItem"):
        done(document_id)
    pump.hold = lambda message: not message.task.endswith("unpack")
    pump.run(lambda: sweeper.sweep() >= 0 and record(document_id).status == "done")
    assert names(document_id) == sorted(TEXTS)


def test_what_ended_every_worker_before_anything_came_out_failed(settings: LazySettings) -> None:
    settings.WORKER_ATTEMPTS = 2
    document_id = uploaded(zipped(TEXTS))
    for _ in range(2):
        with crash_before("dynamodb", "BatchGetItem"):
            done(document_id)
    done(document_id)
    assert (standing(document_id), words(document_id)) == (FAILED, ["UNPACKING_GIVEN_UP"])
    assert again(document_id) == 200
    done(document_id)
    assert standing(document_id) == UNPACKED


def test_a_file_that_is_gone_is_said_to_be(settings: LazySettings) -> None:
    document_id = uploaded(zipped(TEXTS))
    document = document_queries.get_document(SITE, document_id)
    which = {"Bucket": settings.BUCKET_NAME, "Key": document.s3_key, "VersionId": document.s3version}
    aws.aws_client("s3").delete_object(**which)
    done(document_id)
    assert standing(document_id) == FAILED
    assert "stored file is missing" in str(record(document_id).message)


def test_of_two_that_try_again_one_does_and_a_finished_one_is_refused() -> None:
    document_id = uploaded(zipped({"a.exe": b"MZ" + b"\0" * 600}))
    done(document_id)
    seen = record(document_id)
    records.again(SITE, seen, by=actor_of(bob()))
    before = stored.rows()
    with pytest.raises(Conflict, match="changed or deleted by another user"):
        records.again(SITE, seen, by=actor_of(bob()))
    with pytest.raises(Refused, match="All files were unpacked"):
        records.again(SITE, record(document_id), by=actor_of(bob()))
    assert stored.rows() == before
    done(document_id)
    for message in ("mine", "another"):  # delivered again
        before = stored.rows()
        done(document_id, message)
        assert stored.rows() == before


def test_a_deleted_one_is_not_tried_again_and_restored_it_is() -> None:
    document_id = uploaded(zipped({"a.exe": b"MZ" + b"\0" * 600}))
    done(document_id)
    seen = record(document_id)
    removals.delete_document(SITE, document_id, by=actor_of(bob()))
    with pytest.raises(Conflict):
        records.again(SITE, seen, by=actor_of(bob()))
    assert again(document_id) == 404
    removals.restore_document(SITE, document_id, by=actor_of(bob()))
    assert standing(document_id) == FAILED
    assert again(document_id) == 200


def test_whoever_may_not_upload_may_not_try_again() -> None:
    document_id = uploaded(zipped({"a.exe": b"MZ" + b"\0" * 600}))
    done(document_id)
    browser = signed_in(charlie())
    assert "Try again" not in page(document_id, browser)
    assert again(document_id, browser) == 403


def test_a_program_sees_why_and_tries_again(settings: LazySettings) -> None:
    settings.UNPACK_MAX_DEPTH = 1
    document_id = uploaded(zipped(DEEP))
    done(document_id)
    client = program()
    told = client.get(f"{API}/documents/{document_id}/unpacking").json()
    (left_out,) = told.pop("left_out")
    assert (left_out["name"], "archive" in left_out["reason"]) == ("inner.zip", True)
    assert told == {
        "document_id": document_id, "status": "done", "documents": [], "message": None, "can_be_tried_again": True,
    }  # fmt: skip
    settings.UNPACK_MAX_DEPTH = 3
    answer = client.post(f"{API}/documents/{document_id}/unpacking/retry")
    assert (answer.status_code, answer.json()["status"]) == (200, "open")
    done(document_id)
    told = client.get(f"{API}/documents/{document_id}/unpacking").json()
    (child,) = told["documents"]
    assert (told["left_out"], told["can_be_tried_again"]) == ([], False)
    problem(client.post(f"{API}/documents/{document_id}/unpacking/retry"), 422)
    done(child)
    (text, *_) = client.get(f"{API}/documents/{child}/unpacking").json()["documents"]
    problem(client.get(f"{API}/documents/{text}/unpacking"), 404)


def archives(*bodies: bytes) -> list[str]:
    return [bulk.put(f"{number}.zip", body) for number, body in enumerate(bodies)]


@pytest.mark.wide
def test_a_line_of_a_batch_holds_its_slot_until_its_files_are_out(pump: Pump) -> None:
    batch = bulk.make(bulk.project(), archives(zipped(TEXTS), zipped(TEXTS)), slots=1)
    pump.hold = lambda message: message.task.endswith("tasks.unpack")
    pump.run(lambda: any(pump.hold(one) for one in pump.held))
    assert (bulk.now(batch).at_work, int(bulk.now(batch).unpacked)) == ({0: 0}, 0)
    pump.hold = lambda _: False
    ended = bulk.ended(pump, batch)
    assert (ended.status, int(ended.unpacked), ended.at_work) == ("finished", 2, {})


@pytest.mark.wide
def test_a_line_of_which_nothing_came_out_failed_and_is_tried_again(pump: Pump, settings: LazySettings) -> None:
    settings.UNPACK_MAX_DEPTH = 1
    batch = bulk.make(bulk.project(), archives(zipped(DEEP), zipped(TEXTS)), percent=100)
    ended = bulk.ended(pump, batch)
    assert (int(ended.failed), int(ended.unpacked)) == (1, 1)
    ((line, why),) = bulk.explained(batch)
    assert (line, why.startswith("No files were unpacked. inner.zip: ")) == (1, True)
    settings.UNPACK_MAX_DEPTH = 3
    answer = signed_in(bob()).post(reverse("workflows:retry-batch", args=[batch.id]), follow=True)
    assert answer.status_code == 200
    ended = bulk.ended(pump, batch)
    assert (int(ended.attempt), int(ended.failed), int(ended.unpacked)) == (2, 0, 2)
    assert bulk.explained(batch) == []


def test_a_line_that_fails_in_the_next_attempt_too_says_so_once(pump: Pump, settings: LazySettings) -> None:
    settings.UNPACK_MAX_DEPTH = 1
    batch = bulk.make(bulk.project(), archives(zipped(DEEP)), percent=100)
    bulk.ended(pump, batch)
    signed_in(bob()).post(reverse("workflows:retry-batch", args=[batch.id]))
    ended = bulk.ended(pump, batch)
    assert (int(ended.attempt), int(ended.failed), len(bulk.explained(batch))) == (2, 1, 1)

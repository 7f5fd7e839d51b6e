"""A mail or an archive that ends every worker is given up; one that workers get on with is not, whoever dies."""

import pytest
from django.conf import LazySettings
from django.core.files.uploadedfile import SimpleUploadedFile

from config.due import sweeper
from config.errors import Conflict, Unavailable
from config.transaction import EXISTS
from projects.documents import queries as document_queries
from projects.documents.items import DocumentUnpacking
from projects.settings import queries as project_queries
from tests.aws_faults import count_calls, crash_after, crash_before, fail
from tests.html import one_line
from tests.people import bob, charlie, signed_in
from tests.projects.projects import make_project
from tests.workflows import stored
from tests.workflows.boxes import samples, zipped
from workflows.intake import unpacking
from workflows.intake.actions import unpack as records
from workflows.intake.due import resume_unpacking
from workflows.intake.tasks import unpack
from workflows.runs import queries

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
SITE, MOST = "default", 3


@pytest.fixture(autouse=True)
def most(settings: LazySettings) -> None:
    settings.WORKER_ATTEMPTS = MOST


def uploaded(body: bytes | None = None) -> str:
    answer = signed_in(bob()).post(
        f"/workflows/projects/{make_project().id}/upload/",
        {"files": SimpleUploadedFile("Post.zip", body or zipped(samples()))},
        headers={"accept": "application/json"},
    )
    return str(answer.json()["files"][0]["url"]).rstrip("/").rpartition("/")[2]


def record(document_id: str) -> DocumentUnpacking:
    return DocumentUnpacking.load(records.key_of(SITE, document_id))


def names(document_id: str) -> list[str]:
    return sorted(child.name for child in document_queries.document_rows(SITE, document_id).children)


def work(document_id: str, *, owner: str = "mine") -> None:
    """As the message that came back to another worker, unless ``owner`` says that it is another message."""
    unpack.apply(kwargs={"site": SITE, "document_id": document_id}, task_id=owner, throw=True)


def killed(document_id: str) -> None:
    """With nothing done."""
    with crash_before("dynamodb", "BatchGetItem"):
        work(document_id)


def words(document_id: str) -> list[str]:
    return [one.type for one in queries.lineage(SITE, document_id).rows if one.type.startswith("UNPACK")]


def test_what_ends_every_worker_is_given_up_with_a_sentence_and_an_event() -> None:
    document_id = uploaded()
    with crash_after("dynamodb", "TransactWriteItems"):
        work(document_id)
    (taken,) = names(document_id)
    for begun in range(2, MOST + 1):
        killed(document_id)
        assert (record(document_id).status, int(record(document_id).tries)) == ("open", begun)
    with count_calls() as calls:
        work(document_id)
    assert not calls.of("s3")
    done = record(document_id)
    assert (done.status, done.GSI2PK, done.lease_owner) == ("done", None, None)
    assert done.message == "Could not be unpacked after 3 attempts. Upload the files individually."
    assert names(document_id) == [taken]
    assert words(document_id) == ["UNPACKING_GIVEN_UP"]
    row = queries.project_document(SITE, done.project_id, document_id)
    assert (row.status, row.workflow_id) == ("completed", None)
    assert "Could not be unpacked after 3 attempts" in one_line(
        signed_in(charlie()).get(f"/documents/{document_id}/").content
    )


def test_told_of_again_and_swept_again_what_was_given_up_stays_so() -> None:
    document_id = uploaded()
    due = record(document_id)
    for _ in range(MOST):
        killed(document_id)
    work(document_id)
    before = stored.rows()
    work(document_id)
    work(document_id, owner="another")
    with pytest.raises(Conflict):
        resume_unpacking(SITE, due)
    assert all(row.kind != "unpacking" for row in sweeper.due_rows(0))
    assert stored.rows() == before


@pytest.mark.parametrize("nested", [False, True])
def test_workers_that_die_having_got_on_with_it_do_not_count(nested: bool) -> None:
    many = {f"{number}.txt": f"Paper {number}".encode() for number in range(2 * MOST)}
    document_id = uploaded(zipped({"inner.zip": zipped(many)}) if nested else zipped(many))
    if nested:
        work(document_id)
        (document_id,) = [child.documentId for child in document_queries.document_rows(SITE, document_id).children]
    for number in range(2 * MOST - 1):
        with crash_after("dynamodb", "TransactWriteItems"):
            work(document_id)
        assert int(record(document_id).tries) == 1
        assert len(names(document_id)) == number + 1
    work(document_id)
    assert (record(document_id).status, record(document_id).message) == ("done", None)
    assert names(document_id) == sorted(many)


def test_who_comes_while_another_is_at_it_begins_nothing() -> None:
    document_id = uploaded()
    for _ in range(MOST):
        records.claim(record(document_id), owner="another")
    with count_calls() as calls:
        work(document_id)
    assert not calls.of("s3")
    assert (record(document_id).status, int(record(document_id).tries)) == ("open", MOST)
    with pytest.raises(Conflict):  # often enough
        records.claim(record(document_id), owner="another")


def test_who_gives_up_what_another_has_got_on_with_is_too_late() -> None:
    document_id = uploaded()
    for _ in range(MOST):
        killed(document_id)
    seen = record(document_id)
    DocumentUnpacking.change(seen.key, [DocumentUnpacking.tries.set(1)], EXISTS)
    with pytest.raises(Conflict):
        records.give_up(SITE, seen, owner="mine")
    work(document_id)
    assert names(document_id) == sorted(samples())
    with pytest.raises(Conflict):
        records.renew(seen)
    with pytest.raises(Conflict):
        records.claim(seen, owner="mine")


def test_nothing_more_comes_out_of_what_was_given_up() -> None:
    document_id = uploaded()
    seen = record(document_id)
    records.give_up(SITE, seen, owner="another")
    project = project_queries.get_project(SITE, seen.project_id)
    before = stored.rows()
    slow = unpacking._Unpacking(
        SITE,
        seen,
        document_queries.get_document(SITE, document_id),
        keep=lambda: None,
        nested=lambda *_: None,
        last=False,
    )
    with pytest.raises(Conflict):
        slow.run()
    assert stored.rows() == before
    assert len(queries.project_documents(SITE, project.id).rows) == 1


def test_a_begin_that_s3_did_not_answer_does_not_count() -> None:
    document_id = uploaded()
    for _ in range(2 * MOST):
        with fail("s3", "GetObject", error_code="SlowDown", times=9), pytest.raises(Unavailable):
            unpacking.unpack(SITE, document_id, owner="mine", keep=lambda: None, nested=lambda *_: None)
    assert (int(record(document_id).tries), record(document_id).lease_owner) == (0, None)
    work(document_id, owner="another")
    assert names(document_id) == sorted(samples())


def test_a_record_of_an_older_writer_is_begun_and_counted() -> None:
    document_id = uploaded()
    DocumentUnpacking.change(record(document_id).key, [DocumentUnpacking.tries.remove()], EXISTS)
    killed(document_id)
    assert int(record(document_id).tries) == 1

import hashlib
import uuid

import pytest

from config import aws, clock
from config import table as keys
from config.errors import Conflict, Unavailable
from projects.audit.events import Actor
from projects.documents import queries as browse_queries
from projects.documents.index_queries import ByDay
from tests.aws_faults import fail
from tests.factories import PROJECT, PROJECT_ID, SITE, sample_files, start_run
from workflows.intake.actions import documents
from workflows.runs import run_settings
from workflows.runs.items import Run
from workflows.runs.new_run import NewRun, Original
from workflows.storage.objects import DocumentFiles

ROSA = Actor("7", "Rosa Marin")
PINNED = run_settings.freeze(PROJECT)


def test_a_document_comes_with_its_first_version_and_who_made_it(table: str) -> None:
    run = start_run()
    body = sample_files()[0].read_bytes()
    document = browse_queries.get_document(SITE, run.document_id)
    assert document.checksum == hashlib.sha256(body).hexdigest()
    assert (document.contentLength, document.contentType) == (len(body), "application/pdf")
    (version,) = browse_queries.list_versions(SITE, run.document_id).rows
    assert (version.checksum, version.s3version) == (document.checksum, document.s3version)
    (made,) = browse_queries.list_activities(SITE, run.document_id).rows
    assert (made.type, made.user_name, made.name) == ("CREATE", "test", document.name)


def test_the_recorded_version_is_the_one_in_s3(table: str) -> None:
    document = browse_queries.get_document(SITE, start_run().document_id)
    found = aws.aws_client("s3").get_object(
        Bucket=DocumentFiles(SITE, "p", "d").uri("").split("/")[2], Key=document.s3_key, VersionId=document.s3version
    )
    assert hashlib.sha256(found["Body"].read()).hexdigest() == document.checksum


def test_documents_of_a_day_come_newest_first(table: str) -> None:
    older, newer = start_run(), start_run()
    today = clock.now().date()
    found = [row.document_id for row in browse_queries.list_documents(SITE, ByDay(today)).rows]
    assert set(found) == {older.document_id, newer.document_id}
    assert not browse_queries.list_documents("acme", ByDay(today)).rows


def test_the_same_document_twice_is_one(table: str) -> None:
    document_id = str(uuid.uuid4())
    original = Original("a.pdf", "application/pdf", 1, "projects/p/a.pdf")
    documents.start(NewRun(Run.new(SITE, PROJECT_ID, document_id), PROJECT, PINNED, original, ROSA))
    with pytest.raises(Conflict):
        documents.start(NewRun(Run.new(SITE, PROJECT_ID, document_id), PROJECT, PINNED, original, ROSA))
    assert len(browse_queries.list_activities(SITE, document_id).rows) == 1


@pytest.mark.wide
def test_what_arrives_damaged_is_refused_by_s3(table: str) -> None:
    store = DocumentFiles(SITE, PROJECT_ID, str(uuid.uuid4()))
    with sample_files()[0].open("rb") as file, pytest.raises(Unavailable, match="checksum does not match"):
        store.save_original(file, ".pdf", "application/pdf", sha256="0" * 64)
    assert not store.exists(f"{store.document_id}.pdf")


def test_where_the_activity_cannot_be_written_there_is_no_document(table: str) -> None:
    document_id = str(uuid.uuid4())
    original = Original("a.pdf", "application/pdf", 1, "projects/p/a.pdf")
    with fail("dynamodb", "TransactWriteItems", times=9), pytest.raises(Unavailable):
        documents.start(
            NewRun(Run.new(SITE, PROJECT_ID, document_id), by=ROSA, project=PROJECT, pinned=PINNED, original=original)
        )
    assert not browse_queries.list_versions(SITE, document_id).rows
    assert table_rows(document_id) == 0


def table_rows(document_id: str) -> int:
    return len(browse_queries.Document.page(keys.DOCUMENT.partition_key(SITE, document_id=document_id)).rows)

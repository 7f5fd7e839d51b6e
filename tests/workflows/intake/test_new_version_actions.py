"""A newer content of a document: the old one stays, and never changes under a run."""

import io
from concurrent.futures import ThreadPoolExecutor

import pytest

from config.errors import NotFound, Refused, Unavailable
from projects.audit.events import Actor
from projects.documents import queries as document_queries
from tests.aws_faults import fail
from tests.factories import PROJECT, PROJECT_ID, SITE, sample_files, start_run
from tests.pump import Pump
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.intake.actions import documents
from workflows.runs import queries, run_settings
from workflows.runs.actions import advance
from workflows.runs.items import Run
from workflows.runs.new_run import NewRun, Original
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

ROSA = Actor("7", "Rosa Marin")


def ended_run() -> Run:
    run = start_run()
    advance.fail(run, DOCUMENT_ANALYSIS, queries.execution(run), attempt=1, error="E", sentence="Not readable.")
    return run


def original_of(run: Run, body: bytes | None = None) -> Original:
    body = body or sample_files()[0].read_bytes() + b"\n% newer"
    kept = DocumentFiles(SITE, PROJECT_ID, run.document_id).save_original(io.BytesIO(body), ".pdf", "application/pdf")
    return Original("newer.pdf", "application/pdf", len(body), kept.key, 1, kept.sha256, kept.version)


def added(run: Run, original: Original | None = None, by: Actor = ROSA) -> Run:
    return documents.add_content(
        NewRun(
            Run.new(SITE, PROJECT_ID, run.document_id),
            by=by,
            project=PROJECT,
            pinned=run_settings.settings_of(SITE, PROJECT_ID, PROJECT),
            original=original or original_of(run),
        )
    )


def test_a_newer_content_stands_before_the_older_and_both_are_there(table: str) -> None:
    run = ended_run()
    newer = added(run)
    document = document_queries.get_document(SITE, run.document_id)
    now, before = document_queries.list_versions(SITE, run.document_id).rows
    assert (now.name, now.checksum, now.s3version) == ("newer.pdf", document.checksum, document.s3version)
    assert f"document#{document.content_at}" == now.SK
    store = DocumentFiles(SITE, PROJECT_ID, run.document_id)
    for version in (now, before):
        assert version.s3version
        body, _ = store.open_original(version.s3_key, version.s3version)
        assert files.sha256(body.read()) == version.checksum
    (told, *_) = document_queries.list_activities(SITE, run.document_id).rows
    assert (told.user_name, told.versionSk) == ("Rosa Marin", now.SK)
    assert [(one["before"], one["after"]) for one in told.changes] == [(before.checksum, now.checksum)]
    assert queries.project_document(SITE, PROJECT_ID, run.document_id).workflow_id == newer.workflow_id
    assert queries.board(SITE, run.workflow_id).replaced_by == newer.workflow_id


def test_while_a_run_is_under_way_no_content_slips_under_it(table: str) -> None:
    run = start_run()
    with pytest.raises(Refused, match="in progress"):
        added(run)
    assert len(document_queries.list_versions(SITE, run.document_id).rows) == 1


def test_of_two_contents_at_once_one_is_taken(table: str) -> None:
    run = ended_run()
    originals = [original_of(run, b"%PDF-1 " + bytes([65 + number])) for number in range(3)]

    def add(original: Original) -> str:
        try:
            return added(run, original).workflow_id
        except Refused:
            return ""

    with ThreadPoolExecutor(3) as lanes:
        won = [name for name in lanes.map(add, originals) if name]
    assert len(won) == 1
    assert len(document_queries.list_versions(SITE, run.document_id).rows) == 2
    assert {Run(SITE, PROJECT_ID, run.document_id, won[0])} == {
        Run(SITE, PROJECT_ID, run.document_id, str(row.SK).partition("#")[2])
        for row in queries.document_workflows(SITE, run.document_id).rows
        if row.follows
    }


@pytest.mark.wide
def test_a_new_run_takes_nothing_of_the_older_contents_text(pump: Pump) -> None:
    run = start_run()
    pump.run(lambda: queries.board(SITE, run.workflow_id).outcome is not None)
    store = DocumentFiles(SITE, PROJECT_ID, run.document_id)
    store.write(files.TEXT_LAYER, b"not even JSON", "application/json")
    newer = added(run)
    pump.run(lambda: int(queries.execution(newer).currentStep) > 1)
    assert not store.exists(files.segment(0))
    pump.run(lambda: queries.board(SITE, newer.workflow_id).outcome is not None)
    assert queries.board(SITE, newer.workflow_id).outcome == "published"


def test_what_does_not_get_its_activity_is_not_changed(table: str) -> None:
    run = ended_run()
    with fail("dynamodb", "TransactWriteItems", times=9), pytest.raises(Unavailable):
        added(run)
    assert len(document_queries.list_versions(SITE, run.document_id).rows) == 1
    assert queries.board(SITE, run.workflow_id).replaced_by is None


def test_a_document_that_is_not_there_takes_none(table: str) -> None:
    run = ended_run()
    with pytest.raises(NotFound):
        added(Run(SITE, PROJECT_ID, "nothing", "none"), original_of(run))

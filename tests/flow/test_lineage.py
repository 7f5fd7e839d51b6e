"""What the lineage and the published object say of a run: where its file and work are, and who decided (seed 004)."""

import io
import json
from typing import Any

import pytest
from django.conf import settings

from config import aws
from projects.audit.events import Actor
from review.audit import timeline
from review.decide import claims, decisions
from review.identity import Person
from tests.engines import STEP_FUNCTIONS, EngineKind
from tests.factories import decided_run, review_of, sample_files, start_run, verdict, waiting_run
from tests.flow.protocol import ended, sweep_until_ended
from tests.html import one_line
from tests.people import charlie, signed_in
from tests.pump import Pump
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.engine import actions, interventions
from workflows.intake.actions import unpack
from workflows.runs import executions, queries
from workflows.runs.items import DocumentEvent, ResumeWay, Run
from workflows.runs.new_run import Original
from workflows.runs.queries import document_of
from workflows.runs.run_files import files_of
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

ROSA = Actor("17", "Rosa Marin")


def events(run: Run) -> list[DocumentEvent]:
    return list(queries.lineage(run.site, run.document_id).rows)


def event(run: Run, kind: str) -> DocumentEvent:
    return next(one for one in events(run) if one.type == kind)


def arn(run: Run, attempt: int, engine: EngineKind) -> str | None:
    known = executions.execution_arn(DOCUMENT_ANALYSIS, run, attempt)
    return known if engine == STEP_FUNCTIONS else None


def output(run: Run) -> Any:
    return json.loads(files_of(run).read(files.output(run.workflow_id)))


def key_of(run: Run) -> str:
    return str(document_of(run).data["file_uri"]).removeprefix(f"s3://{settings.BUCKET_NAME}/")


def test_no_value_of_a_document_stands_in_the_history_of_its_execution(pump: Pump) -> None:
    """Reasons name values, and the queue sorts by the total: the review reads both from the assessment."""
    run, ref = waiting_run(pump)
    history = aws.aws_client("stepfunctions").get_execution_history(
        executionArn=arn(run, 1, STEP_FUNCTIONS), includeExecutionData=True
    )
    said = json.dumps(history["events"], default=str)
    assert run.workflow_id in said
    result = json.loads(files_of(run).read(files.result(run.workflow_id)))
    values = [one["value"] for one in result["fields"] if one["value"]]
    assert len(values) == 6
    assert [one for one in [*values, "low_confidence"] if json.dumps(one)[1:-1] in said] == []
    review = review_of(ref)
    assert review.reasons
    assert str(review.triage).split("|")[2] == "510.24"


@pytest.mark.every_engine
def test_a_run_begins_with_its_object_and_its_execution(pump: Pump, engine_kind: EngineKind) -> None:
    run = start_run()
    told = event(run, "INGESTED")
    assert (told.bucket, told.s3_key) == (settings.BUCKET_NAME, key_of(run))
    assert told.s3version == document_of(run).s3version
    assert (told.executionArn, told.retryCount) == (arn(run, 1, engine_kind), 0)
    assert (told.by, told.userId) == ("test", "test")
    pump.run(lambda: ended(run))
    for kind in ("SEGMENT_PREP_COMPLETED", "PUBLISHED"):
        step = event(run, kind)
        assert (step.executionArn, step.retryCount, step.jobId) == (arn(run, 1, engine_kind), 0, None)


@pytest.mark.every_engine
def test_the_next_attempt_names_its_execution_and_how_often_it_was_tried(pump: Pump, engine_kind: EngineKind) -> None:
    run = start_run()
    pump.hold = lambda _message: True
    interventions.cancel(run, by=ROSA)
    cancelled = event(run, "CANCELLED")
    assert (cancelled.by, cancelled.userId, cancelled.reviewer) == ("Rosa Marin", "17", None)
    interventions.resume(run, ResumeWay.AGAIN, by=ROSA)
    resumed = event(run, "RUN_RESUMED")
    assert (resumed.executionArn, resumed.retryCount, resumed.userId) == (arn(run, 2, engine_kind), 1, "17")
    actions.begin_next(run, attempt=2, why="lost", definition=DOCUMENT_ANALYSIS)
    assert event(run, "RUN_RESTARTED").executionArn == arn(run, 3, engine_kind)
    assert event(run, "RUN_RESTARTED").retryCount == 2


def test_who_decided_is_kept_by_id_and_shown_by_name(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    for who in (Person("17", "Rosa Marin"), Person("18", "Rosa Marin")):  # two of one name are two
        claims.claim_review(ref, run, by=who)
        claims.release_claim(ref, run, by=who)
    rosa = Person("17", "Rosa Marin")
    claims.claim_review(ref, run, by=rosa)
    decisions.decide_review(ref, run, verdict(ref, total="12.34"), by=rosa)
    decided = event(run, "HUMAN_REVIEW_APPROVED")
    assert (decided.reviewer, decided.userId, decided.by, decided.decision) == ("17", "17", "Rosa Marin", "approve")
    claimed = [one.userId for one in events(run) if one.type == "HUMAN_REVIEW_CLAIMED"]
    assert claimed == ["17", "18", "17"]
    rows, _ = timeline.merge_page(timeline.of_document(run.site, run.document_id), None, 100)
    shown = {(row.words, row.who, row.user_id) for row in rows}
    assert ("Review approved", "Rosa Marin", "17") in shown


@pytest.mark.every_engine("slow")
@pytest.mark.django_db
def test_the_page_and_the_audit_show_where_the_file_and_the_work_are(pump: Pump, engine_kind: EngineKind) -> None:
    run, _, _ = decided_run(pump)
    url = f"/workflows/{run.document_id}/{run.workflow_id}/lineage/"
    page = one_line(signed_in(charlie()).get(url).content)
    assert key_of(run) in page
    assert str(document_of(run).s3version) in page
    assert "Review approved by Rosa Marin" in page
    if known := arn(run, 1, engine_kind):
        assert page.count(known) == 1  # by the first event of the execution
    rows, _ = timeline.merge_page(timeline.of_document(run.site, run.document_id), None, 100)
    (begun,) = [row for row in rows if (row.kind, row.words) == ("run", "Received")]
    assert {one["what"] for one in begun.changes} >= {"bucket", "s3_key", "s3version", "retryCount"}


@pytest.mark.wide
def test_the_published_object_names_its_document_its_source_and_the_review(pump: Pump) -> None:
    run, _, chosen = decided_run(pump)
    sweep_until_ended(run, pump)
    found = output(run)
    assert found["documentId"] == run.document_id
    version = document_of(run).s3version
    assert found["source"] == {"bucket": settings.BUCKET_NAME, "key": key_of(run), "version": version}
    confidence = found["confidence"]
    assert (confidence["corrected"], confidence["found"] + confidence["missing"]) == (1, len(found["fields"]))
    assert 0 < confidence["lowest"] <= confidence["average"] <= 1
    review = found["review"]
    assert (review["required"], review["decision"], review["decisionId"]) == (True, "approve", chosen.decision_id)
    assert review["reviewer"] == {"id": "1", "name": "Rosa Marin"}
    assert review["reviewedAt"]
    assert "needs 100 %" in review["reason"]
    # What readers of the first form take is as it was.
    assert found["version"] == 1
    assert found["decision"]["decision_id"] == chosen.decision_id


@pytest.mark.wide
def test_a_result_that_nobody_was_asked_about_says_so(pump: Pump) -> None:
    run = start_run()
    pump.run(lambda: ended(run))
    assert output(run)["review"] == {
        "required": False, "reason": None, "decision": None, "decisionId": None, "reviewer": None, "reviewedAt": None,
    }  # fmt: skip
    assert output(run)["confidence"]["corrected"] == output(run)["confidence"]["belowThreshold"] == 0


def test_a_mail_or_an_archive_begins_with_its_object(table: str) -> None:
    body = sample_files()[0].read_bytes()
    run = Run("default", "proj_test", "archive-1", "")
    store = DocumentFiles("default", "proj_test", "archive-1")
    kept = store.save_original(io.BytesIO(body), ".zip", "application/zip")
    original = Original("a.zip", "application/zip", len(body), kept.key, None, kept.sha256, kept.version)
    unpack.begin(
        site="default", by=ROSA, project_id="proj_test", project={}, document_id="archive-1", original=original
    )
    told = event(run, "INGESTED")
    assert (told.bucket, told.s3_key, told.s3version) == (settings.BUCKET_NAME, kept.key, kept.version)
    assert (told.userId, told.executionArn) == ("17", None)

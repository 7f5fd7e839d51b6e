"""A document's way through the machine, on the emulator's Step Functions, with every stage doing its real work."""

import json

from django.conf import settings

from config import aws, bootstrap
from review.actions import claims, decisions
from review.status import Decision, ReviewStatus
from review.tasks import enqueue_redeem
from tests.factories import ROSA, review_of, start_run, verdict, waiting_run
from tests.pump import Pump
from workflows import engine, files, queries
from workflows.definitions import DOCUMENT_ANALYSIS
from workflows.frozen import Run
from workflows.storage import DocumentFiles


def output_of(run: Run) -> dict[str, object]:
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    found: dict[str, object] = json.loads(store.read(files.output(run.workflow_id)))
    return found


def bus_types() -> list[str]:
    url = settings.QUEUE_URLS[settings.DESK_QUEUE].replace(settings.DESK_QUEUE, bootstrap.EVENTS_QUEUE)
    answer = aws.client("sqs").receive_message(QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=1)
    return [json.loads(message["Body"])["detail-type"] for message in answer.get("Messages", ())]


def test_a_clean_document_is_published_without_a_person(pump: Pump) -> None:
    run = start_run()
    pump.run(lambda: queries.execution(run).status != "running")
    assert queries.execution(run).outcome == "published"
    assert pump.ran("open_review") == 0
    assert engine.state(DOCUMENT_ANALYSIS, run, 1) == "ended"
    assert bus_types() == ["document.processed"]
    assert queries.lineage(run.site, run.document_id).rows[0].type == "INGESTED"
    assert queries.board(run.site, run.workflow_id).GSI1SK == "completed"
    assert queries.project_documents(run.site, run.project_id).rows[0].outcome == "published"


def test_an_approved_correction_resumes_the_machine_and_is_published(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    assert review_of(ref).page_count == 1
    claims.claim(ref, run, by=ROSA)
    decisions.decide(ref, run, verdict(ref, total="12.34"), by=ROSA)
    enqueue_redeem(ref, str(review_of(ref).decision_id), delay=settings.REVIEW_UNDO_SECONDS)
    pump.run(lambda: queries.execution(run).status != "running")
    assert queries.execution(run).outcome == "published"
    assert review_of(ref).status == ReviewStatus.APPLIED
    fields = {field["name"]: field for field in output_of(run)["fields"]}  # type: ignore[attr-defined, index]
    assert fields["total"]["value"] == "12.34"
    assert fields["total"]["source"] == "reviewer"
    assert pump.ran("run_step") == 9
    assert sorted(bus_types()) == ["document.processed", "document.review.required"]


def test_a_rejection_is_a_completed_run_that_publishes_nothing(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    claims.claim(ref, run, by=ROSA)
    decisions.decide(ref, run, verdict(ref, Decision.REJECT), by=ROSA)
    enqueue_redeem(ref, str(review_of(ref).decision_id), delay=settings.REVIEW_UNDO_SECONDS)
    pump.run(lambda: queries.execution(run).status != "running")
    execution = queries.execution(run)
    assert (execution.status, execution.outcome) == ("completed", "rejected")
    assert not DocumentFiles(run.site, run.project_id, run.document_id).exists(files.output(run.workflow_id))

"""A document's way through the machine, on the emulator's Step Functions, with every stage doing its real work."""

import json
from pathlib import Path

import pytest
from django.conf import settings

from config import aws, clock
from config.deploy import bootstrap
from projects.settings.defaults import INVOICE_PROJECT
from projects.settings.items import settings_to_store
from review.decide import claims, decisions
from review.decide.tasks import enqueue_redeem
from review.status import Decision, ReviewStatus
from tests.factories import PROJECT, ROSA, review_of, start_run, verdict, waiting_run
from tests.pump import Pump
from tests.tools import paper, samples
from tests.tools.paper import Sheet
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.engine import driver
from workflows.runs import queries
from workflows.runs.items import Run
from workflows.storage import files
from workflows.storage.objects import DocumentFiles


def output_of(run: Run) -> dict[str, object]:
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    found: dict[str, object] = json.loads(store.read(files.output(run.workflow_id)))
    return found


def bus_types() -> list[str]:
    url = settings.QUEUE_URLS[settings.DESK_QUEUE].replace(settings.DESK_QUEUE, bootstrap.EVENTS_QUEUE)
    answer = aws.aws_client("sqs").receive_message(QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=1)
    return [json.loads(message["Body"])["detail-type"] for message in answer.get("Messages", ())]


@pytest.mark.every_engine
def test_a_clean_document_is_published_without_a_person(pump: Pump) -> None:
    run = start_run()
    pump.run(lambda: queries.execution(run).status != "running")
    assert queries.execution(run).outcome == "published"
    assert pump.ran("open_review") == 0
    assert driver.state(DOCUMENT_ANALYSIS, run, 1) == "ended"
    assert bus_types() == ["document.processed"]
    assert queries.lineage(run.site, run.document_id).rows[0].type == "INGESTED"
    assert queries.board(run.site, run.workflow_id).GSI1SK == "completed"
    assert queries.project_documents(run.site, run.project_id).rows[0].outcome == "published"


def published(run: Run, pump: Pump) -> dict[str, object]:
    """The values that were published without a person."""
    pump.run(lambda: queries.execution(run).status != "running")
    assert (queries.execution(run).outcome, pump.ran("open_review")) == ("published", 0)
    return {field["name"]: field["value"] for field in output_of(run)["fields"]}  # type: ignore[attr-defined, index]


@pytest.mark.wide
def test_an_invoice_that_is_due_next_month_is_published_without_a_person(pump: Pump, tmp_path: Path) -> None:
    today = clock.now().date()
    path = samples.write_due_invoice(tmp_path, today)
    found = published(start_run(path, project=settings_to_store(INVOICE_PROJECT)), pump)
    assert str(found["due_date"]) > today.isoformat()
    assert (found["iban"], found["net_total"], found["vat"]) == ("GB33 BUKB 2020 1555 5555 55", "1240.00", "248.00")


@pytest.mark.wide
def test_a_field_that_is_blank_on_the_page_is_published_blank(pump: Pump, tmp_path: Path) -> None:
    sheet = Sheet(595, 842)
    rows = ("Alder & Quill Stationers Ltd", "14 Lantern Street", "Northbridge NB2 4QT", "INVOICE", "Invoice no. AQ-418",
            "Date: 12 March 2024", "PO number:", "Vendor: Alder & Quill", "Total due: £510.24")  # fmt: skip
    for number, row in enumerate(rows):
        sheet.text(56, 66 + 18 * number, row)
    fields = [*PROJECT["fields"], {"name": "po_number", "label": "PO number", "type": "text"}]
    run = start_run(paper.save([sheet], tmp_path / "blank.pdf"), project={**PROJECT, "fields": fields})
    assert published(run, pump)["po_number"] is None


@pytest.mark.every_engine
def test_an_approved_correction_resumes_the_machine_and_is_published(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    assert review_of(ref).page_count == 1
    claims.claim_review(ref, run, by=ROSA)
    decisions.decide_review(ref, run, verdict(ref, total="12.34"), by=ROSA)
    enqueue_redeem(ref, str(review_of(ref).decision_id), delay=settings.REVIEW_UNDO_SECONDS)
    pump.run(lambda: queries.execution(run).status != "running")
    assert queries.execution(run).outcome == "published"
    assert review_of(ref).status == ReviewStatus.APPLIED
    fields = {field["name"]: field for field in output_of(run)["fields"]}  # type: ignore[attr-defined, index]
    assert fields["total"]["value"] == "12.34"
    assert fields["total"]["source"] == "reviewer"
    assert pump.ran("run_step") == 9
    assert sorted(bus_types()) == ["document.processed", "document.review.required"]


@pytest.mark.wide
def test_a_rejection_is_a_completed_run_that_publishes_nothing(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    claims.claim_review(ref, run, by=ROSA)
    decisions.decide_review(ref, run, verdict(ref, Decision.REJECT), by=ROSA)
    enqueue_redeem(ref, str(review_of(ref).decision_id), delay=settings.REVIEW_UNDO_SECONDS)
    pump.run(lambda: queries.execution(run).status != "running")
    execution = queries.execution(run)
    assert (execution.status, execution.outcome) == ("completed", "rejected")
    assert not DocumentFiles(run.site, run.project_id, run.document_id).exists(files.output(run.workflow_id))

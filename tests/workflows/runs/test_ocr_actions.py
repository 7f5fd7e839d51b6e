import pytest
from django.test import Client

from config import table as keys
from projects.audit.events import actor_of
from projects.sites.api_keys import create_api_key
from projects.sites.permissions import Permission
from tests.factories import SITE, start_run
from tests.people import alice, charlie, signed_in
from tests.pump import Pump
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.engine import actions
from workflows.runs import queries
from workflows.runs.actions import advance
from workflows.runs.actions.advance import Advance
from workflows.runs.items import DocumentOcr, Run, StepStatus

OCR = DOCUMENT_ANALYSIS.named("paddleocr_processor").order


def record(run: Run) -> DocumentOcr:
    return DocumentOcr.load(keys.DOCUMENT_OCR.key(run.site, document_id=run.document_id))


def test_a_text_layer_that_is_believed_needs_no_ocr(pump: Pump) -> None:
    run = start_run()
    pump.run(lambda: int(queries.execution(run).currentStep) > OCR)
    found = record(run)
    assert (found.ocrStatus, found.jobId, found.documentId) == ("skipped", run.workflow_id, run.document_id)


def test_an_ocr_step_that_fails_is_recorded_with_the_failure(table: str) -> None:
    run = start_run()
    for step in range(1, OCR):
        execution = actions.claim_step(run, step=step, attempt=1, owner="me")
        move = Advance(DOCUMENT_ANALYSIS.step(step), step + 1, 1, result="completed")
        advance.advance(run, DOCUMENT_ANALYSIS, move, last=execution.last_transition)
    advance.fail(run, DOCUMENT_ANALYSIS, queries.execution(run), attempt=1, error="StageFailed", sentence="Unreadable.")
    assert record(run).ocrStatus == "failed"


def test_an_ocr_that_was_done_names_its_engine(table: str) -> None:
    run = start_run()
    for step in range(1, OCR + 1):
        if step == OCR:
            assert (record(run).ocrStatus, record(run).ocrEngine) == ("requested", None)
        execution = actions.claim_step(run, step=step, attempt=1, owner="me")
        facts = {"model": "pp-ocrv5"} if step == OCR else {}
        move = Advance(DOCUMENT_ANALYSIS.step(step), step + 1, 1, "completed", StepStatus.COMPLETED, facts=facts)
        advance.advance(run, DOCUMENT_ANALYSIS, move, last=execution.last_transition)
    assert (record(run).ocrStatus, record(run).ocrEngine) == ("successful", "pp-ocrv5")


@pytest.mark.django_db
def test_its_page_and_programs_say_what_became_of_it(table: str) -> None:
    run = start_run()
    for step in range(1, OCR):
        execution = actions.claim_step(run, step=step, attempt=1, owner="me")
        move = Advance(DOCUMENT_ANALYSIS.step(step), step + 1, 1, result="completed")
        advance.advance(run, DOCUMENT_ANALYSIS, move, last=execution.last_transition)
    page = signed_in(charlie()).get(f"/workflows/{run.document_id}/{run.workflow_id}/").content.decode()
    assert "Reading pages" in page
    _, key = create_api_key(SITE, "Scanner", (Permission.READ,), by=actor_of(alice()))
    told = Client(headers={"Authorization": f"Bearer {key}"}).get(f"/api/v1/documents/{run.document_id}/ocr").json()
    assert (told["status"], told["run_id"], told["engine"]) == ("requested", run.workflow_id, None)

"""What we write of a run has the members that the seed-000 system's own code reads; its names are literal here."""

from typing import Any

from boto3.dynamodb.types import TypeDeserializer

from config import aws
from projects.audit.events import Actor
from tests.compat.shapes import STEPS
from tests.factories import PROJECT, PROJECT_ID, SITE, start_run
from tests.pump import Pump
from tests.workflows.advancing import advanced, failed
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.engine import interventions
from workflows.intake.actions import documents
from workflows.runs import queries, run_settings
from workflows.runs.actions import advance
from workflows.runs.actions.advance import Advance
from workflows.runs.items import END, ResumeWay, Run
from workflows.runs.new_run import NewRun, Original
from workflows.runs.preprocess import CrawlRequest

SERVICES = {"ocr", "bda", "transcribe", "webcrawler"}


def get(table: str, pk: str, sk: str) -> dict[str, Any]:
    found = aws.dynamodb_client().get_item(TableName=table, Key={"PK": {"S": pk}, "SK": {"S": sk}})["Item"]
    return {name: TypeDeserializer().deserialize(value) for name, value in found.items()}


def web_run() -> Run:
    run = Run.new(SITE, PROJECT_ID, "0d6f2b5e-4f43-4f3b-9d53-7c3f2f6f1a11")
    original = Original("shop.webreq", "application/x-webreq", 40, f"projects/{PROJECT_ID}/documents/x.webreq")
    by = Actor("test", "test")
    return documents.start(NewRun(run, PROJECT, run_settings.freeze(PROJECT), original, by))


def test_a_run_tells_what_each_service_does_as_that_system_does(table: str, pump: Pump) -> None:
    run = start_run()
    link = get(table, f"DOC#{run.document_id}", f"WF#{run.workflow_id}")["data"]
    assert set(link["preprocess"]) == SERVICES
    assert link["total_segments"] == 0
    assert link["preprocess"]["ocr"] == {"required": True, "status": "pending"}
    assert link["preprocess"]["bda"] == {"required": False, "status": "skipped"}
    pump.run(lambda: queries.execution(run).currentStep == END)
    link = get(table, f"DOC#{run.document_id}", f"WF#{run.workflow_id}")["data"]
    ocr = link["preprocess"]["ocr"]
    assert ocr["status"] == "skipped"  # its pages have a text layer
    assert ocr["started_at"] <= ocr["ended_at"]
    assert link["total_segments"] == 1


def test_a_run_of_before_that_failed_at_a_service_can_go_on(table: str) -> None:
    run, order = start_run(), DOCUMENT_ANALYSIS.named("paddleocr_processor").order
    while int(queries.execution(run).currentStep) != order:
        advanced(run)
    failed(run)
    keys = {"PK": {"S": f"DOC#{run.document_id}"}, "SK": {"S": f"WF#{run.workflow_id}"}}
    aws.dynamodb_client().update_item(
        TableName=table,
        Key=keys,
        UpdateExpression="REMOVE #data.preprocess",
        ExpressionAttributeNames={"#data": "data"},
    )
    interventions.resume(run, ResumeWay.AGAIN, by=Actor("test", "test"))
    services = get(table, f"DOC#{run.document_id}", f"WF#{run.workflow_id}")["data"]["preprocess"]
    assert set(services) == SERVICES
    assert services["ocr"]["status"] == "processing"


def test_each_step_has_its_label_and_each_segment_what_was_asked_of_it(table: str, pump: Pump) -> None:
    run = start_run()
    pump.run(lambda: queries.execution(run).currentStep == END)
    board = get(table, f"WF#{run.workflow_id}", "STEP")["data"]
    assert {name: board[name]["label"] for name in STEPS} == STEPS
    segment = get(table, f"WF#{run.workflow_id}", "SEG#0000")["data"]
    assert segment["image_uri"].startswith("s3://")
    assert [one["analysis_query"] for one in segment["image_analysis"]] == ["Page 1 Analysis"]
    assert segment["image_analysis"][0]["content"]


def test_a_web_page_has_its_row_where_that_system_looks_for_it(table: str) -> None:
    run = web_run()
    ids = (f"WEB#{run.document_id}", f"WF#{run.workflow_id}")
    assert get(table, *ids)["data"]["preprocess"]["webcrawler"] == {"required": True, "status": "pending"}
    crawler = DOCUMENT_ANALYSIS.named("webcrawler")
    while int(queries.execution(run).currentStep) != END:
        execution = queries.execution(run)
        step = DOCUMENT_ANALYSIS.step(int(execution.currentStep))
        asked = CrawlRequest("https://example.com/shop", "Read the opening hours.") if step == crawler else None
        if step.order > crawler.order:
            advance.fail(run, DOCUMENT_ANALYSIS, execution, attempt=1, error="E", sentence="Not readable.")
            break
        to = DOCUMENT_ANALYSIS.after(step, "", {int(one) for one in execution.left_out or ()})
        move = Advance(step, to, 1, result="completed", request=asked, execution=execution)
        advance.advance(run, DOCUMENT_ANALYSIS, move, last=execution.last_transition)
    for row in (get(table, *ids), get(table, f"DOC#{run.document_id}", f"WF#{run.workflow_id}")):
        told = row["data"]["preprocess"]["webcrawler"]
        assert (told["source_url"], told["instruction"]) == ("https://example.com/shop", "Read the opening hours.")
        assert (told["status"], row["data"]["status"], row["data"]["error"]) == ("completed", "failed", "Not readable.")

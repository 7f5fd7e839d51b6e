"""The examples of docs/examples, executed: seed 004's pipeline without a Lambda, seed 001's agents."""

import contextlib
import json
import time
from typing import Any

import pytest
from django.conf import settings as django_settings

from config import aws
from review.status import Decision
from tests.factories import review_of, sample_files
from tests.flow.callers import EXAMPLES, Caller, example, machine_arn, publish
from tests.flow.test_intake import decide
from tests.foreign import BUCKET, make_bucket
from tests.html import one_line
from tests.people import bob, signed_in
from tests.pump import Pump
from tests.review.reviews import url

pytestmark = pytest.mark.django_db
AUDIT, CHECKPOINTS, BUS = "their-audit", "their-checkpoints", "their-bus"
BOX = {"BoundingBox": {"Left": 0.1, "Top": 0.2, "Width": 0.3, "Height": 0.05}}


def make_table(name: str, key: str, sort: str = "") -> None:
    client = aws.dynamodb_client()
    names = {one: kind for one, kind in ((key, "HASH"), (sort, "RANGE")) if one}
    with contextlib.suppress(client.exceptions.ResourceNotFoundException):
        client.delete_table(TableName=name)
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": one, "AttributeType": "S"} for one in names],
        KeySchema=[
            {"AttributeName": one, "KeyType": kind} for one, kind in zip(names, ("HASH", "RANGE"), strict=False)
        ],
    )


# --- seed 004 ----------------------------------------------------------------------
def read(name: str, value: str, confidence: float) -> list[dict[str, Any]]:
    """A question with its answer, as Textract's blocks."""
    relation = [{"Type": "ANSWER", "Ids": [f"answer-{name}"]}]
    asked = {
        "BlockType": "QUERY",
        "Id": f"query-{name}",
        "Query": {"Text": "?", "Alias": name},
        "Relationships": relation,
    }
    answer = {"BlockType": "QUERY_RESULT", "Id": f"answer-{name}", "Text": value, "Confidence": confidence, "Page": 1}
    return [asked, {**answer, "Geometry": BOX}]


class Textract:
    """Two pages of blocks: a question on the first may have its answer on the second."""

    def __init__(self, *found: tuple[str, str, float], status: str = "SUCCEEDED") -> None:
        blocks = [block for one in found for block in read(*one)]
        questions = [one for one in blocks if one["BlockType"] == "QUERY"]
        self.pages = [[{"BlockType": "PAGE", "Id": "p"}, *questions], [one for one in blocks if one not in questions]]
        self.status, self.asked = status, 0

    def start(self, asked: dict[str, Any]) -> dict[str, Any]:
        assert asked["DocumentLocation"]["S3Object"]["Bucket"] == BUCKET
        return {"JobId": "job-1"}

    def get(self, asked: dict[str, Any]) -> dict[str, Any]:
        if asked["MaxResults"] == 1:
            self.asked += 1
            return {"JobStatus": "IN_PROGRESS" if self.asked == 1 else self.status, "Blocks": []}
        second = "NextToken" in asked
        return {"JobStatus": self.status, "Blocks": self.pages[second]} | ({} if second else {"NextToken": "two"})

    @property
    def answers(self) -> dict[str, Any]:
        return {
            "textract:startDocumentAnalysis": self.start,
            "textract:getDocumentAnalysis": self.get,
            "s3:getObject": read_object,
            "s3:putObject": write_object,
        }


def read_object(asked: dict[str, Any]) -> dict[str, Any]:
    return {"Body": aws.aws_client("s3").get_object(**asked)["Body"].read().decode()}


def write_object(asked: dict[str, Any]) -> dict[str, Any]:
    aws.aws_client("s3").put_object(**asked)
    return {}


SURE = (("invoice_number", "17", 99.0), ("vendor", "Grossmarkt", 97.0), ("invoice_date", "2026-02-25", 98.0))


def pipeline(textract: Textract) -> Caller:
    make_table(AUDIT, "documentId", "at")
    definition = example("document-pipeline", ResultsBucket=BUCKET, AuditTable=AUDIT)
    definition["States"]["Wait for Textract"]["Seconds"] = 1
    return publish("document-pipeline", definition, textract.answers)


def document(settings: Any) -> dict[str, Any]:
    settings.INTAKE_SOURCES = {"default": ((BUCKET, "raw/"),)}
    make_bucket()
    key = "raw/2026/invoice.pdf"
    aws.aws_client("s3").put_object(Bucket=BUCKET, Key=key, Body=sample_files()[0].read_bytes())
    return {"document": {"id": f"doc-{time.monotonic_ns()}", "bucket": BUCKET, "key": key}}


def audit() -> list[str]:
    return [row["status"]["S"] for row in aws.dynamodb_client().scan(TableName=AUDIT)["Items"]]


def stored(given: dict[str, Any]) -> dict[str, Any]:
    body = aws.aws_client("s3").get_object(Bucket=BUCKET, Key=f"normalized/{given['document']['id']}.json")["Body"]
    found: dict[str, Any] = json.loads(body.read())
    return found


@pytest.mark.wide
def test_a_sure_document_is_published_without_a_person(pump: Pump, settings) -> None:
    given = document(settings)
    run = pipeline(Textract(*SURE, ("total", "1285.40", 99.5))).start(given)
    run.end(pump)
    found = run.output()
    assert (found["status"], found["review"]["required"]) == ("PROCESSED", False)
    assert [one["value"] for one in found["fields"]] == ["17", "Grossmarkt", "2026-02-25", "1285.40"]
    assert pump.ran("take_question") == 0
    assert audit() == ["PROCESSED"]


@pytest.mark.wide
def test_an_unsure_document_is_corrected_at_the_desk_beside_its_page(pump: Pump, settings) -> None:
    given = document(settings)
    run = pipeline(Textract(*SURE, ("total", "1285.4O", 61.0))).start(given)
    ref = run.review(pump)
    html = signed_in(bob()).get(url("show-review", ref)).content.decode()
    assert "Not sure of total" in html
    assert "Requested by document-pipeline" in html
    assert 'class="field-box todo"' in html  # where Textract had found it, on the page of the PDF
    decide(ref, total="1285.40")
    run.end(pump)
    found = run.output()
    total = next(one for one in found["fields"] if one["name"] == "total")
    assert (total["value"], total["source"]) == ("1285.40", "reviewer")
    assert found["review"]["reviewer"] == "Bob Ito"
    assert stored(given)["fields"] == found["fields"]
    assert (review_of(ref).delivery, audit()) == ("delivered", ["PROCESSED"])


@pytest.mark.wide
def test_a_missing_field_asks_and_a_rejection_is_an_outcome(pump: Pump, settings) -> None:
    run = pipeline(Textract(*SURE)).start(document(settings))
    decide(run.review(pump), Decision.REJECT)
    run.end(pump)
    assert run.output()["status"] == "REJECTED"
    assert audit() == ["REJECTED"]


@pytest.mark.wide
@pytest.mark.parametrize(
    ("textract", "changes", "error"),
    [
        (Textract(status="FAILED"), {}, "TextractFailed"),
        (Textract(), {"key": "raw/movie.mp4"}, "InvalidDocument"),
        # In AWS the look at the file fails; the emulator finds a file that is not there, and the desk does not.
        (Textract(*SURE), {"key": "raw/none.pdf"}, "QuestionRefused"),
        (Textract(), {"key": "else/a.pdf", "body": b"x"}, "QuestionRefused"),
    ],
)
def test_what_cannot_be_processed_fails_with_its_event(pump: Pump, settings, textract, changes, error: str) -> None:
    given = document(settings)
    given["document"] |= {name: value for name, value in changes.items() if name != "body"}
    if "body" in changes:
        aws.aws_client("s3").put_object(Bucket=BUCKET, Key=changes["key"], Body=changes["body"])
    run = pipeline(textract).start(given)
    run.end(pump)
    assert run.status()["status"] == "FAILED"
    assert run.status()["error"].startswith(error)


def test_the_batch_starts_one_pipeline_each_and_waits_for_none(pump: Pump, settings) -> None:
    caller = pipeline(Textract(*SURE))
    batch = publish("document-batch", example("document-batch", PipelineArn=machine_arn("document-pipeline")))
    several = [document(settings)["document"] for _ in range(3)]
    run = batch.start({"documents": several})
    run.end(pump)
    assert run.status()["status"] == "SUCCEEDED"
    sfn, of = aws.aws_client("stepfunctions"), {"stateMachineArn": machine_arn(caller.name)}
    assert len(sfn.list_executions(**of)["executions"]) == 3
    event = {"detail": {"bucket": {"name": BUCKET}, "object": {"key": several[0]["key"]}}}
    one = batch.start(event)
    one.end(pump)
    assert one.status()["status"] == "SUCCEEDED"
    empty = batch.start({"documents": []})
    empty.end(pump)
    assert empty.status()["error"] == "NoDocuments"
    for execution in aws.aws_client("stepfunctions").list_executions(stateMachineArn=machine_arn(caller.name))[
        "executions"
    ]:
        aws.aws_client("stepfunctions").stop_execution(executionArn=execution["executionArn"])


# --- seed 001 ----------------------------------------------------------------------
class Models:
    """Answers in turn; ``prompts``: what each was asked."""

    def __init__(self, *answers: Any) -> None:
        self.left, self.prompts = list(answers), []

    def converse(self, asked: dict[str, Any]) -> dict[str, Any]:
        self.prompts.append((asked["ModelId"], asked["Messages"][0]["Content"][0]["Text"]))
        answer = self.left.pop(0)
        text = answer if isinstance(answer, str) else json.dumps(answer)
        usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
        message = {"role": "assistant", "content": [{"text": text}]}
        return {"output": {"message": message}, "stopReason": "end_turn", "usage": usage, "metrics": {"latencyMs": 1}}

    @property
    def answers(self) -> dict[str, Any]:
        return {"bedrockruntime:converse": self.converse}


READ = {"product": "Kettle", "serial": "K-1", "expires": "2027-01-31"}
HIGH = {"risk": "high", "confidence": 0.9, "why": "the seller is unknown"}
WARRANTY = {"document_id": "w-1", "tenant_id": "acme", "text": "Warranty of a kettle"}


def agents(models: Models) -> Caller:
    make_table(CHECKPOINTS, "document_id", "sk")
    topic = aws.aws_client("sns").create_topic(Name="their-tenants")["TopicArn"]
    known = {"CheckpointTable": CHECKPOINTS, "FastModel": "fast", "StrongModel": "strong", "TenantTopicArn": topic}
    return publish("warranty-agents", example("warranty-agents", **known), models.answers)


def checkpoint() -> dict[str, Any] | None:
    key = {"document_id": {"S": "w-1"}, "sk": {"S": "REVIEW"}}
    found: dict[str, Any] | None = aws.dynamodb_client().get_item(TableName=CHECKPOINTS, Key=key).get("Item")
    return found


def test_low_risk_flows_through_without_pause_or_checkpoint(pump: Pump) -> None:
    models = Models(READ, {"risk": "low", "confidence": 0.95, "why": "-"}, "Your kettle…")
    run = agents(models).start(WARRANTY)
    run.end(pump)
    assert run.output() == {"document_id": "w-1", "told": "reminder", "risk": "low"}
    assert pump.ran("take_question") == 0
    assert checkpoint() is None


def test_an_unsure_classifier_asks_the_stronger_model_once(pump: Pump) -> None:
    unsure = {"risk": "low", "confidence": 0.4, "why": "-"}
    models = Models(READ, unsure, {**unsure, "confidence": 0.5}, "Your kettle…")
    run = agents(models).start(WARRANTY)
    run.end(pump)
    assert [model for model, _ in models.prompts] == ["fast", "fast", "strong", "fast"]


@pytest.mark.wide
def test_high_risk_pauses_and_a_restart_runs_nothing_that_has_run(pump: Pump) -> None:
    models = Models(READ, HIGH, "Your kettle…")
    caller = agents(models)
    first = caller.start(WARRANTY)
    ref = first.review(pump)
    assert "High risk: the seller is unknown" in one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert checkpoint()["status"]["S"] == "pending_review"  # type: ignore[index]
    aws.aws_client("stepfunctions").stop_execution(executionArn=first.arn)
    second = caller.start(WARRANTY)
    assert second.review(pump) == ref
    assert len(models.prompts) == 2  # Reader and Classifier, once
    decide(ref)
    second.end(pump)
    assert second.output()["told"] == "reminder"
    assert len(models.prompts) == 3
    assert checkpoint()["status"]["S"] == "approved"  # type: ignore[index]


@pytest.mark.wide
def test_a_rejection_stops_before_the_reminder(pump: Pump) -> None:
    models = Models(READ, HIGH)
    run = agents(models).start(WARRANTY)
    decide(run.review(pump), Decision.REJECT)
    run.end(pump)
    assert run.output()["told"] == "no reminder"
    assert len(models.prompts) == 2
    assert checkpoint()["status"]["S"] == "rejected"  # type: ignore[index]


# --- all of them ---------------------------------------------------------------------
def states(machine: dict[str, Any]) -> list[dict[str, Any]]:
    found = list(machine["States"].values())
    return found + [
        inner for one in found if "ItemProcessor" in one for inner in one["ItemProcessor"]["States"].values()
    ]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.asl.json")), ids=lambda one: one.name)
def test_an_example_names_no_lambda_and_every_question_has_a_timeout_and_a_catch(path) -> None:
    machine = json.loads(path.read_text())
    assert "lambda" not in json.dumps([one.get("Resource") for one in states(machine)])
    asking = [one for one in states(machine) if one.get("Resource", "").endswith("startExecution.waitForTaskToken")]
    for one in asking:
        asked = (one.get("Parameters") or one["Arguments"])["Input"]
        assert one["TimeoutSeconds"] >= asked["deadline_seconds"] + 300
        assert one["Catch"][-1]["ErrorEquals"] == ["States.ALL"]
    names = set(machine["States"])
    for one in machine["States"].values():
        nexts = {one.get("Next"), one.get("Default")} | {
            c["Next"] for c in (*one.get("Choices", ()), *one.get("Catch", ()))
        }
        assert nexts - {None} <= names
    assert django_settings.STACK not in path.read_text()

"""A step that waits for Textract: the machine owns the wait, and a job is begun once whoever is killed."""

import io
import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from celery.exceptions import Retry

from config import aws
from projects.audit.events import Actor
from tests.aws_faults import crash_after
from tests.engines import EngineKind
from tests.factories import PROJECT, PROJECT_ID, SITE
from tests.outside import Outside, answering
from tests.pump import Pump
from tests.tools.paper import Sheet, save
from tests.workflows.stages.recordings import tone
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS, FIRST_ANALYSIS, Definition
from workflows.engine import external_job
from workflows.intake.actions import documents
from workflows.providers import actions as provider_actions
from workflows.providers import queries as providers_queries
from workflows.runs import queries, run_settings
from workflows.runs.items import Run
from workflows.runs.new_run import NewRun, Original
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

OCR = "paddleocr_processor"


@pytest.fixture(autouse=True)
def brisk(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[None]:
    monkeypatch.setattr(external_job, "_SOONEST", 1.0)
    settings.PROVIDER_ATTEMPTS = 1
    settings.PROVIDER_FAILURES = 1
    settings.PROVIDER_PAUSE_SECONDS = settings.PROVIDER_LOOK_SECONDS = 1
    provider_actions.forget_provider_state()
    yield
    provider_actions.forget_provider_state()


def start(folder: Path, definition: Definition = DOCUMENT_ANALYSIS, **project: Any) -> Run:
    """A run of a scan, which somebody has to read."""
    sheet = Sheet(200, 300)
    sheet.bar((0, 0, 200, 300), (0.9, 0.9, 0.9))
    return begin(save([sheet], folder / "scan.pdf"), "application/pdf", definition, **project)


def begin(file: Path, file_type: str, definition: Definition = DOCUMENT_ANALYSIS, **project: Any) -> Run:
    body = file.read_bytes()
    document_id = str(uuid.uuid4())
    kept = DocumentFiles(SITE, PROJECT_ID, document_id).save_original(io.BytesIO(body), file.suffix, file_type)
    configured = {**PROJECT, "ocr_model": "textract", **project}
    return documents.start(
        NewRun(
            Run.new(SITE, PROJECT_ID, document_id),
            by=Actor("test", "test"),
            project=configured,
            pinned=run_settings.settings_of(SITE, PROJECT_ID, configured),
            original=Original(file.name, file_type, len(body), kept.key, None, kept.sha256, kept.version),
            definition=definition,
        )
    )


def block(text: str) -> dict[str, Any]:
    box = {"Left": 0.1, "Top": 0.1, "Width": 0.2, "Height": 0.1}
    return {
        "BlockType": "LINE",
        "Id": text,
        "Text": text,
        "Page": 1,
        "Geometry": {"BoundingBox": box},
        "Confidence": 99.0,
    }


DONE = {"JobStatus": "SUCCEEDED", "DocumentMetadata": {"Pages": 1}, "Blocks": [block("Total 9.00")]}


def textract(*looks: dict[str, Any]) -> Any:
    """One job a token, as AWS has it; each look gets the next answer, the last one again and again."""
    left = list(looks)
    return answering(
        "textract",
        StartDocumentAnalysis=lambda asked: {"JobId": f"job-{asked['ClientRequestToken']}"},
        GetDocumentAnalysis=lambda asked: left.pop(0) if len(left) > 1 else left[0],
    )


def tokens(outside: Outside) -> set[str]:
    return {asked["ClientRequestToken"] for name, asked in outside.asked if name == "StartDocumentAnalysis"}


def ocr_of(run: Run) -> dict[str, Any]:
    found: dict[str, Any] = queries.board(run.site, run.workflow_id).data.as_dict()[OCR]
    return found


def reviewed(run: Run) -> bool:
    return queries.board(run.site, run.workflow_id).current_step == "human_review"


@pytest.mark.every_engine
def test_the_machine_waits_while_textract_reads(pump: Pump, tmp_path: Path) -> None:
    run = start(tmp_path)
    with textract({"JobStatus": "IN_PROGRESS"}, DONE) as outside:
        pump.run(lambda: "waits_for" in ocr_of(run))
        execution = queries.execution(run)
        assert (execution.lease_owner, ocr_of(run)["waits_for"]) == (None, "textract")
        pump.run(lambda: reviewed(run))
    assert outside.count() == {"StartDocumentAnalysis": 1, "GetDocumentAnalysis": 2}
    (asked,) = (asked for name, asked in outside.asked if name == "StartDocumentAnalysis")
    location = asked["DocumentLocation"]["S3Object"]
    assert location["Name"].endswith(f"{run.document_id}.pdf")
    assert location["Version"]
    assert queries.execution(run).job is None
    segment = DocumentFiles(run.site, run.project_id, run.document_id).read("analysis/segment_0000.json")
    assert b"Total 9.00" in segment
    told = [
        one for one in queries.lineage(run.site, run.document_id).rows if one.type.startswith("PADDLEOCR_PROCESSOR")
    ]
    job = f"job-{asked['ClientRequestToken']}"
    assert [(one.type.rpartition("_")[2], one.jobId) for one in told] == [("WAITS", job), ("COMPLETED", job)]


def redeliver_last(pump: Pump) -> None:
    """The queue hands the message of the killed worker to another one."""
    pump.redeliver(pump.seen[-1])


@pytest.mark.wide
def test_killed_between_beginning_and_remembering_it_finds_the_same_job(pump: Pump, tmp_path: Path) -> None:
    run = start(tmp_path)
    with textract(DONE) as outside:
        with crash_after("textract", "StartDocumentAnalysis"):
            pump.run(lambda: False, seconds=20)
        assert queries.execution(run).job is None
        redeliver_last(pump)
        pump.run(lambda: reviewed(run))
    assert outside.count()["StartDocumentAnalysis"] == 2
    assert len(tokens(outside)) == 1  # so AWS began one job, and the second call named it
    looked = {asked["JobId"] for name, asked in outside.asked if name == "GetDocumentAnalysis"}
    assert looked == {f"job-{one}" for one in tokens(outside)}


@pytest.mark.every_engine
def test_killed_between_remembering_and_waiting_it_begins_no_other(
    pump: Pump, tmp_path: Path, engine_kind: EngineKind
) -> None:
    run = start(tmp_path)
    with textract({"JobStatus": "IN_PROGRESS"}, DONE) as outside:
        pump.run(lambda: queries.board(run.site, run.workflow_id).current_step == OCR)
        with engine_kind.crash("before"):
            pump.run(lambda: False, seconds=20)
        assert queries.execution(run).job is not None
        redeliver_last(pump)
        pump.run(lambda: reviewed(run))
    assert outside.count()["StartDocumentAnalysis"] == 1


@pytest.mark.wide
def test_a_message_that_comes_twice_begins_no_other(pump: Pump, tmp_path: Path) -> None:
    run = start(tmp_path)
    with textract({"JobStatus": "IN_PROGRESS"}, DONE) as outside:
        pump.run(lambda: "waits_for" in ocr_of(run))
        redeliver_last(pump)
        pump.run(lambda: reviewed(run))
    assert outside.count()["StartDocumentAnalysis"] == 1


def test_a_machine_that_cannot_wait_gets_its_message_back(pump: Pump, tmp_path: Path) -> None:
    run = start(tmp_path, FIRST_ANALYSIS)
    with textract({"JobStatus": "IN_PROGRESS"}, DONE) as outside:
        with pytest.raises(Retry):
            pump.run(lambda: reviewed(run))
        with pytest.raises(Retry, match="1s"):  # the queue would bring it after that second
            redeliver_last(pump)
        redeliver_last(pump)
        pump.run(lambda: reviewed(run))
    assert outside.count() == {"StartDocumentAnalysis": 1, "GetDocumentAnalysis": 2}


@pytest.mark.wide
def test_a_service_that_does_not_answer_is_waited_for_and_said(pump: Pump, tmp_path: Path) -> None:
    run = start(tmp_path)
    with answering("textract", StartDocumentAnalysis="ThrottlingException"):
        pump.run(lambda: "waits_for" in ocr_of(run))
    assert "Amazon Textract is not responding (ThrottlingException)" in ocr_of(run)["waits_why"]
    (state,) = providers_queries.provider_states()
    assert state.provider == "textract"
    assert state.open_until
    with textract(DONE):
        pump.run(lambda: reviewed(run))
    (state,) = providers_queries.provider_states()
    assert (int(state.failures), state.open_until) == (0, None)


@pytest.mark.wide
def test_a_job_that_fails_ends_the_run_with_its_reason(pump: Pump, tmp_path: Path) -> None:
    run = start(tmp_path)
    with textract({"JobStatus": "FAILED", "StatusMessage": "INVALID_IMAGE_TYPE"}):
        pump.run(lambda: queries.execution(run).status != "running")
    assert "cannot read this file" in ocr_of(run)["error"]


@pytest.mark.wide
def test_a_job_that_takes_too_long_is_given_up(pump: Pump, tmp_path: Path, settings: Any) -> None:
    settings.PROVIDER_JOB_SECONDS = 1
    run = start(tmp_path)
    with textract({"JobStatus": "IN_PROGRESS"}):
        pump.run(lambda: queries.execution(run).status != "running")
    assert ocr_of(run)["error"].startswith("Amazon Textract did not finish")


@pytest.mark.parametrize(
    ("project", "label"),
    [({}, "Amazon Textract"), ({"ocr_model": "pp-ocrv5", "analyzer": "model"}, "Amazon Bedrock")],
)
def test_missing_credentials_end_the_run_with_what_to_do(
    pump: Pump, tmp_path: Path, project: dict[str, str], label: str
) -> None:
    assert aws.provider_client("textract")  # built without any
    run = start(tmp_path, DOCUMENT_ANALYSIS, **project)
    pump.run(lambda: queries.execution(run).status != "running")
    errors = [
        step["error"] for step in queries.board(run.site, run.workflow_id).data.as_dict().values() if "error" in step
    ]
    assert errors[0].startswith(f"{label} is selected for this document, but no AWS credentials were found. Give the")


@pytest.mark.wide
def test_a_recording_is_heard_by_transcribe_and_its_minutes_are_counted(pump: Pump, tmp_path: Path) -> None:
    run = begin(tone(tmp_path / "call.wav", 3, rate=8000), "audio/wav", transcriber="transcribe")
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    word = {
        "type": "pronunciation", "start_time": "0.5", "end_time": "90",
        "alternatives": [{"content": "Hello", "confidence": "0.98"}],
    }  # fmt: skip
    heard = {"results": {"transcripts": [{"transcript": "Hello"}], "items": [word]}}

    def transcribed(asked: dict[str, Any]) -> dict[str, Any]:
        store.write(files.TRANSCRIBED, json.dumps(heard).encode(), "application/json")
        return {"TranscriptionJob": {"TranscriptionJobStatus": "COMPLETED"}}

    with answering("transcribe", StartTranscriptionJob=lambda _: {}, GetTranscriptionJob=transcribed) as outside:
        pump.run(lambda: reviewed(run))
    assert outside.count() == {"StartTranscriptionJob": 1, "GetTranscriptionJob": 1}
    (used,) = queries.board(run.site, run.workflow_id).data.as_dict()["transcribe"]["used"]
    assert (used["model"], int(used["ms"]), int(used["micros"])) == ("Amazon Transcribe", 90_000, 36_000)
    assert json.loads(store.read(files.segment(0)))["transcribe"] == "Hello"

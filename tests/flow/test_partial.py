"""Pages that fail make a run partial; a retry touches them only, or it goes on without them. Runs are cancelled."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from config.errors import Conflict, Refused
from projects.audit.events import Actor
from tests.aws_faults import audit_refused, before_each, count_calls
from tests.factories import PROJECT_ID, SITE, start_run
from tests.flow.protocol import ended, kinds, sweep_until_ended
from tests.pump import Pump
from tests.tools import paper
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.engine import driver, interventions
from workflows.runs import queries
from workflows.runs.actions import advance
from workflows.runs.items import Outcome, ResumeWay, Run
from workflows.runs.run_files import files_of
from workflows.stages.pages import ocr
from workflows.storage import files

ROSA = Actor("1", "Rosa Marin")
INNER = ocr.read_page_image
OCR = DOCUMENT_ANALYSIS.named("paddleocr_processor").order


@pytest.fixture
def scans(tmp_path: Path) -> Path:
    """Three pages, each a picture."""
    sheets = []
    for number in range(3):
        scan = paper.Sheet(300, 150)
        scan.text(30, 60, f"Harbour Bakery {number}", size=16)
        paper.picture(scan, 100).save(tmp_path / f"{number}.png")
        sheet = paper.Sheet(300, 150)
        sheet.canvas.do.draw_image(tmp_path / f"{number}.png", 0, 0, 300, 150)
        sheets.append(sheet)
    return paper.save(sheets, tmp_path / "scans.pdf")


@contextmanager
def reading(*failing: int) -> Iterator[mock.Mock]:
    def read(image: Any, index: int, **options: Any) -> Any:
        if index in failing:
            raise RuntimeError("the engine stumbled")
        return INNER(image, index, **options)

    with mock.patch.object(ocr, "read_page_image", side_effect=read) as read_page:
        yield read_page


@pytest.fixture
def partial(pump: Pump, scans: Path) -> Run:
    run = start_run(scans)
    with reading(1):
        pump.run(lambda: ended(run))
    return run


def outcome(run: Run) -> str | None:
    execution, board = queries.execution(run), queries.board(run.site, run.workflow_id)
    link = queries.project_document(run.site, run.project_id, run.document_id)
    assert execution.outcome == board.outcome == link.outcome
    return link.outcome


def waits_for_a_person(run: Run) -> bool:
    return queries.board(run.site, run.workflow_id).current_step == "human_review"


def test_a_run_with_a_failed_page_is_partial_and_says_which(partial: Run) -> None:
    assert outcome(partial) == Outcome.PARTIAL
    assert queries.execution(partial).failed == {1}
    board = queries.board(partial.site, partial.workflow_id)
    assert board.data["assess"]["reason"] == "1 of 3 pages failed: page 2."
    assert "error" in queries.segments(partial.site, partial.workflow_id).rows[1].data
    told = next(event for event in queries.lineage(SITE, partial.document_id).rows if event.type == "PARTIAL")
    assert json.loads(told.bus_detail)["outcome"] == "partial"


@pytest.mark.wide
def test_a_retry_reads_the_failed_page_only(pump: Pump, partial: Run) -> None:
    interventions.resume(partial, ResumeWay.RETRY, by=ROSA)
    assert outcome(partial) is None
    board = queries.board(partial.site, partial.workflow_id).data
    assert [board[name]["status"] for name in ("segment_prep", "transcribe", "assess")] == [
        "in_progress", "skipped", "pending",
    ]  # fmt: skip
    with reading() as read, count_calls() as calls:
        pump.run(lambda: waits_for_a_person(partial))
    assert [call.args[1] for call in read.call_args_list] == [1]
    put = [call.params["Key"].partition(f"{partial.document_id}/")[2] for call in calls.of("s3", "PutObject")]
    of_pages = sorted(name for name in put if "page_0" in name or "segment_0" in name or name.startswith("paddleocr/c"))
    print(f"a retry of page 2 of 3 puts {of_pages}")
    assert set(of_pages) == {
        "analysis/segment_0001.json",
        "paddleocr/chunks/chunk_0001.json",
        "preprocessed/page_0001.png",
    }
    store = files_of(partial)
    texts = [json.loads(store.read(files.segment(index)))["text_content"] for index in range(3)]
    assert texts == [f"Harbour Bakery {index}" for index in range(3)]
    assert not any("error" in row.data for row in queries.segments(partial.site, partial.workflow_id).rows)
    assert queries.execution(partial).failed is None
    assert "RUN_RESUMED" in kinds(partial)


def test_a_page_that_fails_again_leaves_it_partial(pump: Pump, partial: Run) -> None:
    interventions.resume(partial, ResumeWay.RETRY, by=ROSA)
    with reading(1):
        pump.run(lambda: ended(partial))
    assert (outcome(partial), queries.execution(partial).failed) == (Outcome.PARTIAL, {1})


def test_it_can_go_on_without_the_page_and_a_person_is_told(pump: Pump, partial: Run) -> None:
    interventions.resume(partial, ResumeWay.ACCEPT, by=ROSA)
    with reading() as read:
        pump.run(lambda: waits_for_a_person(partial))
    assert not read.called
    assessed = json.loads(files_of(partial).read(files.assessment(partial.workflow_id)))
    assert any("Failed pages are missing: 2" in reason["text"] for reason in assessed["reasons"])


def test_of_two_who_have_it_go_on_one_does(partial: Run) -> None:
    def other() -> None:
        interventions.resume(partial, ResumeWay.ACCEPT, by=ROSA)

    with before_each("dynamodb", "TransactWriteItems", other), pytest.raises(Conflict):
        interventions.resume(partial, ResumeWay.RETRY, by=ROSA)
    assert queries.execution(partial).only is None
    assert int(queries.execution(partial).engine_attempt) == 2


def test_without_its_event_it_does_not_go_on(partial: Run) -> None:
    with audit_refused(), pytest.raises(Exception, match="Too many simultaneous changes"):
        interventions.resume(partial, ResumeWay.RETRY, by=ROSA)
    assert outcome(partial) == Outcome.PARTIAL


@pytest.mark.every_engine
def test_what_the_engine_did_not_hear_of_is_started_by_the_sweeper(pump: Pump, partial: Run) -> None:
    with mock.patch.object(driver, "start"):  # the process died before it
        interventions.resume(partial, ResumeWay.RETRY, by=ROSA)
    with mock.patch("django.conf.settings.RUN_CHECK_SECONDS", 1):
        advance.Execution.change(  # due at once
            advance.execution_key(partial),
            [advance.Execution.GSI2SK.set("2020" + queries.execution(partial).GSI2SK[4:])],
            advance.EXISTS,
        )
        with reading(1):
            sweep_until_ended(partial, pump)
    assert outcome(partial) == Outcome.PARTIAL


def test_the_rules_of_going_on(pump: Pump, partial: Run, scans: Path) -> None:
    with pytest.raises(Refused):
        interventions.resume(partial, ResumeWay.AGAIN, by=ROSA)
    with pytest.raises(Refused):
        interventions.resume(start_run(scans), ResumeWay.RETRY, by=ROSA)


@pytest.mark.wide
def test_a_cancelled_run_has_ended_everywhere_and_its_message_changes_nothing(pump: Pump, scans: Path) -> None:
    pump.hold = lambda message: message.kwargs.get("step") == OCR
    run = start_run(scans)
    pump.run(lambda: bool(pump.held))
    interventions.cancel(run, by=ROSA)
    assert outcome(run) == Outcome.CANCELLED
    assert driver.state(DOCUMENT_ANALYSIS, run, 1) == "ended"
    assert queries.board(run.site, run.workflow_id).data["paddleocr_processor"]["error"] == "Cancelled by Rosa Marin."
    assert "CANCELLED" in kinds(run)
    pump.hold = lambda _message: False
    with reading() as read:
        pump.run(idle=0.5)
    assert not read.called
    assert outcome(run) == Outcome.CANCELLED
    with pytest.raises(Refused, match="has ended"):
        interventions.cancel(run, by=ROSA)


@pytest.mark.every_engine
def test_a_cancelled_run_goes_on_where_it_stopped(pump: Pump, scans: Path) -> None:
    pump.hold = lambda message: message.kwargs.get("step") == OCR
    run = start_run(scans)
    pump.run(lambda: bool(pump.held))
    interventions.cancel(run, by=ROSA)
    pump.hold = lambda _message: False
    interventions.resume(run, ResumeWay.AGAIN, by=ROSA)
    before = pump.ran("run_step")
    pump.run(lambda: waits_for_a_person(run))
    assert [m.kwargs["step"] for m in pump.seen[before:] if m.task.endswith("run_step")][-4:] == [4, 7, 8, 9]


def test_a_run_that_moves_meanwhile_is_cancelled_where_it_then_is(pump: Pump, scans: Path) -> None:
    pump.hold = lambda _message: True
    run = start_run(scans)

    def moves_on() -> None:
        move = advance.Advance(DOCUMENT_ANALYSIS.step(1), 3, 1, result="completed")
        advance.advance(run, DOCUMENT_ANALYSIS, move, last=None)

    with before_each("dynamodb", "TransactWriteItems", moves_on):
        interventions.cancel(run, by=ROSA)
    assert outcome(run) == Outcome.CANCELLED
    assert queries.board(run.site, run.workflow_id).data["format_parser"]["status"] == "failed"


def test_a_run_that_waits_for_a_person_is_rejected_not_cancelled(pump: Pump, partial: Run) -> None:
    interventions.resume(partial, ResumeWay.ACCEPT, by=ROSA)
    pump.run(lambda: waits_for_a_person(partial))
    with pytest.raises(Refused, match="Reject it"):
        interventions.cancel(partial, by=ROSA)
    assert partial.project_id == PROJECT_ID

"""``manage.py replay``: a stage of a stored run once more; the run stays as it is."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from review.status import Decision
from tests.aws_faults import count_calls
from tests.factories import MARTA, ROSA, start_run
from tests.flow.approvals import asked, begin, decide, ended
from tests.pump import Pump
from tests.workflows.executions.onboarding import make_execution
from workflows.runs import queries
from workflows.runs.items import Run
from workflows.runs.run_files import files_of
from workflows.stages.registry import STAGES
from workflows.storage import files

READS = {"GetItem", "Query", "BatchGetItem", "GetObject", "HeadObject", "ListObjectsV2"}


@pytest.fixture
def waiting(pump: Pump) -> Run:
    run = start_run(always_review=True)
    pump.run(lambda: queries.board(run.site, run.workflow_id).current_step == "human_review")
    return run


def told(run: Run, step: str, **options: Any) -> str:
    out = io.StringIO()
    call_command("replay", run.workflow_id, step=step, stdout=out, **options)
    return out.getvalue()


def test_a_stored_state_is_replayed_and_nothing_is_written(waiting: Run) -> None:
    store = files_of(waiting)
    for step, name in (
        ("segment_prep", files.PREPARED),
        ("format_parser", files.TEXT_LAYER),
        ("segment_analyzer", files.result(waiting.workflow_id)),
        ("assess", files.assessment(waiting.workflow_id)),
    ):
        with count_calls() as calls:
            again = json.loads(told(waiting, step, json=True))
        assert {call.operation for call in calls.calls} <= READS
        assert again["artifacts"][name] == json.loads(store.read(name))
    assert "wrote analysis/segment_0000.json" in told(waiting, "segment_builder")


def test_a_state_in_a_file_is_laid_over_the_stored_one(waiting: Run, tmp_path: Path) -> None:
    result = json.loads(files_of(waiting).read(files.result(waiting.workflow_id)))
    known = {"artifacts": {files.result(waiting.workflow_id): result | {"notes": ["The seal is broken"]}}}
    state = tmp_path / "state.json"
    state.write_text(json.dumps(known))
    assert "The seal is broken" in told(waiting, "assess", state=str(state), json=True)
    assert "The seal is broken" not in told(waiting, "assess", json=True)


@pytest.mark.wide
def test_steps_that_are_no_stages_tell_what_they_would_do(pump: Pump, tmp_path: Path) -> None:
    run = begin(tmp_path, "1500.00")
    ref = asked(run, pump, "first_approval")
    state = tmp_path / "state.json"

    def answer(step: str, **injected: Any) -> Any:
        state.write_text(json.dumps(injected))
        with count_calls() as calls:
            found = json.loads(told(run, step, json=True, state=str(state)))
        assert {call.operation for call in calls.calls} <= READS
        return found["status"], found["reason"], found["facts"]

    choice = answer("needs_approval")
    assert choice[1].startswith("Not so: Field total is less than")
    assert choice[2] == {"outcome": "", "next": "first_approval"}
    small = answer("needs_approval", decision={"corrections": {"total": "50.00"}})
    assert small[2] == {"outcome": "small", "next": "graph_builder"}
    assert answer("second_approval")[::2] == ("asks", {"queue": "", "another": True})
    assert answer("second_approval", decision={"decision": "approve"})[2]["next"] == "graph_builder"
    assert answer("second_approval", decision={"decision": "reject"})[2]["next"] == "tell_rejected"
    tag = {"key": "approval", "value": "accepted", "outcome": "", "next": "tell_accepted"}
    assert answer("mark_accepted") == ("not done", "Would tag.", tag)
    decide(run, ref, Decision.APPROVE, by=ROSA)
    decide(run, asked(run, pump, "second_approval"), Decision.APPROVE, by=MARTA)
    pump.run(lambda: ended(run))
    name = files.output(run.workflow_id)
    again = json.loads(told(run, "publish", json=True))
    assert again["artifacts"][name] == json.loads(files_of(run).read(name))


def test_an_execution_without_a_document_is_replayed_on_its_data(table: str, tmp_path: Path) -> None:
    execution = make_execution()
    state = tmp_path / "state.json"
    state.write_text(json.dumps({"artifacts": {"input": {"contract": {"salary": 10}}}}))
    out = io.StringIO()
    call_command("replay", execution.executionId, step="choice_2", stdout=out)
    assert "next: approval_3" in out.getvalue()
    call_command("replay", execution.executionId, step="choice_2", state=str(state), stdout=out)
    assert "Field contract.salary is at most “5000”" in out.getvalue()
    with pytest.raises(CommandError, match="Choose one of approval_1, choice_2"):
        call_command("replay", execution.executionId, step="publish", stdout=out)


def test_what_cannot_be_replayed_is_said_in_a_sentence(waiting: Run, tmp_path: Path) -> None:
    for run, step, words in (("none", "assess", "not found"), (waiting.workflow_id, "publishing", "There is no step")):
        with pytest.raises(CommandError, match=words):
            call_command("replay", run, step=step, stdout=io.StringIO())
    (tmp_path / "a.json").write_text('{"colour": 1}')
    with pytest.raises(CommandError, match="A state is a JSON object"):
        told(waiting, "assess", state=str(tmp_path / "a.json"))
    with pytest.raises(CommandError, match="cannot be read"):
        told(waiting, "assess", state=str(tmp_path / "none.json"))
    assert "assess" in STAGES

"""``manage.py replay``: a stage of a stored run once more; the run stays as it is."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.aws_faults import count_calls
from tests.factories import start_run
from tests.pump import Pump
from workflows.engine.step_context import files_of
from workflows.runs import queries
from workflows.runs.items import Run
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


def test_what_cannot_be_replayed_is_said_in_a_sentence(waiting: Run, tmp_path: Path) -> None:
    for run, step, words in (("none", "assess", "not found"), (waiting.workflow_id, "publish", "There is no stage")):
        with pytest.raises(CommandError, match=words):
            call_command("replay", run, step=step, stdout=io.StringIO())
    (tmp_path / "a.json").write_text('{"colour": 1}')
    with pytest.raises(CommandError, match="A state is a JSON object"):
        told(waiting, "assess", state=str(tmp_path / "a.json"))
    with pytest.raises(CommandError, match="cannot be read"):
        told(waiting, "assess", state=str(tmp_path / "none.json"))
    assert "assess" in STAGES

"""The example on the page about replays is run as it stands there."""

import io
import json
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

from tests.factories import start_run
from tests.pump import Pump
from workflows.operations import replay
from workflows.runs import queries
from workflows.runs.items import Run

PAGE = (Path(settings.BASE_DIR) / "docs/replay.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def waiting(pump: Pump) -> Run:
    """In a project that sends every document to a person."""
    run = start_run(always_review=True)
    pump.run(lambda: queries.board(run.site, run.workflow_id).current_step == "human_review")
    return run


def test_each_command_of_the_example_prints_what_the_page_says(waiting: Run, tmp_path: Path) -> None:
    (state,) = [text for kind, text in BLOCKS if kind == "json"]
    (tmp_path / "state.json").write_text(state)
    shown = [text.splitlines() for kind, text in BLOCKS if kind == "text"]
    printed = []
    for command, *lines in shown:
        words = command.replace("state.json", str(tmp_path / "state.json")).replace("RUN", waiting.workflow_id).split()
        assert words[:3] == ["$", "manage.py", "replay"]
        out = io.StringIO()
        call_command(*words[2:], stdout=out)
        printed.append(out.getvalue())
        assert [line for line in lines if line not in out.getvalue().splitlines()] == []
    assert len(shown) == 2
    assert printed[0] != printed[1]


def test_every_piece_of_a_state_that_the_page_shows_is_taken(tmp_path: Path) -> None:
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|$", PAGE, re.MULTILINE)
    pieces = {name: json.loads(text) for name, row in rows for text in re.findall(r"`(\{.*?\})`", row)}
    assert set(pieces) == {"settings", "decision"}
    assert replay.state_from(pieces, tmp_path).decision
    (told,) = re.findall(r"provider: `(\{.*\})`", PAGE)
    assert replay.state_from(json.loads(told), tmp_path).settings == {"analyzer": "rules"}

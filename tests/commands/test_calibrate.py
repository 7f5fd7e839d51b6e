import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from config import clock
from projects.audit.events import Actor
from projects.settings import queries as project_queries
from tests.workflows.decided import project, reviewed_project
from workflows.learning import tasks, versions
from workflows.learning.calibrations import CALIBRATIONS

SITE = "default"
pytestmark = pytest.mark.usefixtures("table")


def active(project_id: str) -> int:
    return versions.active_version(CALIBRATIONS, project_queries.get_project(SITE, project_id))


@pytest.mark.wide
def test_a_proposal_is_printed_and_nothing_is_active(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project_id = reviewed_project()
    call_command("calibrate", "--project", project_id, "--output", str(tmp_path / "out.json"))
    out = capsys.readouterr().out
    assert "Calibration 1, from 24 reviewed documents (company 24, total 24) and 6 sellers." in out
    assert active(project_id) == 0
    content = json.loads((tmp_path / "out.json").read_text())
    assert (content["version"], len(content["vendors"]), len(content["seen"])) == (1, 6, 6)


@pytest.mark.wide
def test_it_is_active_where_that_was_asked_for() -> None:
    project_id = reviewed_project()
    for _ in range(2):
        call_command("calibrate", "--project", project_id, "--activate")
    assert active(project_id) == 1


def test_too_few_reviews_and_no_project_are_sentences() -> None:
    with pytest.raises(CommandError, match="0 reviewed documents are too few"):
        call_command("calibrate", "--project", project())
    with pytest.raises(CommandError, match="Project not found"):
        call_command("calibrate", "--project", "proj_none")


def run_task(project_id: str, order: str) -> None:
    kwargs = {"site": SITE, "project_id": project_id, "user_id": "1", "user_name": "Anna Berg"}
    tasks.calibrate.apply(kwargs=kwargs, task_id=order, throw=True)


@pytest.mark.wide
def test_the_task_delivered_twice_makes_one_version() -> None:
    project_id, order = reviewed_project(), clock.new_ulid()
    for _ in range(2):
        run_task(project_id, order)
    assert [one.number for one in versions.list_versions(CALIBRATIONS, SITE, project_id)] == [1]
    assert [one.type for one in versions.list_version_events(CALIBRATIONS, SITE, project_id)] == ["proposed"]


def test_the_task_says_once_why_it_made_none() -> None:
    project_id = project()
    for order in ("first", "first", "second"):
        run_task(project_id, order)
    found = versions.list_version_events(CALIBRATIONS, SITE, project_id)
    assert [one.type for one in found] == ["refused", "refused"]
    assert found[0].payload.as_dict()["reason"].startswith("0 reviewed documents are too few")


def test_an_order_is_a_message_for_a_worker(pump) -> None:  # type: ignore[no-untyped-def]
    project_id = project()
    tasks.order_calibration(SITE, project_id, by=Actor("1", "Anna Berg"))
    pump.run(lambda: pump.ran("calibrate") == 1)
    assert [one.type for one in versions.list_version_events(CALIBRATIONS, SITE, project_id)] == ["refused"]

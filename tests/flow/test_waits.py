"""A workflow that waits, of a document and of data: the engine's own wait, or the due index where messages drive it."""

from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

from config import clock
from projects.audit.events import Actor
from projects.sites.permissions import Permission
from tests.factories import SITE
from tests.flow.approvals import at, begin, ended, moves
from tests.html import one_line
from tests.people import alice, signed_in
from tests.pump import Pump
from tests.workflows.test_api import API, program
from workflows.definitions import actions as definition_actions
from workflows.definitions import versions
from workflows.definitions.blueprint import Definition
from workflows.definitions.composition import Block, Plan
from workflows.definitions.tasks import deploy_definition
from workflows.engine import interventions, repair, waits
from workflows.executions import data, due, queries, starting
from workflows.executions.actions import Wish
from workflows.executions.items import InputExecution
from workflows.runs import queries as run_queries
from workflows.runs.items import Run

pytestmark = pytest.mark.django_db
BY = Actor("1", "Alice Novak")
COOL_OFF = Block("wait", "Cooling-off period", parameters={"hours": "48"})
UNTIL_DUE = Block("wait", "Until it is due", parameters={"field": "due"})


def publish(name: str, plan: Plan) -> Definition:
    definition_actions.create_composed(name, plan, by=BY)
    definition = definition_actions.publish_plan(name, revision=1, by=BY)
    deploy_definition(definition_id=definition.id)
    definition_actions.activate_definition(definition.id, instead_of=0, by=BY)
    return versions.active_definition(name)


@pytest.fixture
def brief(pump: Pump) -> Callable[[float], None]:
    """Waits that begin from now on last so many seconds, whatever they are asked for."""
    with mock.patch.object(waits, "find_end") as found:

        def last(seconds: float) -> None:
            found.side_effect = lambda *_: clock.iso(clock.in_seconds(seconds))

        yield last  # type: ignore[misc]


def waiting(run: Run) -> bool:
    return bool(run_queries.execution(run).waits_until)


def swept(run: Run) -> bool:
    """As the sweeper finds it, again and again; whether it has ended."""
    if ended(run):
        return True
    execution = run_queries.execution(run)
    if str(execution.GSI2SK) <= clock.iso(clock.now()):
        repair.check_run(SITE, execution)
    return False


@pytest.mark.wide
@pytest.mark.every_engine
def test_a_document_waits_and_goes_on(pump: Pump, tmp_path: Path, brief: Callable[[float], None]) -> None:
    definition = publish("cooling-off", Plan(blocks=(COOL_OFF,), graph=False, summary=False))
    brief(3)
    run = begin(tmp_path, "99.00", definition=definition)
    pump.run(lambda: waiting(run))
    orders = pump.ran("run_step")
    page = one_line(signed_in(alice()).get(f"/workflows/{run.document_id}/{run.workflow_id}/").content)
    assert "Waiting until" in page
    program_at_desk = program(Permission.READ)
    steps = program_at_desk.get(f"{API}/documents/{run.document_id}/runs/{run.workflow_id}").json()["steps"]
    waited = {one["name"]: one["waits_until"] for one in steps if one["waits_until"]}
    assert waited == {"wait_11": run_queries.execution(run).waits_until}
    pump.redeliver(next(one for one in reversed(pump.seen) if one.task.endswith("run_step")))
    assert (at(run), run_queries.execution(run).lease_owner) == ("wait_11", None)
    pump.run(lambda: swept(run))
    assert run_queries.execution(run).outcome == "published"
    assert run_queries.execution(run).waits_until is None
    assert int(run_queries.execution(run).engine_attempt) == 1
    assert moves(run) == [("wait_11", "completed"), ("publish", "completed")]
    assert pump.ran("run_step") <= orders + 5  # no message goes round meanwhile


@pytest.mark.wide
@pytest.mark.every_engine
def test_who_cancels_a_run_that_waits_ends_it(pump: Pump, tmp_path: Path, brief: Callable[[float], None]) -> None:
    definition = publish("cooling-off", Plan(blocks=(COOL_OFF,), graph=False, summary=False))
    brief(3600)
    run = begin(tmp_path, "99.00", definition=definition)
    pump.run(lambda: waiting(run))
    interventions.cancel(run, by=BY)
    assert run_queries.execution(run).waits_until is None
    assert ended(run)


@pytest.mark.wide
@pytest.mark.every_engine
def test_an_execution_waits_and_ends(pump: Pump, brief: Callable[[float], None]) -> None:
    definition = publish("notice", Plan(blocks=(UNTIL_DUE,), documents=False))
    brief(3)
    wish = Wish(definition, "Notice", data.write_input({"due": "2030-01-31"}))
    execution = starting.start_execution(SITE, wish, by=BY)[0]

    def now() -> InputExecution:
        return queries.get_execution(SITE, execution.executionId)

    pump.run(lambda: bool(now().waits_until))
    page = one_line(signed_in(alice()).get(f"/executions/{execution.executionId}/").content)
    assert "Waiting until" in page
    pump.redeliver(next(one for one in reversed(pump.seen) if one.task.endswith("run_execution_step")))
    assert int(now().currentStep) == 1

    def is_over() -> bool:
        if now().status == "running" and str(now().GSI2SK) <= clock.iso(clock.now()):
            due.check_execution(SITE, now())
        return now().status != "running"

    pump.run(is_over)
    assert (now().outcome, now().waits_until) == ("completed", None)
    said = queries.list_transitions(SITE, execution.executionId)[0].data.as_dict()["reason"]
    assert said.startswith("Waited until ")


def test_an_execution_whose_data_has_no_day_goes_on_at_once(pump: Pump) -> None:
    definition = publish("notice", Plan(blocks=(UNTIL_DUE,), documents=False))
    wish = Wish(definition, "Notice", data.write_input({"name": "Jane"}))
    execution = starting.start_execution(SITE, wish, by=BY)[0]
    pump.run(lambda: queries.get_execution(SITE, execution.executionId).status != "running")
    said = queries.list_transitions(SITE, execution.executionId)[0].data.as_dict()["reason"]
    assert said == "Not waited: no date was found in due."

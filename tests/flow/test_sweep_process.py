"""The sweeper in its own process, as it is deployed, while Step Functions hangs: what needs no engine goes on."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from config import clock, table
from tests.commands.desk import overrides
from tests.factories import start_run
from tests.flow import gate as gates
from tests.flow.gate import Gate
from tests.flow.processes import LiveDesk, account, looking_at, prepare, wait_for
from workflows.operations.processes import PROCESSES
from workflows.runs import events, queries
from workflows.runs.actions import advance
from workflows.runs.items import Execution, Run

pytestmark = [pytest.mark.slow, pytest.mark.processes]

BRISK: dict[str, int | str] = {"SWEEP_SECONDS": 2, "RUN_CHECK_SECONDS": 5}


class SilentEngine(Gate):
    """Step Functions takes a call and never answers."""

    def pass_on(self, request: BaseHTTPRequestHandler, body: bytes) -> tuple[int, list[tuple[str, str]], bytes] | None:
        if request.headers.get("X-Amz-Target", "").startswith("AWSStepFunctions."):
            self.held.set()
            return None
        return self.forward(request, body)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[LiveDesk]:
    prepare(tmp_path / "prepared", **account())
    desk = LiveDesk(tmp_path / "prepared", tmp_path / "desk", **overrides(**BRISK))
    try:
        desk.start_emulator()
        with looking_at(desk):
            yield desk
    finally:
        desk.stop()


def overdue_run() -> Run:
    run = start_run()
    due = [Execution.GSI2SK.set(f"2000-01-01T00:00:00+00:00#run#{run.workflow_id}")]
    Execution.change(advance.execution_key(run), due, Execution.PK.exists())
    return run


def waits(run: Run) -> bool:
    return any(event.GSI2PK for event in queries.lineage(run.site, run.document_id).rows)


def place(run: Run) -> table.DuePlace:
    return table.due_place(str(queries.execution(run).GSI2SK))


def tries(run: Run) -> int:
    return place(run).tries


def was_repaired(run: Run) -> bool:
    return place(run).since > "2001"


@pytest.mark.timeout(240)
def test_what_needs_no_engine_goes_on_while_the_engine_hangs(desk: LiveDesk) -> None:
    stuck = [overdue_run() for _ in range(5)]
    with gates.opened(int(desk.port), SilentEngine) as gate:
        desk.start("sweep", *PROCESSES["worker-sweep"], AWS_ENDPOINT_URL=f"http://127.0.0.1:{gate.port}")
        desk.start("beat", *PROCESSES["beat"])
        assert gate.held.wait(60)
        for run in stuck:  # behind all of them
            events.lineage(run, "PUBLISHED", bus_type=events.PROCESSED)(clock.in_seconds(-60)).save()
        wait_for(lambda: not any(map(waits, stuck)), "every event is told", 60)
        assert not all(map(tries, stuck))
        wait_for(lambda: any(map(tries, stuck)), "a run is moved on", 60)
        desk.kill("sweep")
    desk.start("sweep", *PROCESSES["worker-sweep"])
    wait_for(lambda: all(map(was_repaired, stuck)), "each run has its execution", 120)

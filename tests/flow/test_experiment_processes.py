"""Workers of an experiment are killed at their work: it ends complete, and no answer is asked for twice."""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.conf import settings

from config.table import DEFAULT_SITE
from projects.audit.events import Actor
from projects.settings.defaults import ensure_default_project
from tests.commands.desk import overrides
from tests.factories import PROJECT, start_run
from tests.flow.processes import LiveDesk, account, looking_at, prepare, wait_for
from tests.workflows.experiments.counting_server import CountingServer, serve_counting
from tests.workflows.experiments.made import copy_document, make_experiment, make_set
from tests.workflows.trials.reading import is_read
from workflows.experiments import queries, tasks
from workflows.experiments.queries import ExperimentRef

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

DOCUMENTS, KILLS = 100, 8
WORKERS = ("first", "second")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[LiveDesk]:
    prepared = tmp_path / "prepared"
    prepared.mkdir()
    prepare(prepared, **account())
    desk = LiveDesk(prepared, tmp_path / "desk", **overrides(SWEEP_SECONDS=2, MESSAGE_LOST_SECONDS=6))
    try:
        desk.start_emulator()
        with looking_at(desk):
            yield desk
    finally:
        desk.stop()


def start(desk: LiveDesk, name: str, server: CountingServer) -> None:
    """A worker that asks a server of its own, so that the test knows when it waits for an answer."""
    desk.start_worker(name, settings.STEPS_QUEUE, COUNTERSIGN_MODEL_ENDPOINTS=f"local={server.url}")


def kill_while_asking(desk: LiveDesk, name: str, server: CountingServer, ref: ExperimentRef) -> bool:
    """Kill the worker as it waits for an answer; False if nothing is left to ask."""
    before = server.asked
    wait_for(lambda: server.asked > before or queries.get_experiment(ref).status == "done", "a request", 120)
    if queries.get_experiment(ref).status == "done":
        return False
    desk.kill(name)
    return True


def test_killed_workers_ask_nothing_twice(desk: LiveDesk) -> None:
    project = ensure_default_project(DEFAULT_SITE, by=Actor("test", "Test"))
    desk.start_worker("reading", settings.STEPS_QUEUE)
    run = start_run(project=PROJECT, project_id=project.id)
    wait_for(lambda: is_read(run), "a document that is read", 120)
    desk.kill("reading")
    testset = make_set(project.id, [run.document_id, *(copy_document(run, one) for one in range(DOCUMENTS - 1))])
    with ExitStack() as stack:
        servers = {name: stack.enter_context(serve_counting(seconds=0.4)) for name in WORKERS}
        desk.start_sweeper()
        for name, server in servers.items():
            start(desk, name, server)
        ref = make_experiment(testset, [1], at_a_time=4)
        tasks.order_lanes(ref)
        killed = 0
        for number in range(KILLS):
            name = WORKERS[number % 2]
            if not kill_while_asking(desk, name, servers[name], ref):
                break
            killed += 1
            start(desk, name, servers[name])
        wait_for(lambda: queries.get_experiment(ref).status == "done", "the experiment", 600)
        answered: Counter[str] = sum((one.answered for one in servers.values()), Counter())
    head = queries.get_experiment(ref)
    assert killed == KILLS
    assert (int(head.answered), int(head.failed), int(head.total)) == (DOCUMENTS, 0, DOCUMENTS)
    assert len(queries.list_all_cells(ref)) == DOCUMENTS
    assert [digest for digest, count in answered.items() if count > 1] == []
    assert answered.total() == DOCUMENTS
    results = queries.load_results(ref, str(head.results_sha256))
    assert sum(half.documents for half in results.halves[1].values()) == DOCUMENTS

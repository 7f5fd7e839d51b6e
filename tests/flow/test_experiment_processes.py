"""An experiment on real processes: killed workers ask nothing twice, and documents and people wait for none of it."""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.conf import settings

from config.laptop import embedded_model
from config.table import DEFAULT_SITE
from projects.audit.events import Actor
from projects.models import queries as model_queries
from projects.settings.defaults import ensure_default_project
from projects.settings.values import FieldSetting
from tests.commands.desk import overrides
from tests.embedded import needs_model
from tests.factories import PROJECT, start_run
from tests.flow.processes import LiveDesk, account, looking_at, prepare, wait_for
from tests.flow.visitor import Visitor
from tests.projects.projects import make_project
from tests.tools.paper import Sheet, save
from tests.workflows.experiments.counting_server import CountingServer, serve_counting
from tests.workflows.experiments.made import copy_document, make_experiment, make_set
from tests.workflows.trials.reading import is_read
from workflows.experiments import queries, tasks
from workflows.experiments.queries import ExperimentRef
from workflows.learning import collecting
from workflows.operations.processes import PROCESSES
from workflows.testsets import queries as testset_queries
from workflows.testsets.queries import SetRef

pytestmark = [pytest.mark.slow, pytest.mark.processes, pytest.mark.timeout(900)]

DOCUMENTS, KILLS = 100, 8
BY = Actor("test", "Test")
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
    desk.start_worker(name, settings.EXPERIMENTS_QUEUE, COUNTERSIGN_MODEL_ENDPOINTS=f"local={server.url}")


def kill_while_asking(desk: LiveDesk, name: str, server: CountingServer, ref: ExperimentRef) -> bool:
    """Kill the worker as it waits for an answer; False if nothing is left to ask."""
    before = server.asked
    while True:
        wait_for(
            lambda: (server.asked > before and server.waiting) or queries.get_experiment(ref).status == "done",
            "a request",
            120,
        )
        if queries.get_experiment(ref).status == "done":
            return False
        with server.lock:  # no answer leaves meanwhile: on a busy machine one left before the signal came
            if server.waiting:
                desk.kill(name)
                return True


def test_killed_workers_ask_nothing_twice(desk: LiveDesk) -> None:
    project = ensure_default_project(DEFAULT_SITE, by=BY)
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
        ref = make_experiment(testset, [1], lanes=4)
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


@needs_model
@pytest.mark.django_db
def test_documents_and_people_do_not_wait_for_an_experiment(desk: LiveDesk, tmp_path: Path) -> None:
    """With the processes and the model of a laptop: all of this is done while most answers are still to come."""
    project = make_project(fields=(FieldSetting("total", "Total", "amount"),))
    receipt = draw_receipt(tmp_path / "receipt.pdf")
    desk.start_web()
    desk.start("steps", *PROCESSES["worker-steps"])
    desk.start("experiments", *PROCESSES["worker-experiments"])
    desk.start("model", embedded_model.MODULE, str(embedded_model.socket_of(desk.state)))
    run = start_run(receipt, project=PROJECT, project_id=project.id)
    wait_for(lambda: is_read(run), "a document that is read", 120)
    testset = make_set(project.id, [run.document_id, *(copy_document(run, number) for number in range(9))])
    model = model_queries.get_model(DEFAULT_SITE, "embedded")
    ref = make_experiment(testset, [1], models=(model,), lanes=2)
    desk.start_sweeper()  # which orders the experiment: messages of this process are sent elsewhere
    wait_for(lambda: any(one.lease_owner for one in queries.list_lanes(ref)), "a worker at the experiment", 60)
    before = queries.get_experiment(ref).ended_cells
    admin = Visitor(desk.web, patience=60)
    admin.sign_in("admin", desk.password("admin"))
    new = admin.upload(project.id, receipt)
    at = f"/workflows/projects/{project.id}"
    admin.post(f"{at}/test-sets/new/", {"name": "Reviewed documents", "most": "9"})
    admin.post(f"{at}/thresholds/collect/", {})
    wait_for(lambda: not is_being_filled(testset), "a test set that a worker has looked at", 120)
    wait_for(lambda: not collecting.find_collecting(DEFAULT_SITE, project.id).is_under_way, "collected reviews", 120)
    wait_for(lambda: is_read(new), "a document that is read beside the experiment", 120)
    head = queries.get_experiment(ref)
    assert head.status == "running"
    assert head.ended_cells - before < head.total // 2  # a short receipt takes the model a few seconds
    wait_for(lambda: queries.get_experiment(ref).ended_cells > before, "an answer", 600)


def is_being_filled(other: SetRef) -> bool:
    rows = testset_queries.list_test_sets(DEFAULT_SITE, other.project_id).rows
    return next(one.is_building for one in rows if one.testset_id != other.testset_id)


def draw_receipt(path: Path) -> Path:
    sheet = Sheet(300, 200)
    sheet.text(20, 40, "CAFE LUNA", size=14)
    sheet.text(20, 80, "Total 12.50 EUR", size=14)
    return save([sheet], path)

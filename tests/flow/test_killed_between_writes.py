"""kill -9 between each two writes of a decision, from the corrections (T0) to the advance (T4), on each broker.

A gate counts what one process writes about a review and holds the nth write; the process is killed there and started
again. Whatever n is, the decision is applied once. n grows until nothing is left to hold.
"""

import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from random import Random

import pytest
from django.conf import settings

from config.table import DEFAULT_SITE
from projects.audit.events import Actor
from projects.settings.defaults import ensure_default_project
from review import queries as review_queries
from review.identity import ReviewRef
from review.status import ReviewStatus
from tests.commands.desk import overrides
from tests.engines import KINDS, PREFIX, URLS, EngineKind, forget, require
from tests.factories import ref_of, review_of
from tests.flow import gate as gates
from tests.flow.faulty_gates import Answer, operation_of
from tests.flow.gate import Gate
from tests.flow.processes import LiveDesk, account, looking_at, prepare, wait_for
from tests.flow.protocol import assert_applied_once
from tests.flow.test_engine_processes import BRISK
from tests.flow.visitor import Visitor
from tests.generated.small import UNSURE, papers
from workflows.runs import queries
from workflows.runs.items import Run

pytestmark = [pytest.mark.slow, pytest.mark.processes]
ANSWERS = {"total": "29.53"}
MOST = 12  # writes that one process may have about one decision
WRITES = {"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem", "SendTaskSuccess", "PutEvents"}


@dataclass
class WriteGate(Gate):
    """Holds the ``at``-th write that names one of ``about``; 0: counts only."""

    about: tuple[str, ...] = ()
    at: int = 0
    seen: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def watch(self, *about: str, at: int) -> None:
        with self.lock:
            self.about, self.at, self.seen = about, at, []
            self.held.clear()

    def pass_on(self, request: BaseHTTPRequestHandler, body: bytes) -> Answer | None:
        with self.lock:
            if self._is_watched(request, body):
                self.seen.append(operation_of(request) or f"{request.command} object")
                if len(self.seen) == self.at:
                    self.held.set()
                    return None
        return self.forward(request, body)

    def _is_watched(self, request: BaseHTTPRequestHandler, body: bytes) -> bool:
        operation = operation_of(request)
        if operation not in WRITES and not (request.command == "PUT" and "/decisions/" in request.path):
            return False
        text = request.path + body.decode(errors="replace")
        return any(one in text for one in self.about)


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LiveDesk]:
    """Up but for its web server and the worker of the desk's queue."""
    kind: EngineKind = request.param
    prefix, chosen = f"{PREFIX}processes-", dict[str, str]()
    if kind.by_messages:
        require(kind.broker)
        chosen = {
            "COUNTERSIGN_ENGINE": "celery",
            "COUNTERSIGN_BROKER_URL": URLS[kind.broker],
            "COUNTERSIGN_BROKER_PREFIX": prefix,
        }
    prepare(tmp_path / "prepared", **account(), **chosen)
    desk = LiveDesk(tmp_path / "prepared", tmp_path / "desk", **chosen, **overrides(**BRISK))
    try:
        desk.start_emulator()
        desk.start_sweeper()
        desk.start_worker("steps", f"{settings.STEPS_QUEUE},{settings.SLICES_QUEUE}")
        with looking_at(desk):
            yield desk
    finally:
        desk.stop()
        if kind.by_messages:
            forget(kind.broker, prefix)


def waiting(rosa: Visitor, folder: Path, number: int) -> tuple[Run, ReviewRef]:
    project = ensure_default_project(DEFAULT_SITE, by=Actor("test", "Test"))
    (paper,) = papers(folder / str(number), [UNSURE], Random(number))
    run = rosa.upload(project.id, paper.path)
    wait_for(lambda: run.document_id in waiting_ids(), "a review", 60)
    return run, ref_of(run)


def waiting_ids() -> set[str]:
    return {row.document_id for row in review_queries.list_queue(DEFAULT_SITE).rows}


@dataclass
class Killing:
    """One process of the desk behind a gate, killed before the nth write of a decision, for every n."""

    desk: LiveDesk
    rosa: Visitor
    process: str
    gate: WriteGate
    folder: Path
    killed_before: list[str] = field(default_factory=list)

    def start(self) -> None:
        through = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.gate.port}"}
        if self.process == "web":
            bind = f"127.0.0.1:{self.desk.env['COUNTERSIGN_PORT']}"
            arguments = ("gunicorn", "config.wsgi", "-b", bind, "-k", "gthread", "--threads", "4")
            self.desk.start("web", *arguments, **through)
            wait_for(self.rosa.is_answered, "the web server", 60)
        else:
            self.desk.start_worker("desk", settings.DESK_QUEUE, **through)

    def kill_before_each(self) -> None:
        for number in range(1, MOST):
            if not self.is_killed_before(number):
                return
        raise AssertionError(f"writes without an end: {self.killed_before}")

    def is_killed_before(self, number: int) -> bool:
        run, ref = waiting(self.rosa, self.folder / self.process, number)
        page = self.rosa.claim(ref)
        self.gate.watch(ref.review_id, run.workflow_id, at=number)
        deciding = threading.Thread(target=decide_and_be_cut_off, args=(self.rosa, ref, page))
        deciding.start()
        through = {ReviewStatus.APPLIED} | ({ReviewStatus.DECIDED} if self.process == "web" else set())
        wait_for(lambda: self.gate.held.is_set() or review_of(ref).status in through, "held, or through", 120)
        killed = self.gate.held.is_set()
        if killed:
            self.killed_before.append(self.gate.seen[-1])
            self.desk.kill(self.process)
        self.gate.watch(at=0)
        deciding.join()
        if killed:
            self.start()
        # As one does whose page did not load; told twice, it is the same decision.
        assert self.rosa.decide(ref, page, **ANSWERS) == 200
        assert_ends_applied(run, ref, f"{self.process} was killed before write {number}")
        return killed


def decide_and_be_cut_off(rosa: Visitor, ref: ReviewRef, page: str) -> None:
    with suppress(OSError):
        rosa.decide(ref, page, **ANSWERS)


def assert_ends_applied(run: Run, ref: ReviewRef, what: str) -> None:
    wait_for(lambda: review_of(ref).status == ReviewStatus.APPLIED, f"applied after {what}", 120)
    wait_for(lambda: queries.execution(run).outcome == "published", f"published after {what}", 120)
    assert_applied_once(run, ref)


@pytest.mark.timeout(900)
def test_a_decision_is_applied_once_wherever_a_process_was_killed(desk: LiveDesk, tmp_path: Path) -> None:
    rosa = Visitor(desk.web, patience=60)
    with gates.opened(int(desk.port), WriteGate) as web_gate, gates.opened(int(desk.port), WriteGate) as desk_gate:
        web = Killing(desk, rosa, "web", web_gate, tmp_path)
        worker = Killing(desk, rosa, "desk", desk_gate, tmp_path)
        web.start()
        worker.start()
        rosa.sign_in("rosa", desk.password("rosa"))
        web.kill_before_each()
        worker.kill_before_each()
    print(f"\nkilled before each of: web {web.killed_before}; worker {worker.killed_before}")
    assert web.killed_before[:2] == ["PUT object", "TransactWriteItems"]
    assert len(worker.killed_before) >= 3

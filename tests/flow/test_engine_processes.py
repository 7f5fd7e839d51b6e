"""The celery engine with real processes and real brokers: workers are killed in a step and around a decision."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from review.status import ReviewStatus
from tests.commands.desk import overrides
from tests.engines import KINDS, PREFIX, URLS, forget, require
from tests.factories import review_of
from tests.flow.processes import LiveDesk, account, looking_at, prepare, wait_for
from tests.flow.protocol import assert_applied_once
from tests.flow.test_processes import ANSWERS, signed_in, three_waiting
from tests.flow.visitor import Visitor
from workflows.runs import queries
from workflows.runs.items import Execution

pytestmark = [pytest.mark.slow, pytest.mark.processes]

BRISK: dict[str, int | str] = {
    "SWEEP_SECONDS": 2,
    "RUN_CHECK_SECONDS": 4,
    "REVIEW_UNDO_SECONDS": 1,
    "STEP_LEASE_SECONDS": 6,
    "QUEUE_VISIBILITY_SECONDS": 12,
    "MESSAGE_LOST_SECONDS": 30,
}


@pytest.fixture(params=KINDS[1:], ids=lambda kind: kind.name)
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LiveDesk]:
    """Up but for its workers."""
    broker = request.param.broker
    require(broker)
    prefix = f"{PREFIX}processes-"
    chosen = {
        "COUNTERSIGN_ENGINE": "celery",
        "COUNTERSIGN_BROKER_URL": URLS[broker],
        "COUNTERSIGN_BROKER_PREFIX": prefix,
    }
    prepare(tmp_path / "prepared", **account(), **chosen)
    desk = LiveDesk(tmp_path / "prepared", tmp_path / "desk", **chosen, **overrides(**BRISK))
    try:
        desk.start_emulator()
        desk.start_web()
        desk.start_sweeper()
        with looking_at(desk):
            yield desk
    finally:
        desk.stop()
        forget(broker, prefix)


def start_workers(desk: LiveDesk) -> None:
    desk.start_worker("steps", f"{settings.STEPS_QUEUE},{settings.SLICES_QUEUE}")
    desk.start_worker("desk", settings.DESK_QUEUE)


def is_worked_on() -> bool:
    runs = queries.executions("default", "document-analysis").rows
    return any(Execution.load(row.key).lease_owner for row in runs)


@pytest.mark.timeout(300)
def test_killed_workers_lose_no_run_and_no_decision(desk: LiveDesk) -> None:
    rosa: Visitor = signed_in(desk)
    start_workers(desk)

    def kill_at_work() -> None:
        wait_for(is_worked_on, "a step under way", 60)
        desk.kill("steps")
        desk.start_worker("steps", f"{settings.STEPS_QUEUE},{settings.SLICES_QUEUE}")

    waiting = three_waiting(rosa, meanwhile=kill_at_work)
    (run, ref), (later, later_ref) = waiting[:2]
    page, later_page = rosa.claim(ref), rosa.claim(later_ref)
    desk.kill("desk")
    assert rosa.decide(ref, page, **ANSWERS) == 200  # while no worker lives
    desk.start_worker("desk", settings.DESK_QUEUE)
    wait_for(lambda: review_of(ref).status == ReviewStatus.APPLIED, "the decision is applied", 90)
    assert rosa.decide(later_ref, later_page, **ANSWERS) == 200
    desk.kill("steps")
    wait_for(lambda: review_of(later_ref).status == ReviewStatus.APPLIED, "the other is applied", 90)
    desk.start_worker("steps", f"{settings.STEPS_QUEUE},{settings.SLICES_QUEUE}")
    wait_for(lambda: all(queries.execution(one).outcome for one in (run, later)), "both published", 120)
    for one, its in waiting[:2]:
        assert_applied_once(one, its)
    assert review_of(waiting[2][1]).status == ReviewStatus.PENDING
    assert {queries.execution(one).engine for one, _ in waiting} == {"celery"}

"""Real workers that take nothing end themselves and are started again; those that are busy go on."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from tests.commands.desk import overrides
from tests.flow import own_brokers
from tests.flow.own_brokers import OwnRedis
from tests.flow.processes import LiveDesk, account, looking_at, prepare, wait_for
from tests.flow.test_dying_brokers import done, send
from workflows.operations import workers

pytestmark = [pytest.mark.slow, pytest.mark.processes]

STALLED_SECONDS = 6


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[LiveDesk]:
    """Up but for its workers, on a Redis of its own."""
    own_brokers.require(OwnRedis)
    broker = OwnRedis(tmp_path / "redis")
    broker.start()
    prepare(tmp_path / "prepared", **account(), **broker.variables())
    brisk = overrides(WORKER_STALLED_SECONDS=STALLED_SECONDS)
    desk = LiveDesk(tmp_path / "prepared", tmp_path / "desk", **broker.variables(), **brisk)
    try:
        desk.start_emulator()
        with looking_at(desk):
            yield desk
    finally:
        desk.stop()
        broker.kill()


def restarts(desk: LiveDesk) -> list[str]:
    return [line for line in desk.log("tended").read_text().splitlines() if "restarting" in line]


@pytest.mark.timeout(300)
def test_deaf_workers_end_themselves_and_are_started_again(desk: LiveDesk) -> None:
    desk.start("tended", "tests.flow.tended", "tests.flow.deaf")
    wait_for(lambda: len(list(desk.state.glob("deaf-*"))) == len(settings.QUEUE_URLS), "deaf workers", 120)
    send(desk, "unheard", each=2)
    wait_for(lambda: len(done(desk)) == 2 * len(settings.QUEUE_URLS), "all work", 150)
    assert set(done(desk).values()) == {1}
    ended = {line.split()[0] for line in restarts(desk) if "exited with code 1;" in line}
    assert ended == {f"worker-{name}" for name in ("steps", "slices", "desk", "sweep", "experiments", "search")}
    assert len(restarts(desk)) == len(ended)
    for name in ended:
        assert [one["level"] for one in desk.logged(name) if one["message"] == "worker stands still, ends itself"] == [
            "error"
        ]
    assert {one.queue: one.stalls for one in workers.list_stalls()} == dict.fromkeys(settings.QUEUE_URLS, 1)


@pytest.mark.timeout(300)
def test_workers_that_are_busy_for_longer_are_left_alone(desk: LiveDesk) -> None:
    desk.start("tended", "tests.flow.tended", "tests.flow.noting")
    send(desk, "first", each=1)
    wait_for(lambda: len(done(desk)) == len(settings.QUEUE_URLS), "workers that work", 120)
    (desk.state / "slow").touch()  # each has one that takes long, and one that waits
    send(desk, "busy", each=2)
    time.sleep(STALLED_SECONDS * 4)
    assert len(done(desk)) == len(settings.QUEUE_URLS)
    (desk.state / "slow").unlink()
    wait_for(lambda: len(done(desk)) == 3 * len(settings.QUEUE_URLS), "all work", 60)
    assert restarts(desk) == []
    assert workers.list_stalls() == []

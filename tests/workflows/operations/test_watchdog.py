"""When a worker counts as one that stands still, and how it ends itself."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, cast
from unittest import mock

import pytest
from celery.worker import state
from django.conf import settings

from config import clock
from config.brokers import queues
from config.celery import app
from tests.engines import KINDS, EngineKind, running_on
from workflows.operations import desk_state, watchdog, workers
from workflows.operations.watchdog import Watch, Watchdog
from workflows.operations.workers import Pulse


def looks(count: int, *, watch: Watch | None = None, waiting: int = 1, full: bool = False, turns: bool = True) -> bool:
    """Whether so many in a row, at which nothing was fetched, find that the worker stands still."""
    watch = watch or Watch()
    found = False
    for number in range(count):
        found = watch.look(fetched=0, ticks=number + 1 if turns else 0, is_full=full, count=lambda: waiting)
    return found


def test_a_worker_that_fetches_nothing_while_messages_wait_stands_still_after_six_looks() -> None:
    assert not looks(5)
    assert looks(6)


def test_one_whose_queue_is_empty_does_not() -> None:
    assert not looks(100, waiting=0)


def test_one_whose_slots_are_all_busy_does_not_however_long_it_takes() -> None:
    assert not looks(10_000, full=True)


def test_one_that_is_full_and_whose_event_loop_stands_does_so_later() -> None:
    assert not looks(23, full=True, turns=False)
    assert looks(24, full=True, turns=False)


def test_each_message_begins_the_looks_anew() -> None:
    watch = Watch()
    looks(5, watch=watch)
    assert not watch.look(fetched=1, ticks=9, is_full=False, count=lambda: 1)
    assert not watch.look(fetched=1, ticks=10, is_full=False, count=lambda: 1)


def test_the_broker_is_not_asked_while_the_worker_fetches_or_is_busy() -> None:
    asked: list[int] = []

    def count() -> int:
        asked.append(1)
        return 1

    watch = Watch()
    for number in range(1, 9):
        watch.look(fetched=number, ticks=number, is_full=False, count=count)
        watch.look(fetched=number, ticks=-number, is_full=True, count=count)
    assert asked == []


@pytest.fixture
def worker() -> Iterator[SimpleNamespace]:
    """What the watchdog knows of Celery's: a slot, a loop that runs what it is given, and a pool of one process."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    hub = SimpleNamespace(call_soon=lambda callback: callback())
    pool = SimpleNamespace(num_processes=1, info={"processes": [child.pid]})
    yield SimpleNamespace(hub=hub, pool=pool, child=child)
    child.kill()
    child.wait()


@pytest.fixture
def ended() -> Iterator[list[int]]:
    """Exit codes that the process would have ended with."""
    with mock.patch.object(state, "should_stop", None), mock.patch.object(watchdog, "_LEAVE_SECONDS", 0):
        yield []


@pytest.fixture(params=KINDS, ids=lambda kind: kind.broker)
def broker(request: pytest.FixtureRequest, table: str) -> Iterator[EngineKind]:
    with running_on(request.param):
        yield request.param


def dog(worker: Any, leave: Callable[[int], None]) -> Watchdog:
    consumed = (settings.SEARCH_QUEUE,)
    return Watchdog(worker, consumed, Pulse("search@here", consumed, 1), leave)


def test_it_sees_what_waits_on_each_broker(broker: EngineKind, worker: SimpleNamespace, ended: list[int]) -> None:
    one = dog(worker, ended.append)
    for _ in range(10):
        assert not one.look()
    queues.enqueue("any.task", settings.SEARCH_QUEUE, {})
    assert [one.look() for _ in range(6)] == [False] * 5 + [True]
    one.depth.close()


def test_it_ends_the_worker_with_its_pool_and_tells(
    table: str, worker: SimpleNamespace, ended: list[int], caplog: pytest.LogCaptureFixture
) -> None:
    one = dog(worker, ended.append)
    for _ in range(2):
        queues.enqueue("any.task", settings.SEARCH_QUEUE, {})
    one._end()
    assert (state.should_stop, ended) == (1, [1])
    assert worker.child.wait() == -signal.SIGKILL
    assert "worker stands still, ends itself" in caplog.text
    (row,) = workers.list_stalls()
    assert (row.queue, row.stalls, row.waiting) == (settings.SEARCH_QUEUE, 1, 2)
    (shown,) = [one for one in desk_state.read_state().queues if one.stalls]
    assert (shown.queue, shown.waiting, shown.stalled_waiting) == (settings.SEARCH_QUEUE, 2, 2)


def test_it_writes_signs_of_life_with_what_was_taken_and_how_long_it_had_waited(
    broker: EngineKind, worker: SimpleNamespace, ended: list[int]
) -> None:
    one = dog(worker, ended.append)
    sent = {"countersign_sent": time.time() - 30}
    later = {**sent, "eta": clock.iso(clock.in_seconds(-5))}  # a retry that was to wait
    for headers in (sent, later):
        one._note_fetch(SimpleNamespace(message=SimpleNamespace(headers=headers, delivery_info={})))
    one._beat()
    one._beat()
    (row,) = workers.read_known().of_queue(settings.SEARCH_QUEUE)
    assert (row.worker, row.taken, row.rate, row.waited, row.slots) == ("search@here", 2, 0, 0, 1)
    one._note_fetch(SimpleNamespace(message=SimpleNamespace(headers=sent, delivery_info={})))
    one._beat()
    (row,) = workers.read_known().of_queue(settings.SEARCH_QUEUE)
    assert (row.taken, row.rate, row.is_alive) == (3, 1, True)
    assert 30 <= float(row.waited) < 60
    one.pulse.end()
    assert workers.read_known().of_queue(settings.SEARCH_QUEUE) == []


class Imports:
    """A heartbeat that has a lock as long as it lasts, as the first one has those of what it imports."""

    def __init__(self) -> None:
        self.lock, self.begun = threading.Lock(), threading.Event()

    def beat(self, **_: Any) -> None:
        with self.lock:
            self.begun.set()
            time.sleep(0.3)

    def end(self) -> None:
        pass


def forked_child_gets(lock: threading.Lock) -> bool:
    child = os.fork()
    if child == 0:
        os._exit(0 if lock.acquire(timeout=2) else 1)
    return os.waitpid(child, 0)[1] == 0


def test_a_child_forked_during_a_heartbeat_inherits_no_lock_of_it(worker: SimpleNamespace, ended: list[int]) -> None:
    one, beat = dog(worker, ended.append), Imports()
    one.pulse = cast("Pulse", beat)
    one.start()
    assert beat.begun.wait(5)
    assert forked_child_gets(beat.lock)
    one.stop()


def test_a_heartbeat_that_does_not_end_delays_a_fork_only_so_long(worker: SimpleNamespace, ended: list[int]) -> None:
    one = dog(worker, ended.append)
    with mock.patch.object(watchdog, "_FORK_WAITS", 0.05), one.calling:
        one._begin_fork()
        one._end_fork()
        assert one.calling.locked()


@pytest.mark.wide
def test_a_broker_that_does_not_answer_is_no_reason_to_end(worker: SimpleNamespace, ended: list[int]) -> None:
    with running_on(KINDS[1]):
        one, nobody = dog(worker, ended.append), app.connection("redis://127.0.0.1:1/0")
        with mock.patch.object(app, "connection_for_read", return_value=nobody):
            assert not any(one.look() for _ in range(10))


def test_every_worker_has_one() -> None:
    assert "workflows.operations.watchdog:Step" in app.steps["worker"]

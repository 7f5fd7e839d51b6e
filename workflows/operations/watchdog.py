"""A worker that takes nothing although a queue of its is not empty ends itself; whoever started it starts it again.

Celery gives a lost connection up and makes another, but in several of its versions a worker came out of that alive and
deaf: nothing was logged, and its queue grew. So a thread beside the event loop looks every few seconds at the queues.
"""

import contextlib
import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from celery import bootsteps, signals
from celery.worker import state
from django.conf import settings

from config import logs
from config.brokers import envelope, sqs
from config.brokers.queues import Depth
from config.errors import CountersignError
from workflows.operations import workers
from workflows.operations.workers import Pulse

log = logging.getLogger(__name__)

_LOOKS = 6  # within ``WORKER_STALLED_SECONDS``: a machine that slept for an hour has looked once
_BLOCKED_TIMES = 4  # as long, before a full worker is ended whose event loop stands: it may wait to connect again
_LEAVE_SECONDS = 10.0  # for the worker's own way to end
_FAILED = 1  # the exit code: systemd restarts on it too


@dataclass
class Watch:
    """What a row of looks has seen."""

    most: int = _LOOKS
    idle: int = 0  # looks in a row at which work waited, and a slot of the worker was free
    blocked: int = 0  # looks in a row at which work waited, and the event loop had not moved
    fetched: int = 0
    ticks: int = 0

    def look(self, *, fetched: int, ticks: int, is_full: bool, count: Callable[[], int]) -> bool:
        """Return True if the worker stands still.

        ``fetched`` and ``ticks``: how much was taken from the broker, and how often the event loop went round, since
        the worker began. ``count``: of messages that no worker has, asked only if it matters.
        """
        moved, turned = fetched != self.fetched, ticks != self.ticks
        self.fetched, self.ticks = fetched, ticks
        waits = not moved and not (is_full and turned) and count() > 0
        self.idle = self.idle + 1 if waits and not is_full else 0
        self.blocked = self.blocked + 1 if waits and not turned else 0
        return self.idle >= self.most or self.blocked >= self.most * _BLOCKED_TIMES

    @property
    def loop_stands(self) -> bool:
        return self.blocked >= self.most


@dataclass
class Watchdog:
    """Looks from a thread of its own at a worker, Celery's ``WorkController``, and writes its signs of life."""

    worker: Any
    queues: tuple[str, ...]
    pulse: Pulse
    leave: Callable[[int], None] = os._exit
    over: threading.Event = field(default_factory=threading.Event)
    watch: Watch = field(default_factory=Watch)
    depth: Depth = field(default_factory=Depth)
    fetched: int = 0
    ticks: int = 0
    waited: float = 0.0  # seconds, the longest of what was taken since the last sign of life

    def start(self) -> None:
        signals.task_received.connect(self._note_fetch)
        threading.Thread(target=self._run, name="watchdog", daemon=True).start()

    def stop(self) -> None:
        self.over.set()

    def _note_fetch(self, request: Any = None, **_: Any) -> None:
        self.fetched += 1
        message: Any = getattr(request, "message", None)
        if message is not None:
            waited = envelope.waited_seconds(message.headers or {}, message.delivery_info or {}, time.time())
            self.waited = max(self.waited, waited or 0.0)

    def _note_tick(self) -> None:
        self.ticks += 1

    def _run(self) -> None:
        self._beat()
        beat_at = time.monotonic() + workers.BEAT_SECONDS
        while not self.over.wait(settings.WORKER_STALLED_SECONDS / _LOOKS):
            if time.monotonic() >= beat_at:
                self._beat()
                beat_at = time.monotonic() + workers.BEAT_SECONDS
            if self.look() and not self._is_ending():
                self._end()
                return
        with contextlib.suppress(CountersignError):
            self.pulse.end()

    def _beat(self) -> None:
        waited, self.waited = self.waited, 0.0
        try:
            self.pulse.beat(taken=self.fetched, waited=waited, busy=len(state.active_requests))
        except CountersignError as error:
            log.warning("sign of life was not written", extra={"error": logs.place_of(error)})

    def look(self) -> bool:
        stalled = self.watch.look(
            fetched=self.fetched + sqs.answered_polls(),
            ticks=self.ticks,
            is_full=self._is_full(),
            count=lambda: sum(self._count().values()),
        )
        if self.worker.hub:
            self.worker.hub.call_soon(self._note_tick)
        return stalled

    def _count(self) -> dict[str, int]:
        """Empty while the broker does not answer: then there is nothing that a worker could take."""
        try:
            return self.depth.count(self.queues)
        except CountersignError:
            return {}

    def _is_full(self) -> bool:
        return len(state.active_requests) >= int(self.worker.pool.num_processes)

    def _is_ending(self) -> bool:
        return self.over.is_set() or state.should_stop is not None or state.should_terminate is not None

    def _end(self) -> None:
        waiting = {queue: messages for queue, messages in self._count().items() if messages}
        log.error("worker stands still, ends itself", extra={"queues": list(waiting), "waiting": sum(waiting.values())})
        try:
            workers.record_stall(waiting)
        except CountersignError as error:
            log.warning("nobody was told of it", extra={"error": logs.place_of(error)})
        celery: Any = state
        celery.should_stop = _FAILED  # the event loop ends the worker in order, after what is under way
        while state.active_requests and not self.watch.loop_stands:
            time.sleep(1)
        time.sleep(_LEAVE_SECONDS)
        for child in self.worker.pool.info.get("processes", ()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        self.leave(_FAILED)


class Step(bootsteps.StartStopStep):
    """Starts after the pool, whose processes are forked before there is a second thread, and before the event loop."""

    requires = ("celery.worker.components:Pool",)

    def create(self, worker: Any) -> Any:
        consumed = worker.app.amqp.queues.consume_from
        queues = tuple(name for name in consumed if name in settings.QUEUE_URLS)
        return Watchdog(worker, queues, Pulse(worker.hostname, queues, int(worker.concurrency or 1)))

    def close(self, _worker: Any) -> None:
        """The worker ends in order, and takes nothing more."""
        self.obj.stop()

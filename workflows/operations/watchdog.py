"""The watchdog of a worker: ends it if it takes nothing from a non-empty queue, so that its supervisor restarts it.

Celery reconnects after a lost connection, but in several of its versions a worker survived that without consuming:
nothing was logged, and its queue grew. So a thread beside the event loop checks the queues every few seconds.
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

_LOOKS = 6  # checks within ``WORKER_STALLED_SECONDS``: a machine that slept for an hour has checked once
_BLOCKED_TIMES = 4  # times as long, before a busy worker with a blocked event loop is ended: it may be reconnecting
_LEAVE_SECONDS = 10.0  # seconds for a graceful shutdown
_FORK_WAITS = 15.0  # seconds for the watchdog's calls to end; longer only while AWS or the broker does not answer
_FAILED = 1  # the exit code: systemd restarts on it too


@dataclass
class Watch:
    """The state of consecutive checks."""

    most: int = _LOOKS
    idle: int = 0  # consecutive checks at which work waited and the worker had a free slot
    blocked: int = 0  # consecutive checks at which work waited and the event loop had not moved
    fetched: int = 0
    ticks: int = 0

    def look(self, *, fetched: int, ticks: int, is_full: bool, count: Callable[[], int]) -> bool:
        """Return True if the worker is stalled.

        ``fetched`` and ``ticks``: messages taken from the broker, and iterations of the event loop, since the worker
        began. ``count``: returns the number of waiting messages, called only if it matters.
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
    """Watches a worker, Celery's ``WorkController``, from its own thread, and writes its heartbeats."""

    worker: Any
    queues: tuple[str, ...]
    pulse: Pulse
    leave: Callable[[int], None] = os._exit
    over: threading.Event = field(default_factory=threading.Event)
    watch: Watch = field(default_factory=Watch)
    depth: Depth = field(default_factory=Depth)
    fetched: int = 0
    ticks: int = 0
    waited: float = 0.0  # seconds, the longest wait of messages taken since the last heartbeat
    # Held while this thread makes calls. The pool forks whenever a child ends, and a fork amid a call leaves the new
    # child with locks that nobody releases: OpenSSL's, as the first heartbeat built its client. The child stood still.
    calling: threading.Lock = field(default_factory=threading.Lock)
    fork_waits: bool = False

    def start(self) -> None:
        os.register_at_fork(before=self._begin_fork, after_in_parent=self._end_fork, after_in_child=self._end_fork)
        signals.task_received.connect(self._note_fetch)
        threading.Thread(target=self._run, name="watchdog", daemon=True).start()

    def stop(self) -> None:
        self.over.set()

    def _begin_fork(self) -> None:
        self.fork_waits = self.calling.acquire(timeout=_FORK_WAITS)

    def _end_fork(self) -> None:
        if self.fork_waits:
            self.calling.release()

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
        with contextlib.suppress(CountersignError), self.calling:
            self.pulse.end()

    def _beat(self) -> None:
        waited, self.waited = self.waited, 0.0
        try:
            with self.calling:
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
        """Return an empty mapping while the broker does not answer: then there is nothing to take."""
        try:
            with self.calling:
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
            with self.calling:
                workers.record_stall(waiting)
        except CountersignError as error:
            log.warning("nobody was told of it", extra={"error": logs.place_of(error)})
        celery: Any = state
        celery.should_stop = _FAILED  # the event loop shuts the worker down after the current work
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
        """Called when the worker shuts down and takes no more messages."""
        self.obj.stop()

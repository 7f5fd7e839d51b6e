"""The product's own actions at an earlier time: a clock that is behind, and messages that stay in this process.

What is made so is made by the same code as everything else, so counters, audit, timelines and files agree. It needs the
engine of messages; whatever drives the desk beside it goes on undisturbed.
"""

import datetime as dt
import heapq
import itertools
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

from celery.exceptions import Retry
from django.conf import settings
from ulid import ULID

from config import clock, table
from config.brokers import queues
from config.celery import app
from workflows.runs import new_run
from workflows.runs.items import StepStatus, WorkflowSteps

_TRIES = 5
_CHECK_SECONDS = 600  # on a busy machine a step takes longer than the sweeper waits, which would go on with it today
_real_now, _real_due_index, _real_due_later = clock.now, table.due_index, table.due_later
_real_board = new_run._board


@dataclass
class Past:
    """``back``: how far this process's clock is behind; ``waiting``: messages by the time when they may run."""

    back: dt.timedelta = dt.timedelta()
    waiting: list[tuple[dt.datetime, int, str, dict[str, Any]]] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def now(self) -> dt.datetime:
        return _real_now() - self.back

    def go_to(self, moment: dt.datetime) -> None:
        self.back = _real_now() - moment

    def go_on(self, seconds: float) -> None:
        self.back -= dt.timedelta(seconds=seconds)

    def enqueue(self, task: str, _queue: str, kwargs: Mapping[str, Any], *, delay: float = 0) -> bool:
        at = self.now() + dt.timedelta(seconds=delay)
        heapq.heappush(self.waiting, (at, next(self.numbers), task, dict(kwargs)))
        return True

    def work(self) -> None:
        """Run all messages; one whose time has not come moves the clock on."""
        while self.waiting:
            at, _, task, kwargs = heapq.heappop(self.waiting)
            if at > self.now():
                self.go_to(at)
            self._run(task, kwargs)

    def _run(self, task: str, kwargs: dict[str, Any]) -> None:
        for retries in range(_TRIES):
            with suppress(Retry):
                app.tasks[task].apply(kwargs=kwargs, task_id=str(ULID()), retries=retries, throw=True)
                return

    def _ulid(self) -> ULID:
        return ULID.from_datetime(self.now())

    def _ulid_after(self, last: str | None) -> str:
        fresh = str(self._ulid())
        return fresh if last is None or fresh > last else str(ULID.from_int(int(ULID.from_str(last)) + 1))

    def _present(self, at: str) -> str:
        """When the sweeper is to look: it lives in the present, and would mend what is under way here."""
        return clock.iso(clock.parse(at) + self.back)


def _board_unlisted(*told: Any) -> WorkflowSteps:
    """Keep a run out of the list of those in progress: begun days ago, it would be shown as stuck until it ends."""
    board = _real_board(*told)
    board.GSI1SK = StepStatus.PENDING
    return board


@contextmanager
def past() -> Iterator[Past]:
    app.loader.import_default_modules()
    one = Past()
    with ExitStack() as stack:
        for where, name, other in (
            (clock, "now", one.now),
            (clock, "new_ulid", lambda: str(one._ulid())),
            (clock, "ulid_after", one._ulid_after),
            (queues, "enqueue", one.enqueue),
            (queues, "enqueue_soon", one.enqueue),
            (table, "due_index", lambda entity, at, **parts: _real_due_index(entity, one._present(at), **parts)),
            (new_run, "_board", _board_unlisted),
            (table, "due_later", lambda place, at: _real_due_later(place, one._present(at))),
            (settings, "RUN_CHECK_SECONDS", _CHECK_SECONDS),
        ):
            stack.enter_context(mock.patch.object(where, name, other))
        yield one

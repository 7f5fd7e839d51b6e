"""Which engine attempt drives a run, and when someone looks whether it still lives."""

import datetime as dt
from contextlib import suppress

from django.conf import settings

from config import clock
from config.due import actions as due_work
from config.errors import Conflict
from config.transaction import Update, transact
from workflows.definitions.blueprint import Definition
from workflows.runs import events
from workflows.runs.actions import advance
from workflows.runs.items import Execution, Run, RunStatus


def begin_next(run: Run, *, attempt: int, why: str, definition: Definition | None = None) -> int:
    """Make ``attempt + 1`` the run's driver, before its execution is started; the old one changes nothing any more.

    Raises:
        Conflict: another repair was first, or the run has ended.

    """
    check_at = clock.iso(clock.in_seconds(settings.RUN_CHECK_SECONDS))
    change = Update(
        advance.execution_key(run),
        [
            *advance.begin_attempt(attempt + 1),
            *due_work.postpone_actions(Execution, check_at, execution_id=run.workflow_id),
            *due_work.release_actions(),
            Execution.updatedAt.set(clock.iso(clock.now())),
        ],
        (Execution.engine_attempt == attempt) & (Execution.status == RunStatus.RUNNING),
    )
    facts, trace = {"attempt": attempt + 1, "why": why}, events.of_next_attempt(run, definition, attempt + 1)
    transact([change], events.lineage(run, "RUN_RESTARTED", facts=facts, trace=trace))
    return attempt + 1


def mark_stopped(run: Run, *, attempt: int) -> None:
    """What an engine that remembers nothing is told of. Raises: Conflict if the attempt drives the run no more."""
    drives = (Execution.engine_attempt == attempt) & (Execution.status == RunStatus.RUNNING)
    Execution.change(advance.execution_key(run), [Execution.stopped.set(attempt)], drives)


def mark_handed(run: Run, *, transition: str) -> None:
    """What follows ``transition`` was ordered: who comes with its answer once more need not do it again.

    Raises:
        Conflict: the run has moved on meanwhile, which says the same.

    """
    last = Execution.last_transition == transition
    Execution.change(advance.execution_key(run), [Execution.handed.set(transition)], last)


def check_again(execution: Execution, *, at: dt.datetime) -> None:
    """Move the run's place in the due index on, unless something else has moved it meanwhile."""
    with suppress(Conflict):
        due_work.postpone(execution, at=clock.iso(at))

"""Writes of the engine: attempts, leases, and steps that are given back while an outside service works."""

import datetime as dt
import json
from contextlib import suppress

from django.conf import settings

from config import clock
from config.due import actions as due_work
from config.errors import Conflict
from config.transaction import EXISTS, Update, transact
from workflows.definitions.blueprint import Definition, StepDefinition
from workflows.runs import events
from workflows.runs.actions import advance
from workflows.runs.events import Trace
from workflows.runs.items import Execution, Run, RunStatus, WorkflowSteps


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


def check_run_again(execution: Execution, *, at: dt.datetime) -> None:
    """Move the run's place in the due index on, unless something else has moved it meanwhile."""
    with suppress(Conflict):
        due_work.postpone(execution, at=clock.iso(at))


def begin_external_job(
    run: Run, step: StepDefinition, *, attempt: int, owner: str, job: str, service: str, why: str, until: str
) -> None:  # fmt: skip
    """Remember the job, give the step back, and show on the board whom it waits for; ``why`` if no one answers.

    ``until``: when it is looked at again. No one has the step until then, and no one takes it for lost.

    Raises:
        Conflict: another worker has the step, or the run moved on; its job is the same, as it has the same token.

    """
    board = WorkflowSteps.data[step.name]
    changes = [
        Update(
            advance.execution_key(run),
            [Execution.job.set(job), Execution.lease_owner.remove(), Execution.lease_until.set(until)],
            advance.drives(attempt, step.order) & (Execution.lease_owner == owner),
        ),
        Update(
            advance.board_key(run),
            [
                board["waits_for"].set(service),
                board["waits_since"].set(clock.iso(clock.now())),
                board["waits_why"].set(why) if why else board["waits_why"].remove(),
                WorkflowSteps.updated_at.set(clock.iso(clock.now())),
            ],
            EXISTS,
        ),
    ]
    facts = {"service": service} | ({"reason": why} if why else {})
    trace = Trace(job_id=str(json.loads(job).get("id") or ""), retry_count=attempt - 1)
    transact(changes, events.lineage(run, f"{step.name.upper()}_WAITS", facts=facts, trace=trace))


def describe_external_job(run: Run, step: str, *, service: str, why: str) -> None:
    """Show on the board whom a step's slices wait for. Raises: Conflict if the run is gone."""
    board = WorkflowSteps.data[step]
    said = [board["waits_for"].set(service), board["waits_why"].set(why)]
    WorkflowSteps.change(advance.board_key(run), [*said, WorkflowSteps.updated_at.set(clock.iso(clock.now()))], EXISTS)


def keep_external_job(run: Run, *, step: int, attempt: int, owner: str, until: str) -> None:
    """Give the step back; everything else is known. Raises: Conflict if another worker has it."""
    gone = [Execution.lease_owner.remove(), Execution.lease_until.set(until)]
    mine = advance.drives(attempt, step) & (Execution.lease_owner == owner)
    Execution.change(advance.execution_key(run), gone, mine)


def claim_step(run: Run, *, step: int, attempt: int, owner: str) -> Execution:
    """Take the step's lease; the same owner may take it again (its message came back).

    Raises:
        Conflict: another worker holds it, or the run is no longer at this step and attempt.

    """
    may = advance.drives(attempt, step) & due_work.lease_is_free(owner)
    return Execution.change(advance.execution_key(run), due_work.lease_actions(owner, due_work.lease_end()), may)


def release_step(run: Run, *, owner: str) -> None:
    """Give the step back before it is done: whoever finishes it claims it anew. Harmless where it was lost."""
    try:
        Execution.change(advance.execution_key(run), due_work.release_actions(), Execution.lease_owner == owner)
    except Conflict:
        return


def renew_step(run: Run, *, owner: str) -> None:
    """A worker's heartbeat. Raises: Conflict if the lease was lost: the work must stop."""
    prolong = Execution.lease_until.set(due_work.lease_end())
    Execution.change(advance.execution_key(run), [prolong], Execution.lease_owner == owner)

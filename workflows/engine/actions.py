"""Writes of the engine: attempts, leases, and steps that wait for an external job."""

import datetime as dt
import json
from collections.abc import Sequence
from contextlib import suppress

from django.conf import settings
from pynamodb.expressions.update import Action

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
    """Make ``attempt + 1`` the run's driver before its execution starts; the previous attempt can change nothing.

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
    """Record that an attempt was stopped, for an engine without state.

    Raises: Conflict if it no longer drives the run.
    """
    drives = (Execution.engine_attempt == attempt) & (Execution.status == RunStatus.RUNNING)
    Execution.change(advance.execution_key(run), [Execution.stopped.set(attempt)], drives)


def mark_handed(run: Run, *, transition: str) -> None:
    """Record that what follows ``transition`` was ordered, so that a repeated answer does not order it again.

    Raises:
        Conflict: the run has moved on, so what follows was ordered anyway.

    """
    last = Execution.last_transition == transition
    Execution.change(advance.execution_key(run), [Execution.handed.set(transition)], last)


def check_run_again(execution: Execution, *, at: dt.datetime) -> None:
    """Move the run's due time, unless it has been moved meanwhile."""
    with suppress(Conflict):
        due_work.postpone(execution, at=clock.iso(at))


def begin_external_job(
    run: Run, step: StepDefinition, *, attempt: int, owner: str, job: str, service: str, why: str, until: str,
    also: Sequence[Action] = (),
) -> None:  # fmt: skip
    """Store the job, release the step, and show on the board which service it waits for.

    ``why``: the service does not answer. ``until``: when to poll it again. The step has no owner until then and does
    not count as lost.

    Raises:
        Conflict: another worker has the step, or the run moved on; its job is the same, as it has the same token.

    """
    board = WorkflowSteps.data[step.name]
    changes = [
        Update(
            advance.execution_key(run),
            [Execution.job.set(job), Execution.lease_owner.remove(), Execution.lease_until.set(until), *also],
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


def begin_wait(run: Run, step: StepDefinition, *, attempt: int, until: str, look: str) -> None:
    """Store the end of the wait, release the step, and show it on the board. ``look``: when the sweeper checks it.

    Raises:
        Conflict: the run moved on.

    """
    board = WorkflowSteps.data[step.name]
    changes = [
        Update(
            advance.execution_key(run),
            [
                Execution.waits_until.set(until),
                *due_work.release_actions(),
                *due_work.postpone_actions(Execution, look, execution_id=run.workflow_id),
            ],
            advance.drives(attempt, step.order) & Execution.waits_until.does_not_exist(),
        ),
        Update(
            advance.board_key(run),
            [board["waits_until"].set(until), WorkflowSteps.updated_at.set(clock.iso(clock.now()))],
            EXISTS,
        ),
    ]
    trace = Trace(retry_count=attempt - 1)
    transact(changes, events.lineage(run, f"{step.name.upper()}_WAITS", facts={"until": until}, trace=trace))


def describe_external_job(run: Run, step: str, *, service: str, why: str) -> None:
    """Show on the board which service a step's slices wait for. Raises: Conflict if the run is gone."""
    board = WorkflowSteps.data[step]
    said = [board["waits_for"].set(service), board["waits_why"].set(why)]
    WorkflowSteps.change(advance.board_key(run), [*said, WorkflowSteps.updated_at.set(clock.iso(clock.now()))], EXISTS)


def keep_external_job(
    run: Run, *, step: int, attempt: int, owner: str, until: str, also: Sequence[Action] = ()
) -> None:
    """Release the step of a job that is stored already. Raises: Conflict if another worker has it."""
    gone = [Execution.lease_owner.remove(), Execution.lease_until.set(until), *also]
    mine = advance.drives(attempt, step) & (Execution.lease_owner == owner)
    Execution.change(advance.execution_key(run), gone, mine)


def claim_step(run: Run, *, step: int, attempt: int, owner: str) -> Execution:
    """Claim the step's lease. The same owner may claim it again, when its message is redelivered.

    Raises:
        Conflict: another worker holds it, or the run is no longer at this step and attempt.

    """
    may = advance.drives(attempt, step) & due_work.lease_is_free(owner)
    return Execution.change(advance.execution_key(run), due_work.lease_actions(owner, due_work.lease_end()), may)


def release_step(run: Run, *, owner: str) -> None:
    """Release the step before it is done; whoever continues claims it again. Does nothing if the lease was lost."""
    try:
        Execution.change(advance.execution_key(run), due_work.release_actions(), Execution.lease_owner == owner)
    except Conflict:
        return


def renew_step(run: Run, *, owner: str) -> None:
    """Renew the lease. Raises: Conflict if it was lost: the work must stop."""
    prolong = Execution.lease_until.set(due_work.lease_end())
    Execution.change(advance.execution_key(run), [prolong], Execution.lease_owner == owner)

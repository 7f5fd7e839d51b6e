"""A step is given back while someone else works, with what the next worker needs to know."""

import json

from config import clock
from config.transaction import EXISTS, Update, transact
from workflows.definitions.blueprint import StepDefinition
from workflows.runs import events
from workflows.runs.actions import advance
from workflows.runs.events import Trace
from workflows.runs.items import Execution, Run, WorkflowSteps


def begin(
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


def say(run: Run, step: str, *, service: str, why: str) -> None:
    """Show on the board whom a step's slices wait for. Raises: Conflict if the run is gone."""
    board = WorkflowSteps.data[step]
    said = [board["waits_for"].set(service), board["waits_why"].set(why)]
    WorkflowSteps.change(advance.board_key(run), [*said, WorkflowSteps.updated_at.set(clock.iso(clock.now()))], EXISTS)


def still(run: Run, *, step: int, attempt: int, owner: str, until: str) -> None:
    """Give the step back; everything else is known. Raises: Conflict if another worker has it."""
    gone = [Execution.lease_owner.remove(), Execution.lease_until.set(until)]
    mine = advance.drives(attempt, step) & (Execution.lease_owner == owner)
    Execution.change(advance.execution_key(run), gone, mine)

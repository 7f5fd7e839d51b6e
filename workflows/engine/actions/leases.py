"""A worker's claim on a step: taken, kept by heartbeats, gone with the advance or with time."""

from config.due import actions as due_work
from config.errors import Conflict
from workflows.runs.actions import advance
from workflows.runs.items import Execution, Run


def claim(run: Run, *, step: int, attempt: int, owner: str) -> Execution:
    """Take the step's lease; the same owner may take it again (its message came back).

    Raises:
        Conflict: another worker holds it, or the run is no longer at this step and attempt.

    """
    may = advance.drives(attempt, step) & due_work.lease_is_free(owner)
    return Execution.change(advance.execution_key(run), due_work.lease_actions(owner, due_work.lease_end()), may)


def release(run: Run, *, owner: str) -> None:
    """Give the step back before it is done: whoever finishes it claims it anew. Harmless where it was lost."""
    try:
        Execution.change(advance.execution_key(run), due_work.release_actions(), Execution.lease_owner == owner)
    except Conflict:
        return


def renew(run: Run, *, owner: str) -> None:
    """A worker's heartbeat. Raises: Conflict if the lease was lost: the work must stop."""
    prolong = Execution.lease_until.set(due_work.lease_end())
    Execution.change(advance.execution_key(run), [prolong], Execution.lease_owner == owner)

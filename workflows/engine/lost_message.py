"""A message that ended each worker was put aside: what waits for its answer is told, instead of waiting for nobody.

Only machine work. A review's messages are left to the sweeper, so that no decision can end with its worker.
"""

from workflows.engine import fanout, tokens
from workflows.engine.actions import joins
from workflows.engine.step_order import Order
from workflows.runs import queries
from workflows.runs.run import Run

WORKER_LOST = "WorkerLost"
_SENTENCE = "The step ended every worker that began it. The file is safe; look at the workers, then start it again."


def refuse_step(
    *, site: str, project_id: str, document_id: str, workflow_id: str, attempt: int, step: int,
    token: str | None = None, large: bool = False,  # noqa: ARG001 - the task's, wherever it was done
) -> None:  # fmt: skip
    """Nothing where the run has moved on; again is harmless. Raises: Unavailable."""
    order = Order(Run(site, project_id, document_id, workflow_id), step, attempt)
    if fanout.drives(queries.execution(order.run), order):
        tokens.refuse(token, WORKER_LOST, _SENTENCE)


def refuse_slice(
    *, site: str, project_id: str, document_id: str, workflow_id: str, attempt: int, step: int, lane: int,  # noqa: ARG001
    number: int,
) -> None:  # fmt: skip
    """Its stage can never be complete. Nothing where the slice was counted; again is harmless. Raises: Unavailable."""
    order = Order(Run(site, project_id, document_id, workflow_id), step, attempt)
    execution = queries.execution(order.run)
    if not fanout.drives(execution, order):
        return
    stage = queries.definition_of(execution).step(step).name
    join = joins.load(order.run, stage, attempt)
    if join is not None and number not in (join.done or ()):
        fanout.refuse(order, WORKER_LOST, _SENTENCE)

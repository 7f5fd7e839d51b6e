"""Lost messages: those that disappeared silently, and those that killed their worker and became dead letters.

If a token waits for a dead letter, it is failed instead of waiting for ever. Only for machine work: messages of a
review are left to the sweeper, so no decision is lost with its worker.
"""

from django.conf import settings

from config import clock
from config.brokers import queues
from config.phrase import Sentence
from workflows.definitions import states
from workflows.definitions.blueprint import Definition, StepDefinition
from workflows.engine import fanout, joins, tokens
from workflows.engine.step_work import StepOrder
from workflows.runs import queries
from workflows.runs.items import Execution, Run
from workflows.runs.waiting_review import find_waiting_review

WORKER_LOST = "WorkerLost"
_SENTENCE = Sentence(
    "The step crashed every worker that processed it. The file is safe; check the workers, then re-run."
)


def refuse_step(
    *, site: str, project_id: str, document_id: str, workflow_id: str, attempt: int, step: int,
    token: str | None = None, large: bool = False,  # noqa: ARG001 - the task's, wherever it was done
) -> None:  # fmt: skip
    """Fail the step. Does nothing if the run has moved on; idempotent. Raises: Unavailable."""
    order = StepOrder(Run(site, project_id, document_id, workflow_id), step, attempt)
    if fanout.drives(queries.execution(order.run), order):
        tokens.refuse(token, WORKER_LOST, _SENTENCE)


def refuse_slice(
    *, site: str, project_id: str, document_id: str, workflow_id: str, attempt: int, step: int, lane: int,  # noqa: ARG001
    number: int,
) -> None:  # fmt: skip
    """Fail the stage, which can no longer complete. Does nothing if the slice was counted. Raises: Unavailable."""
    order = StepOrder(Run(site, project_id, document_id, workflow_id), step, attempt)
    execution = queries.execution(order.run)
    if not fanout.drives(execution, order):
        return
    stage = queries.definition_of(execution).step(step).name
    join = joins.load(order.run, stage, attempt)
    if join is not None and number not in (join.done or ()):
        fanout.refuse(order, WORKER_LOST, _SENTENCE)


def is_lost(run: Run, execution: Execution, definition: Definition) -> bool:
    """Return True if a run of an engine without state has lost its message, and not only a long queue before it.

    Nothing was heard of it for long although its queue is empty, or for longer than a step may take. A message that a
    worker holds back is delayed for less than ``MESSAGE_LOST_SECONDS``. A second message is harmless, so a false
    positive costs one attempt.

    Raises:
        Unavailable: the broker does not answer.

    """
    step = definition.step(int(execution.currentStep))
    quiet = (clock.now() - clock.parse(max(execution.updatedAt, execution.lease_until or ""))).total_seconds()
    if quiet < settings.MESSAGE_LOST_SECONDS or _has_due_row(run, execution, step):
        return False
    # A large document's step is in the queue of its slices.
    names = (settings.DESK_QUEUE,) if step.type == "approval" else (settings.STEPS_QUEUE, settings.SLICES_QUEUE)
    return quiet > states.step_seconds(definition) or not any(map(queues.count_messages, names))


def _has_due_row(run: Run, execution: Execution, step: StepDefinition) -> bool:
    """Return True if it waits for a review, which has token and deadline, or for slices, whose join is due work."""
    if step.type == "approval":
        return find_waiting_review(run, execution) is not None
    join = joins.load(run, step.name, int(execution.engine_attempt))
    return join is not None and join.is_scheduled

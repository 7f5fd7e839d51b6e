"""Runs whose engine remembers nothing: which of them have lost their message, and which merely wait in a long queue."""

from django.conf import settings

from config import clock
from config.errors import NotFound
from review.identity import ReviewRef, review_id
from review.items.reviews import READABLE, Review
from workflows.definitions import states
from workflows.definitions.blueprint import Definition, StepDefinition
from workflows.engine import message_delivery
from workflows.engine.actions import joins
from workflows.runs.items.runs import Execution
from workflows.runs.run import Run


def is_lost(run: Run, execution: Execution, definition: Definition) -> bool:
    """Nothing has been heard of it for long, though its queue is empty; or for longer than a step may take.

    A message that a worker holds back until its time is away for less than ``MESSAGE_LOST_SECONDS``. A second message
    does no harm, so that a wrong guess costs an attempt and nothing else.

    Raises:
        Unavailable: the broker does not answer.

    """
    step = definition.step(int(execution.currentStep))
    quiet = (clock.now() - clock.parse(max(execution.updatedAt, execution.lease_until or ""))).total_seconds()
    if quiet < settings.MESSAGE_LOST_SECONDS or _is_looked_after(run, execution, step):
        return False
    # A large document's step waits where its slices will.
    queues = (settings.DESK_QUEUE,) if step.type == "approval" else (settings.STEPS_QUEUE, settings.SLICES_QUEUE)
    return quiet > states.step_seconds(definition) or not any(map(message_delivery.waiting, queues))


def _is_looked_after(run: Run, execution: Execution, step: StepDefinition) -> bool:
    """It waits for a person, whose review has token and deadline; or for slices, whose join is in the due index."""
    if step.type == "approval":
        return asked(run, execution) is not None
    join = joins.load(run, step.name, int(execution.engine_attempt))
    return join is not None and join.GSI2PK is not None


def asked(run: Run, execution: Execution) -> Review | None:
    """The review that the run waits at, whatever its status."""
    if not execution.result_sha256:
        return None
    name = review_id(run.workflow_id, int(execution.currentStep), execution.result_sha256)
    try:
        return Review.load(ReviewRef(run.site, run.document_id, name).key, only=READABLE)
    except NotFound:
        return None

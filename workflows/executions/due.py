"""The handler of due executions without a document: checks whether the engine's attempt is alive."""

import logging
from contextlib import suppress

from django.conf import settings

from config import clock
from config.brokers import queues
from config.due import actions as due_work
from config.due.registry import due
from config.errors import Conflict
from config.phrase import Sentence
from workflows.definitions import versions
from workflows.definitions.blueprint import Definition
from workflows.engine import driver, waits
from workflows.executions import actions, approvals, starting
from workflows.executions.items import ExecutionOutcome, InputExecution
from workflows.executions.steps import SYSTEM
from workflows.runs import engine_choice
from workflows.runs.items import RunStatus

log = logging.getLogger(__name__)
_ATTEMPTS = 10  # attempts at one step; then it fails with a reason instead of looping
_TOO_MANY = Sentence("The step did not finish in 10 attempts. Check the workers, then start the execution again.")


@due("execution", InputExecution)
def check_execution(site: str, execution: InputExecution) -> None:
    """Check whether it makes progress; if not, continue with a new attempt. Raises: Conflict, Unavailable.

    Messages can be lost silently: they were, if the queue is empty and no review will answer.
    """
    if execution.status != RunStatus.RUNNING:
        return
    definition, attempt = versions.find_definition(execution.definition), int(execution.engine_attempt)
    if execution.waits_until and execution.engine and execution.engine == engine_choice.choose_engine():
        _end_wait(site, execution, definition, attempt)
        return
    state = driver.state(definition, execution.run_on(site), attempt, kind=execution.engine)
    waits = approvals.is_waiting(site, execution)
    if state == "running" and (driver.remembers(execution.engine) or waits or _is_in_a_queue()):
        _check_again(execution)
    elif state == "missing" and execution.engine == engine_choice.choose_engine():
        # Never started, or forgotten: the same attempt may start under its own name.
        starting.start_attempt(site, execution, definition, attempt=attempt)
        _check_again(execution)
    elif not waits and attempt - int(execution.step_attempt or 1) + 1 >= _ATTEMPTS:
        actions.end_execution(site, execution, ExecutionOutcome.FAILED, _TOO_MANY, attempt=attempt, by=SYSTEM)
    else:
        why = "message was lost" if state == "running" else "engine execution ended"
        following = actions.begin_next_attempt(site, execution, why=why)
        log.warning("execution restarted", extra={"run": execution.executionId, "attempt": following})
        starting.start_attempt(site, execution, definition, attempt=following)


def _end_wait(site: str, execution: InputExecution, definition: Definition, attempt: int) -> None:
    """Order the step of a finished wait again, for engines that cannot wait. Idempotent."""
    until = str(execution.waits_until)
    if waits.seconds_until(until):
        with suppress(Conflict):
            due_work.postpone(execution, at=until)
        return
    _check_again(execution)
    starting.start_attempt(site, execution, definition, attempt=attempt)


def _is_in_a_queue() -> bool:
    return any(queues.count_messages(name) for name in (settings.STEPS_QUEUE, settings.DESK_QUEUE))


def _check_again(execution: InputExecution) -> None:
    with suppress(Conflict):
        due_work.postpone(execution, at=clock.iso(clock.in_seconds(settings.RUN_CHECK_SECONDS)))

"""Celery tasks of executions without a document: a step, and the end of one that cannot continue."""

from celery import shared_task

from config import logs
from config.errors import Conflict, NotFound, StageFailed, StaleAttempt, Unavailable
from config.phrase import Sentence
from workflows.definitions import states
from workflows.engine import tokens
from workflows.executions import actions, queries, steps
from workflows.executions.items import ExecutionOutcome
from workflows.runs.items import Run

_UNEXPECTED = Sentence("The step failed with an unexpected error. Start the execution again.")
_TIMEOUT = Sentence("The step timed out. Start the execution again.")
_EXPIRED = "ReviewExpired"  # the error name that review.handovers.delivery uses
_SENTENCES = {_EXPIRED: Sentence("No one decided before the deadline."), "States.Timeout": _TIMEOUT}


@shared_task(name="workflows.tasks.run_execution_step", time_limit=300)
def run_execution_step(
    *, site: str, project_id: str, document_id: str, workflow_id: str, attempt: int, step: int,
    token: str | None = None,
) -> None:  # fmt: skip
    """Do one step and return its answer to the engine. Idempotent: a redelivery answers again."""
    run = Run(site, project_id, document_id, workflow_id)
    try:
        work = steps.open_step(run, step=step, attempt=attempt)
        logs.follow_request(work.execution.request_id)
        tokens.answer(token, steps.perform_step(work))
    except Unavailable:  # the base task retries it
        raise
    except (StaleAttempt, StageFailed, NotFound) as error:
        tokens.refuse(token, type(error).__name__, str(error))
    except Exception:
        tokens.refuse(token, states.UNEXPECTED, _UNEXPECTED)
        raise


@shared_task(name="workflows.tasks.fail_execution", time_limit=300)
def fail_execution(
    *, site: str, project_id: str, document_id: str, workflow_id: str, attempt: int, error: str | None = None,
    cause: str | None = None, token: str | None = None,
) -> None:  # fmt: skip
    """End it with its reason, for the machine's Catch. A stale attempt changes nothing."""
    outcome = ExecutionOutcome.EXPIRED if error == _EXPIRED else ExecutionOutcome.FAILED
    reason = _SENTENCES.get(error or "") or cause or Sentence("The execution could not continue. Start it again.")
    run = Run(site, project_id, document_id, workflow_id)
    try:
        execution = queries.get_execution(run.site, run.workflow_id)
        actions.end_execution(run.site, execution, outcome, reason, attempt=attempt, by=steps.SYSTEM)
        tokens.answer(token, {"failed": True})
    except (Conflict, NotFound) as refused:
        tokens.refuse(token, "StaleAttempt", str(refused))

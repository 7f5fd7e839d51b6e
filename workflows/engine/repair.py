"""Repairs of due runs and joins: conditional, audited and idempotent."""

import logging
from typing import Any

from django.conf import settings

from config import clock, logs
from config.brokers import queues
from config.due import repairs
from config.phrase import Sentence
from workflows.definitions import states
from workflows.engine import actions, driver, fanout, joins, lost_message, waits
from workflows.engine.step_work import StepOrder
from workflows.engine.tasks import end_run, order_slice
from workflows.runs import engine_choice, queries
from workflows.runs.items import Execution, Join, Run, RunStatus
from workflows.runs.waiting_review import WaitingReview, find_waiting_review

log = logging.getLogger(__name__)

_MACHINE_ATTEMPTS = 10  # attempts; after them a machine step that never ends fails with a reason instead of looping
_TOO_MANY = Sentence("The step did not finish in 10 attempts. The file is safe; check the workers, then retry.")
_STALLS = 5  # consecutive checks without progress of a fan-out
_STALLED = Sentence(
    "Some pages crashed every worker that processed them. The file is safe; check the workers, then re-run."
)


def resume_join(site: str, join: Join) -> None:
    """Resend the slices of a stalled fan-out: their messages were lost, or killed every worker."""
    run = Run(site, join.project_id, join.document_id, join.workflow_id)
    order = StepOrder(run, int(join.step), int(join.attempt))
    if not fanout.drives(queries.execution(run), order):
        joins.close(join)
        return
    stands_still = len(join.done or ()) <= int(join.seen)
    paused = bool(join.waits_until) and str(join.waits_until) > clock.iso(clock.now())
    if stands_still and (paused or queues.count_messages(settings.SLICES_QUEUE)):
        # workers are busy or down, or a service does not answer: not the slice's fault
        joins.check_again(join, stalls=int(join.stalls))
        return
    stalls = int(join.stalls) + 1 if stands_still else 0
    joins.check_again(join, stalls=stalls)
    if stalls > _STALLS:
        end_run(run, attempt=order.attempt, error="Stalled", sentence=_STALLED)
    elif stands_still:
        log.warning("slices sent again", extra={"run": run.workflow_id, "attempt": order.attempt})
        repairs.record_repair(repairs.SLICES, site, document_id=run.document_id, workflow_id=run.workflow_id)
        fanout.send_waiting(order, join, order_slice, lambda: None)


def check_run(site: str, execution: Execution) -> None:
    """Check whether the run's engine attempt is alive; if not, continue with a new attempt."""
    run = Run(site, execution.project_id, execution.document_id, execution.executionId)
    if execution.status != RunStatus.RUNNING:
        return
    definition = queries.definition_of(execution)
    attempt = int(execution.engine_attempt)
    if execution.waits_until and execution.engine and execution.engine == engine_choice.choose_engine():
        end_wait(run, execution)
        return
    state = driver.state(definition, run, attempt, kind=execution.engine)
    alive = state == "running" and (
        driver.remembers(execution.engine) or not lost_message.is_lost(run, execution, definition)
    )  # fmt: skip
    if alive or (execution.lease_until and execution.lease_until > clock.iso(clock.now())):
        actions.check_run_again(execution, at=clock.in_seconds(settings.RUN_CHECK_SECONDS))
        return
    review = find_waiting_review(run, execution)
    in_review = definition.step(int(execution.currentStep)).type == "approval" and review is not None
    # Attempts that only renewed a review's token do not count for the step; a review has its own deadline.
    if not in_review and attempt - int(execution.step_attempt or 1) + 1 >= _MACHINE_ATTEMPTS:
        end_run(run, attempt=attempt, error="TooManyAttempts", sentence=_TOO_MANY)
        return
    if state == "missing" and execution.engine == engine_choice.choose_engine():
        # Never started, or forgotten: the same attempt may start under its own name.
        start_attempt(run, execution, attempt, review=review)
        actions.check_run_again(execution, at=clock.in_seconds(settings.RUN_CHECK_SECONDS))
        return
    why = "message was lost" if state == "running" else "engine execution ended"
    start_next_attempt(run, execution, why=why, review=review)


def end_wait(run: Run, execution: Execution) -> None:
    """Order the step of a finished wait again, for engines that cannot wait. Idempotent."""
    if waits.seconds_until(str(execution.waits_until)):
        actions.check_run_again(execution, at=clock.parse(str(execution.waits_until)))
        return
    actions.check_run_again(execution, at=clock.in_seconds(settings.RUN_CHECK_SECONDS))
    start_attempt(run, execution, int(execution.engine_attempt), review=None)


def start_next_attempt(run: Run, execution: Execution, *, why: str, review: WaitingReview | None) -> None:
    """Let the next attempt drive the run. Raises: Conflict if another repair was first or the run has ended."""
    definition = queries.definition_of(execution)
    attempt = actions.begin_next(run, attempt=int(execution.engine_attempt), why=why, definition=definition)
    log.warning("run restarted", extra={"run": run.workflow_id, "attempt": attempt})
    repairs.record_repair(repairs.RUN, run.site, document_id=run.document_id, workflow_id=run.workflow_id)
    start_attempt(run, execution, attempt, review=review)


def start_attempt(run: Run, execution: Execution, attempt: int, *, review: WaitingReview | None) -> None:
    """Start the engine at the run's current step, or after the review step if its review is decided.

    ``review``: the review that the run waits for, if any.
    """
    logs.follow_request(execution.request_id)
    definition = queries.definition_of(execution)
    document = queries.document_workflow(run.site, run.document_id, run.workflow_id)
    step = definition.step(int(execution.currentStep))
    is_approval = step.type == "approval"
    decision = review.decision if review else None
    result = decision or (_assessment(run, execution) if is_approval else {})
    driver.start(
        run,
        definition,
        attempt=attempt,
        start_at=states.apply_state(step) if decision else step.name,
        file_name=document.data["file_name"],
        project_name=str(document.project_name or ""),
        review_seconds=_seconds_left(review if is_approval else None),
        result=result,
    )


def _assessment(run: Run, execution: Execution) -> dict[str, Any]:
    """Return the assessment's output for the review step, as its transition stored it."""
    transition = queries.last_transition(run, execution)
    data = transition.data.as_dict() if transition.data else {}
    return {**data, "last": transition.SK.rsplit("#", 1)[-1]}


def _seconds_left(review: WaitingReview | None) -> int:
    """Return the rest of the review's time, so that a restarted wait keeps the deadline that people saw."""
    if review is None:
        return settings.REVIEW_TIMEOUT_SECONDS
    left = (clock.parse(review.deadline) - clock.now()).total_seconds() + settings.REVIEW_MARGIN_SECONDS
    return max(int(left), 1)

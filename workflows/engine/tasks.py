"""Celery tasks of the engine: a step, a slice of one, and the end of a run that cannot continue."""

import dataclasses
import functools
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from celery import shared_task
from django.conf import settings

from config import disk, logs
from config.brokers import queues, visibility
from config.brokers.redelivery import Counted
from config.errors import Conflict, ProviderPaused, StageFailed, StaleAttempt, Unavailable
from config.phrase import Sentence
from workflows.definitions import states
from workflows.engine import fanout, job_notices, lost_message, messages, precedence, publication, steps, tokens
from workflows.engine.step_work import SLOT, BelongsToSlices, Busy, StepOrder
from workflows.learning.tasks import check_calibration_soon
from workflows.publish.tasks import enqueue_follow_up
from workflows.runs import events, queries
from workflows.runs.actions import advance
from workflows.runs.items import Run
from workflows.runs.resting import run_rests

_UNEXPECTED = Sentence("The step failed with an unexpected error. The file is safe; you can re-run.")


@shared_task(
    base=Counted,  # the app's own, named for its ``on_aside``
    bind=True,
    name="workflows.tasks.run_step",
    time_limit=3600,
    on_aside=staticmethod(lost_message.refuse_step),
)
def run_step(
    self: Any, *, site: str, project_id: str, document_id: str, workflow_id: str, attempt: int, step: int,
    token: str | None = None, large: bool = False,
) -> None:  # fmt: skip
    """Do one step and return its answer to the engine. Idempotent: a redelivery answers again."""
    order = StepOrder(Run(site, project_id, document_id, workflow_id), step, attempt)
    queue = settings.SLICES_QUEUE if large else settings.STEPS_QUEUE
    try:
        keep = functools.partial(visibility.keep, self.request)
        with _turn(large=large), disk.full_is_unavailable():
            answer = steps.perform(
                order, owner=self.request.id, keep=keep, token=token, send=order_slice, large=large
            )  # fmt: skip
        if answer is not None:
            tokens.answer(token, answer)
            if answer.get(publication.FOLLOWED):
                enqueue_follow_up(order.run)
            if answer.get(publication.AUDITED):
                check_calibration_soon(order.run.site, order.run.project_id)
            run_rests(order.run, answer.get(SLOT))
    except BelongsToSlices:
        order_large(order, token)
    except Busy as busy:
        raise self.retry(countdown=min(busy.seconds, 60), queue=queue) from busy
    except Unavailable as error:  # not left to the base task, which would route it to the queue of steps
        raise self.retry(countdown=min(2**self.request.retries, 60), queue=queue) from error
    except (StaleAttempt, StageFailed) as error:
        tokens.refuse(token, type(error).__name__, str(error))
    except Exception:
        steps.give_back(order, owner=self.request.id)
        tokens.refuse(token, states.UNEXPECTED, _UNEXPECTED)
        raise


@shared_task(
    base=Counted,  # the app's own, named for its ``on_aside``
    bind=True,
    name="workflows.tasks.run_slice",
    time_limit=900,
    on_aside=staticmethod(lost_message.refuse_slice),
)
def run_slice(
    self: Any, *, site: str, project_id: str, document_id: str, workflow_id: str, attempt: int, step: int, lane: int,
    number: int,
) -> None:  # fmt: skip
    """Do one slice of a step. Idempotent: a redelivery finds it counted and sends what follows again."""
    order = StepOrder(Run(site, project_id, document_id, workflow_id), step, attempt)
    try:
        keep = functools.partial(visibility.keep, self.request)
        with disk.full_is_unavailable():
            fanout.do_slice(order, lane, number, owner=self.request.id, keep=keep, send=order_slice)
    except Busy as busy:
        raise self.retry(countdown=min(busy.seconds, 60)) from busy
    except ProviderPaused as paused:
        raise self.retry(countdown=fanout.wait(order, paused)) from paused
    except Unavailable:
        raise
    except StaleAttempt:
        return
    except StageFailed as error:
        fanout.refuse(order, type(error).__name__, str(error))
    except Exception:
        fanout.refuse(order, states.UNEXPECTED, _UNEXPECTED)
        raise


def _turn(*, large: bool) -> AbstractContextManager[None]:
    return nullcontext() if large else precedence.go_first()


def order_slice(order: StepOrder, lane: int, number: int) -> None:
    """Raises: Unavailable if the queue does not answer."""
    _send(run_slice, order, lane=lane, number=number)


def order_large(order: StepOrder, token: str | None) -> None:
    """Send the step to the queue of large documents and busy sites. Raises: Unavailable if no queue answers."""
    _send(run_step, order, token=token, large=True)


def _send(task: Any, order: StepOrder, **more: Any) -> None:
    kwargs = {**dataclasses.asdict(order.run), "attempt": order.attempt, "step": order.step, **more}
    queues.enqueue(task.name, settings.SLICES_QUEUE, kwargs)


@shared_task(name="workflows.tasks.take_job_notice", time_limit=60)
def take_job_notice(*, notice: str) -> None:
    """Order the step that waits for the ended job; a repeated delivery finds it done."""
    job_notices.take_notice(notice)


@shared_task(name="workflows.tasks.fail_run", time_limit=300)
def fail_run(
    *, site: str, project_id: str, document_id: str, workflow_id: str, attempt: int, error: str | None = None,
    cause: str | None = None, token: str | None = None,
) -> None:  # fmt: skip
    """End the run with its reason, for the machine's Catch. A stale attempt changes nothing."""
    run = Run(site, project_id, document_id, workflow_id)
    try:
        if not messages.goes_on(run, attempt=attempt, error=error or ""):
            end_run(run, attempt=attempt, error=error or "RunFailed", sentence=_sentence(error, cause))
        tokens.answer(token, {"failed": True})
    except Conflict as conflict:
        tokens.refuse(token, "StaleAttempt", str(conflict))


def end_run(run: Run, *, attempt: int, error: str, sentence: str) -> None:
    """Raises: Conflict if the run has ended or another attempt drives it."""
    execution = queries.execution(run)
    logs.follow_request(execution.request_id)
    if int(execution.currentStep) < 1:
        raise Conflict("The run has ended.")
    definition = queries.definition_of(execution)
    done = advance.fail(run, definition, execution, attempt=attempt, error=error, sentence=sentence)
    events.publish_soon(done.event)
    run_rests(run, execution.batch_line)


def _sentence(error: str | None, cause: str | None) -> str:
    if error == "States.Timeout":
        return Sentence("The step timed out. The file is safe; you can re-run.")
    return cause or Sentence("The run could not continue. The file is safe; you can re-run.")

"""Celery tasks of the machine: a step, and the end of a run that cannot go on."""

import functools
import logging
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from celery import shared_task
from celery.exceptions import CeleryError
from django.conf import settings
from kombu.exceptions import KombuError, OperationalError

from config import aws
from config.errors import Conflict, CountersignError, StageFailed, StaleAttempt, Unavailable
from workflows import deliveries, events, followups, queries, steps, tokens, unpacking
from workflows.actions import removals, runs
from workflows.frozen import Run
from workflows.steps import Busy, Order

log = logging.getLogger(__name__)

LIMITS: Any = {"acks_late": True, "ignore_result": True, "max_retries": None}
_UNEXPECTED = "The step stopped on an unexpected error. The file is safe; the run can be started again."


@shared_task(bind=True, name="workflows.tasks.run_step", time_limit=3600, **LIMITS)
def run_step(
    self: Any, *, site: str, project_id: str, document_id: str, workflow_id: str, attempt: int, step: int,
    token: str | None = None,
) -> None:  # fmt: skip
    """Do one step and hand its answer back; delivered twice, the second finds it done and answers again."""
    order = Order(Run(site, project_id, document_id, workflow_id), step, attempt)
    try:
        keep = functools.partial(deliveries.keep, self.request)
        answer = steps.perform(order, owner=self.request.id, keep=keep)
        tokens.answer(token, answer)
        if answer.get(steps.FOLLOWED):
            enqueue_follow_up(order.run)
    except Busy as busy:
        raise self.retry(countdown=min(busy.seconds, 60)) from busy
    except Unavailable as error:
        raise self.retry(countdown=min(2**self.request.retries, 60)) from error
    except (StaleAttempt, StageFailed) as error:
        tokens.refuse(token, type(error).__name__, str(error))
    except Exception:
        tokens.refuse(token, "StepError", _UNEXPECTED)
        raise


def enqueue_follow_up(run: Run) -> None:
    """Have a worker do what follows; where no queue answers, the due row does it a little later.

    In the queue of machine work: a receiver that takes its ten seconds must not keep a decision waiting.
    """
    kwargs = {"site": run.site, "project_id": run.project_id, "document_id": run.document_id}
    try:
        with aws.translated():
            follow_up.apply_async(kwargs=kwargs | {"workflow_id": run.workflow_id}, queue=settings.STEPS_QUEUE)
    except (CountersignError, KombuError, CeleryError) as error:
        log.warning("queue did not answer, the sweeper goes on", extra={"error": type(error).__name__})


@shared_task(bind=True, name="workflows.tasks.follow_up", time_limit=900, **LIMITS)
def follow_up(self: Any, *, site: str, project_id: str, document_id: str, workflow_id: str) -> None:
    """Do what follows a publication, as far as it can be done now; what waits is due again by itself."""
    try:
        followups.drive(Run(site, project_id, document_id, workflow_id), owner=self.request.id)
    except Unavailable as error:
        raise self.retry(countdown=min(2**self.request.retries, 60)) from error


@shared_task(bind=True, name="workflows.tasks.fail_run", time_limit=300, **LIMITS)
def fail_run(
    self: Any, *, site: str, project_id: str, document_id: str, workflow_id: str, attempt: int,
    error: str | None = None, cause: str | None = None, token: str | None = None,
) -> None:  # fmt: skip
    """The machine's Catch: end the run with its reason; a stale attempt's Catch changes nothing."""
    run = Run(site, project_id, document_id, workflow_id)
    try:
        end_run(run, attempt=attempt, error=error or "RunFailed", sentence=_sentence(error, cause))
        tokens.answer(token, {"failed": True})
    except Conflict as conflict:
        tokens.refuse(token, "StaleAttempt", str(conflict))
    except Unavailable as unavailable:
        raise self.retry(countdown=min(2**self.request.retries, 60)) from unavailable


@shared_task(bind=True, name="workflows.tasks.finish_removal", time_limit=3600, **LIMITS)
def finish_removal(self: Any, *, site: str, document_id: str) -> None:
    """Let a deleted, restored or purged document's rows and files follow; delivered twice, the second finds nothing."""
    try:
        removals.finish(site, document_id)
    except Unavailable as error:
        raise self.retry(countdown=min(2**self.request.retries, 60)) from error


@shared_task(bind=True, name="workflows.tasks.unpack", time_limit=3600, **LIMITS)
def unpack(self: Any, *, site: str, document_id: str) -> None:
    """Take the files out of a mail or an archive; delivered twice, the second finds each of them there."""
    try:
        unpacking.unpack(site, document_id, nested=order_unpacking_soon)
    except Unavailable as error:
        raise self.retry(countdown=min(2**self.request.retries, 60)) from error


def order_unpacking_soon(site: str, document_id: str) -> None:
    """Where no queue answers the sweeper orders it."""
    try:
        order_unpacking(site, document_id)
    except (OperationalError, BotoCoreError, ClientError, OSError):
        log.warning("unpacking waits for the sweeper", extra={"document": document_id})


def order_unpacking(site: str, document_id: str) -> None:
    unpack.apply_async(kwargs={"site": site, "document_id": document_id})


def order_removal_soon(site: str, document_id: str) -> None:
    """From a page: where no queue answers the sweeper orders it, and the page says what is so."""
    try:
        order_removal(site, document_id)
    except (OperationalError, BotoCoreError, ClientError, OSError):
        log.warning("removal waits for the sweeper", extra={"document": document_id})


def order_removal(site: str, document_id: str) -> None:
    """Have a worker finish it; where no queue answers, the sweeper asks again."""
    finish_removal.apply_async(kwargs={"site": site, "document_id": document_id})


def end_run(run: Run, *, attempt: int, error: str, sentence: str) -> None:
    """Raises: Conflict, where the run has ended or another attempt drives it."""
    execution = queries.execution(run)
    if int(execution.currentStep) < 1:
        raise Conflict("The run has ended.")
    definition = queries.definition_of(execution)
    done = runs.fail(run, definition, execution, attempt=attempt, error=error, sentence=sentence)
    events.publish_soon(done.event)


def _sentence(error: str | None, cause: str | None) -> str:
    if error == "States.Timeout":
        return "The step did not finish in time. The file is safe; start the run again."
    return cause or "The run could not go on. The file is safe; start the run again."

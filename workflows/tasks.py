"""Celery tasks of the machine: a step, and the end of a run that cannot go on."""

import dataclasses
import functools
import logging
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from celery import shared_task
from django.conf import settings

from config import clock, disk, precedence
from config.brokers import queues
from config.errors import Conflict, NotFound, ProviderPaused, StageFailed, StaleAttempt, Unavailable
from projects.audit.events import Actor
from workflows.batches import lines
from workflows.definitions import states
from workflows.documents.actions import removals
from workflows.engine import endings, fanout, lost_message, message_delivery, publication, steps, tokens
from workflows.engine.machines import ingress
from workflows.engine.step_order import SLOT, Busy, Large, Order
from workflows.intake import bucket, unexpected, unpacking
from workflows.intake.items import ArrivalBegin, IncomingFile
from workflows.learning import actions as learning_actions
from workflows.publish import follow_ups, notices
from workflows.publish.items.notices import SenderNotice
from workflows.runs import events, queries
from workflows.runs.actions import advance
from workflows.runs.run import Run
from workflows.search.content import Which
from workflows.search.indexing import bring_up_to_date

log = logging.getLogger(__name__)

LIMITS: Any = {"acks_late": True, "ignore_result": True, "max_retries": None}
# Of tasks that a state machine waits for: also where the engine does not take a refusal, which would leave it waiting.
AWAITED: Any = LIMITS | {"autoretry_for": (Unavailable,), "retry_backoff": True, "retry_backoff_max": 60}
_UNEXPECTED = "The step stopped on an unexpected error. The file is safe; the run can be started again."


@shared_task(
    bind=True,
    name="workflows.tasks.run_step",
    time_limit=3600,
    on_aside=staticmethod(lost_message.refuse_step),
    **AWAITED,
)
def run_step(
    self: Any, *, site: str, project_id: str, document_id: str, workflow_id: str, attempt: int, step: int,
    token: str | None = None, large: bool = False,
) -> None:  # fmt: skip
    """Do one step and hand its answer back; delivered twice, the second finds it done and answers again."""
    order = Order(Run(site, project_id, document_id, workflow_id), step, attempt)
    queue = settings.SLICES_QUEUE if large else settings.STEPS_QUEUE
    try:
        keep = functools.partial(message_delivery.keep, self.request)
        with _turn(large=large), disk.full_is_unavailable():
            answer = steps.perform(
                order, owner=self.request.id, keep=keep, token=token, send=order_slice, large=large
            )  # fmt: skip
        if answer is not None:
            tokens.answer(token, answer)
            if answer.get(publication.FOLLOWED):
                enqueue_follow_up(order.run)
            lines.run_rests(order.run, answer.get(SLOT))
    except Large:
        order_large(order, token)
    except Busy as busy:
        raise self.retry(countdown=min(busy.seconds, 60), queue=queue) from busy
    except Unavailable as error:
        raise self.retry(countdown=min(2**self.request.retries, 60), queue=queue) from error
    except (StaleAttempt, StageFailed) as error:
        tokens.refuse(token, type(error).__name__, str(error))
    except Exception:
        steps.give_back(order, owner=self.request.id)
        tokens.refuse(token, states.UNEXPECTED, _UNEXPECTED)
        raise


@shared_task(
    bind=True,
    name="workflows.tasks.run_slice",
    time_limit=900,
    on_aside=staticmethod(lost_message.refuse_slice),
    **AWAITED,
)
def run_slice(
    self: Any, *, site: str, project_id: str, document_id: str, workflow_id: str, attempt: int, step: int, lane: int,
    number: int,
) -> None:  # fmt: skip
    """Do one slice of a step; delivered twice, the second finds it counted and hands on again."""
    order = Order(Run(site, project_id, document_id, workflow_id), step, attempt)
    try:
        keep = functools.partial(message_delivery.keep, self.request)
        with disk.full_is_unavailable():
            fanout.do_slice(order, lane, number, owner=self.request.id, keep=keep, send=order_slice)
    except Busy as busy:
        raise self.retry(countdown=min(busy.seconds, 60)) from busy
    except ProviderPaused as paused:
        raise self.retry(countdown=fanout.wait(order, paused)) from paused
    except Unavailable as error:
        raise self.retry(countdown=min(2**self.request.retries, 60)) from error
    except StaleAttempt:
        return
    except StageFailed as error:
        fanout.refuse(order, type(error).__name__, str(error))
    except Exception:
        fanout.refuse(order, states.UNEXPECTED, _UNEXPECTED)
        raise


def _turn(*, large: bool) -> AbstractContextManager[None]:
    return nullcontext() if large else precedence.going_first()


def order_slice(order: Order, lane: int, number: int) -> None:
    """Raises: Unavailable, where the queue does not answer."""
    _send(run_slice, order, lane=lane, number=number)


def order_large(order: Order, token: str | None) -> None:
    """The step again, where large documents and busy sites are. Raises: Unavailable, where no queue answers."""
    _send(run_step, order, token=token, large=True)


def _send(task: Any, order: Order, **more: Any) -> None:
    kwargs = {**dataclasses.asdict(order.run), "attempt": order.attempt, "step": order.step, **more}
    queues.enqueue(task.name, settings.SLICES_QUEUE, kwargs)


def enqueue_follow_up(run: Run) -> None:
    """Have a worker do what follows; if no queue answers, the due row does it a little later.

    In the queue of machine work: a receiver that takes its ten seconds must not keep a decision waiting.
    """
    kwargs = {"site": run.site, "project_id": run.project_id, "document_id": run.document_id}
    queues.enqueue_soon(follow_up.name, settings.STEPS_QUEUE, kwargs | {"workflow_id": run.workflow_id})


@shared_task(bind=True, name="workflows.tasks.follow_up", time_limit=900, **LIMITS)
def follow_up(self: Any, *, site: str, project_id: str, document_id: str, workflow_id: str) -> None:
    """Do what follows a publication, as far as it can be done now; what waits is due again by itself."""
    try:
        follow_ups.drive(Run(site, project_id, document_id, workflow_id), owner=self.request.id)
    except Unavailable as error:
        raise self.retry(countdown=min(2**self.request.retries, 60)) from error


@shared_task(bind=True, name="workflows.tasks.tell_sender", time_limit=300, **LIMITS)
def tell_sender(self: Any, *, site: str, project_id: str, document_id: str, workflow_id: str, attempt: int) -> None:
    """Tell whoever sent a document that its run ended without a publication; delivered twice, once is told."""
    try:
        notices.tell(Run(site, project_id, document_id, workflow_id), attempt=attempt, owner=self.request.id)
    except Unavailable as error:
        raise self.retry(countdown=min(2**self.request.retries, 60)) from error


def order_notice(site: str, notice: SenderNotice) -> None:
    """Have a worker tell it. Raises: Unavailable."""
    kwargs = {"site": site, "project_id": notice.project_id, "document_id": notice.document_id}
    kwargs |= {"workflow_id": notice.workflow_id}
    queues.enqueue(tell_sender.name, settings.STEPS_QUEUE, kwargs | {"attempt": int(notice.attempt)})


@shared_task(bind=True, name="workflows.tasks.fail_run", time_limit=300, **AWAITED)
def fail_run(
    self: Any, *, site: str, project_id: str, document_id: str, workflow_id: str, attempt: int,
    error: str | None = None, cause: str | None = None, token: str | None = None,
) -> None:  # fmt: skip
    """The machine's Catch: end the run with its reason; a stale attempt's Catch changes nothing."""
    run = Run(site, project_id, document_id, workflow_id)
    try:
        if not endings.goes_on(run, attempt=attempt, error=error or ""):
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


@shared_task(bind=True, name=events.INDEX, time_limit=3600, **LIMITS)
def index_document(self: Any, *, site: str, project_id: str, document_id: str, at: str) -> None:
    """The bus tells that something happened to a document ``at`` an instant: the search index looks what it is now."""
    try:
        bring_up_to_date(Which(site, project_id, document_id), message_delivery.keeper(self.request))
    except Unavailable as error:
        raise self.retry(countdown=min(2**self.request.retries, 60)) from error
    lag = (clock.now() - clock.parse(at)).total_seconds()
    log.info("search index follows", extra={"document": document_id, "seconds": round(lag, 1)})


@shared_task(bind=True, name="workflows.tasks.calibrate", time_limit=1800, **LIMITS)
def calibrate(self: Any, *, site: str, project_id: str, user_id: str, user_name: str) -> None:
    """Propose what the project's reviews teach; delivered twice, the second finds it proposed or refused."""
    try:
        learning_actions.propose_or_say_why(site, project_id, by=Actor(user_id, user_name), order=self.request.id)
    except Unavailable as error:
        raise self.retry(countdown=min(2**self.request.retries, 60)) from error


def order_calibration(site: str, project_id: str, *, by: Actor) -> None:
    """Raises: Unavailable."""
    kwargs = {"site": site, "project_id": project_id, "user_id": by.id, "user_name": by.name}
    queues.enqueue(calibrate.name, settings.STEPS_QUEUE, kwargs)


@shared_task(bind=True, name="workflows.tasks.unpack", time_limit=3600, **LIMITS)
def unpack(self: Any, *, site: str, document_id: str) -> None:
    """Take the files out of a mail or an archive; delivered twice, the second finds each of them there."""
    keep = message_delivery.keeper(self.request)

    def work(*, last: bool = False) -> None:
        ended = unpacking.unpack(
            site, document_id, owner=self.request.id, keep=keep, nested=order_unpacking_soon, last=last
        )  # fmt: skip
        if ended:
            run = Run(site, ended.project_id, document_id, "")
            lines.run_rests(run, ended.batch_line)

    unexpected.attempt(self, work, functools.partial(work, last=True))


@shared_task(bind=True, name=ingress.TASK, time_limit=3600, **LIMITS)
def take_incoming(self: Any, *, key: str, version: str, size: int) -> None:
    """Make a document of a file that another system put into the bucket; told of it again, nothing happens."""
    keep = message_delivery.keeper(self.request)

    def take() -> None:
        try:
            arrival = bucket.arrived(key, version, size)
        except NotFound:
            log.info("an object was gone before anybody looked")
            return
        bucket.take(arrival, unpack=order_unpacking_soon, owner=self.request.id, keep=keep)

    unexpected.attempt(self, take, lambda: bucket.give_up(bucket.arrived(key, version, size)))


def take_incoming_again(file: IncomingFile | ArrivalBegin) -> None:
    """From a page, which says so if no queue answers, or from the sweeper. Raises: Unavailable."""
    kwargs = {"key": file.s3_key, "version": file.s3version or "", "size": int(file.file_size or 0)}
    queues.enqueue(take_incoming.name, settings.STEPS_QUEUE, kwargs)


def order_unpacking_soon(site: str, document_id: str) -> None:
    """If no queue answers, the sweeper orders it."""
    queues.enqueue_soon(unpack.name, settings.STEPS_QUEUE, {"site": site, "document_id": document_id})


def order_unpacking(site: str, document_id: str) -> None:
    """Raises: Unavailable."""
    queues.enqueue(unpack.name, settings.STEPS_QUEUE, {"site": site, "document_id": document_id})


def order_removal_soon(site: str, document_id: str) -> None:
    """From a page: if no queue answers, the sweeper orders it."""
    queues.enqueue_soon(finish_removal.name, settings.STEPS_QUEUE, {"site": site, "document_id": document_id})


def order_removal(site: str, document_id: str) -> None:
    """Have a worker finish it. Raises: Unavailable."""
    queues.enqueue(finish_removal.name, settings.STEPS_QUEUE, {"site": site, "document_id": document_id})


def end_run(run: Run, *, attempt: int, error: str, sentence: str) -> None:
    """Raises: Conflict, where the run has ended or another attempt drives it."""
    execution = queries.execution(run)
    if int(execution.currentStep) < 1:
        raise Conflict("The run has ended.")
    definition = queries.definition_of(execution)
    done = advance.fail(run, definition, execution, attempt=attempt, error=error, sentence=sentence)
    events.publish_soon(done.event)
    lines.run_rests(run, execution.batch_line)


def _sentence(error: str | None, cause: str | None) -> str:
    if error == "States.Timeout":
        return "The step did not finish in time. The file is safe; start the run again."
    return cause or "The run could not go on. The file is safe; start the run again."

"""Celery tasks of follow-ups and of notices to senders."""

from typing import Any

from celery import shared_task
from django.conf import settings

from config.brokers import queues
from workflows.publish import follow_ups, notices, syncs
from workflows.publish.items import SenderNotice
from workflows.runs.items import Run


@shared_task(bind=True, name="workflows.tasks.follow_up", time_limit=900)
def follow_up(self: Any, *, site: str, project_id: str, document_id: str, workflow_id: str) -> None:
    """Do the follow-ups that are possible now; what has to wait is due later."""
    follow_ups.drive_follow_ups(Run(site, project_id, document_id, workflow_id), owner=self.request.id)


def enqueue_follow_up(run: Run) -> None:
    """Send the follow-ups to a worker. If the queue is unavailable, the due row does it a little later.

    They go to the queue of machine work: a receiver that takes ten seconds must not delay a decision.
    """
    kwargs = {"site": run.site, "project_id": run.project_id, "document_id": run.document_id}
    queues.enqueue_soon(follow_up.name, settings.STEPS_QUEUE, kwargs | {"workflow_id": run.workflow_id})


@shared_task(bind=True, name="workflows.tasks.tell_sender", time_limit=300)
def tell_sender(self: Any, *, site: str, project_id: str, document_id: str, workflow_id: str, attempt: int) -> None:
    """Notify the sender that a run ended without a publication. Idempotent: it is sent once."""
    notices.send_notice(Run(site, project_id, document_id, workflow_id), attempt=attempt, owner=self.request.id)


def order_notice(site: str, notice: SenderNotice) -> None:
    """Send the notice to a worker. Raises: Unavailable."""
    kwargs = {"site": site, "project_id": notice.project_id, "document_id": notice.document_id}
    kwargs |= {"workflow_id": notice.workflow_id}
    queues.enqueue(tell_sender.name, settings.STEPS_QUEUE, kwargs | {"attempt": int(notice.attempt)})


@shared_task(name="workflows.tasks.send_again", time_limit=300)
def send_again(*, site: str, document_id: str, at: str) -> None:
    """Resend a document. Idempotent: a redelivery finds it sent."""
    syncs.send_again(site, document_id, at)


def enqueue_sending(site: str, document_id: str, at: str) -> None:
    """Raises: Unavailable if no queue answers; another request is refused until it was sent."""
    queues.enqueue(send_again.name, settings.STEPS_QUEUE, {"site": site, "document_id": document_id, "at": at})

"""The Celery task that answers a question about a page."""

import dataclasses
import logging
from typing import Any

from celery import shared_task
from django.conf import settings

from config.brokers import queues
from config.errors import CountersignError, ProviderPaused, Unavailable
from workflows.questions import answering
from workflows.questions.queries import QuestionRef
from workflows.runs.items import Run

log = logging.getLogger(__name__)
_MOST_WAITS = 10  # retries if a service does not answer; then the question fails


@shared_task(bind=True, name="workflows.questions.tasks.answer", time_limit=600)
def answer(
    self: Any, *, site: str, project_id: str, document_id: str, workflow_id: str, segment: int, number: int,
    generation: int,
) -> None:  # fmt: skip
    """Answer a question about a page. Idempotent: a redelivery finds it settled."""
    ref = QuestionRef(Run(site, project_id, document_id, workflow_id), segment, number)
    try:
        answering.answer_question(ref, generation, owner=self.request.id)
    except ProviderPaused as paused:
        if self.request.retries >= _MOST_WAITS:
            answering.give_up(ref, generation, paused)
            return
        raise self.retry(countdown=min(max(paused.seconds, 1), 60)) from paused


def send_question(ref: QuestionRef, generation: int) -> None:
    """Raises: Unavailable."""
    kwargs = {**dataclasses.asdict(ref.run), "segment": ref.segment, "number": ref.number, "generation": generation}
    queues.enqueue(answer.name, settings.STEPS_QUEUE, kwargs)


def order_answer(ref: QuestionRef, generation: int) -> None:
    """Send it to a worker. If no queue answers, the question fails, and a person can ask again."""
    try:
        send_question(ref, generation)
    except CountersignError as error:
        log.warning("queue did not answer, a question waits", extra={"error": type(error).__name__})
        unreachable = Unavailable("No worker is available. Try again in a moment.")
        answering.give_up(ref, generation, unreachable)

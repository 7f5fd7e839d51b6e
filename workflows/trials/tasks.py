"""The Celery task that does a trial."""

import dataclasses
import logging
from contextlib import suppress
from typing import Any

from celery import shared_task
from django.conf import settings

from config.brokers import queues, visibility
from config.errors import Conflict, CountersignError, ProviderPaused
from config.phrase import Sentence
from workflows.trials import actions, trying
from workflows.trials.queries import LONGEST_SECONDS, TrialRef

log = logging.getLogger(__name__)
_MOST_WAITS = 2  # retries if a model does not answer; then the trial fails, as a person waits
_UNSENT = Sentence("No worker is available. Nothing was asked; try again in a moment.")


@shared_task(bind=True, name="workflows.trials.tasks.try_prompt", time_limit=LONGEST_SECONDS)
def try_prompt(self: Any, *, site: str, project_id: str, trial_id: str) -> None:
    """Try draft and production, or let models read a page.

    Idempotent: a redelivery finds it settled, or reuses answers.
    """
    ref = TrialRef(site, project_id, trial_id)
    try:
        trying.do_trial(ref, owner=self.request.id, keep=visibility.keeper(self.request))
    except ProviderPaused as paused:
        if self.request.retries >= _MOST_WAITS:
            trying.give_up(ref, paused.reason, owner=self.request.id)
            return
        raise self.retry(countdown=min(max(paused.seconds, 1), 60)) from paused


def order_trial(ref: TrialRef) -> None:
    """Send it to a worker. If no queue answers, the trial fails."""
    try:
        queues.enqueue(try_prompt.name, settings.STEPS_QUEUE, dataclasses.asdict(ref))
    except CountersignError as error:
        log.warning("queue did not answer, a trial was not sent", extra={"error": type(error).__name__})
        with suppress(Conflict):
            actions.fail_unsent(ref, _UNSENT)

"""The Celery task that adds documents to a test set."""

import logging

from celery import shared_task
from django.conf import settings

from config.brokers import queues
from config.errors import CountersignError
from config.phrase import Sentence
from projects.audit.events import Actor
from workflows.testsets import actions
from workflows.testsets.actions import Source
from workflows.testsets.items import LONGEST_SECONDS
from workflows.testsets.queries import SetRef

log = logging.getLogger(__name__)
_UNSENT = Sentence("No worker is available. Nothing was added; try again in a moment.")


@shared_task(name="workflows.testsets.tasks.build", time_limit=LONGEST_SECONDS)
def build(
    *, site: str, project_id: str, testset_id: str, source: dict[str, str | int], user_id: str, user_name: str
) -> None:
    """Add the documents of ``source``. Idempotent."""
    ref = SetRef(site, project_id, testset_id)
    actions.build_test_set(ref, Source(**source), by=Actor(user_id, user_name))  # type: ignore[arg-type]  # as ordered


def order_building(ref: SetRef, source: Source, *, by: Actor) -> None:
    """Send it to a worker. If no queue answers, its page says so."""
    kwargs = {
        "site": ref.site,
        "project_id": ref.project_id,
        "testset_id": ref.testset_id,
        "source": source.to_json(),
        "user_id": by.id,
        "user_name": by.name,
    }
    try:
        queues.enqueue(build.name, settings.STEPS_QUEUE, kwargs)
    except CountersignError as error:
        log.warning("queue did not answer, no documents are added", extra={"error": type(error).__name__})
        actions.record_refusal(ref, _UNSENT)

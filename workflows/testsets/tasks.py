"""The Celery task that adds documents to a test set."""

from celery import shared_task
from django.conf import settings

from config.brokers import queues
from projects.audit.events import Actor
from workflows.testsets import building
from workflows.testsets.building import Source
from workflows.testsets.queries import SetRef


@shared_task(name="workflows.testsets.tasks.build", time_limit=1800)
def build(
    *, site: str, project_id: str, testset_id: str, source: dict[str, str | int], user_id: str, user_name: str
) -> None:
    """Add what ``source`` names; delivered twice, the second adds nothing."""
    ref = SetRef(site, project_id, testset_id)
    building.build_test_set(ref, Source(**source), by=Actor(user_id, user_name))  # type: ignore[arg-type]  # as ordered


def order_building(ref: SetRef, source: Source, *, by: Actor) -> None:
    """Raises: Unavailable."""
    kwargs = {
        "site": ref.site,
        "project_id": ref.project_id,
        "testset_id": ref.testset_id,
        "source": source.to_json(),
        "user_id": by.id,
        "user_name": by.name,
    }
    queues.enqueue(build.name, settings.STEPS_QUEUE, kwargs)

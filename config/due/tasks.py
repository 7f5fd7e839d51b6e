"""The Celery task of the sweeper."""

from celery import shared_task

from config.due import sweeper


@shared_task(name="review.tasks.sweep", time_limit=300)
def sweep() -> None:
    """Handle everything that is due."""
    sweeper.sweep()

"""What drives runs from state to state: Step Functions, or the messages themselves."""

from django.conf import settings

from config.transport import CELERY


def chosen() -> str | None:
    """The engine of attempts that begin now, as a run's row keeps it: nothing for Step Functions."""
    return CELERY if settings.ENGINE == CELERY else None

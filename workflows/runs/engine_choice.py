"""What drives runs from state to state: Step Functions, or the messages themselves."""

from django.conf import settings

from config.brokers.transport import BROKER_NAMES, CELERY


def choose_engine() -> str | None:
    """The engine of attempts that begin now, as a run's row keeps it: nothing for Step Functions."""
    return CELERY if settings.ENGINE == CELERY else None


def words() -> str:
    """The chosen one and what carries its messages, for a page."""
    return f"{'Messages' if choose_engine() else 'Step Functions'}, on {BROKER_NAMES[settings.BROKER]}"

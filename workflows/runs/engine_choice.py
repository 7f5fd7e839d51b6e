"""The engine that drives runs: Step Functions or messages."""

from django.conf import settings

from config.brokers.transport import BROKER_NAMES, CELERY
from config.phrase import Phrase


def choose_engine() -> str | None:
    """Return the engine of new attempts, as stored on a run: None for Step Functions."""
    return CELERY if settings.ENGINE == CELERY else None


def words() -> str:
    """Return the engine and its broker, for a page."""
    said = Phrase("Messages, on %(broker)s") if choose_engine() else Phrase("Step Functions, on %(broker)s")
    return said.fill(broker=BROKER_NAMES[settings.BROKER])

"""Settings, AWS clients, the key space, errors and time: what every other package stands on."""

from config.celery import app as celery_app

__all__ = ["celery_app"]

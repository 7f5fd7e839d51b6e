"""The foundation of every other package: settings, AWS clients, the key space, errors and time."""

from config.celery import app as celery_app

__all__ = ["celery_app"]

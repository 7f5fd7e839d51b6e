"""Celery's application for workers that on their first start are up, say so, and take no message."""

from typing import Any

from celery.signals import worker_ready

from tests.flow.noting import NOTED, app

__all__ = ["app"]


@worker_ready.connect
def _stop_listening(sender: Any, **_: Any) -> None:
    first = NOTED.with_name(f"deaf-{sender.hostname}")
    if not first.exists():
        first.touch()
        sender.task_consumer.cancel()

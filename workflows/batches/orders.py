"""Messages that batches send, by task name. With another engine, only this module changes."""

import json
from collections.abc import Iterable

from django.conf import settings

from config.brokers import queues
from workflows.engine import driver
from workflows.engine.machines import batch
from workflows.runs import engine_choice
from workflows.storage import files
from workflows.storage.objects import SiteFiles

READ, LINE, UNPACK = "workflows.batches.tasks.read", "workflows.batches.tasks.take_line", "workflows.tasks.unpack"
LOOK = "workflows.batches.tasks.look"


def order_reading(site: str, batch_id: str, attempt: int) -> None:
    """Raises: Unavailable."""
    _send(READ, site=site, batch_id=batch_id, attempt=attempt)


def order_line(site: str, batch_id: str, attempt: int, lane: int, position: int) -> None:
    """Raises: Unavailable."""
    _send(LINE, site=site, batch_id=batch_id, attempt=attempt, lane=lane, position=position)


def order_unpacking(site: str, document_id: str) -> None:
    """Raises: Unavailable."""
    _send(UNPACK, site=site, document_id=document_id)


def order_drive(site: str, batch_id: str) -> None:
    """Raises: Unavailable."""
    _send(LOOK, site=site, batch_id=batch_id)


def order_items(site: str, batch_id: str, attempt: int, parts: int) -> None:
    """Send the parts to the parent state machine. Raises: Unavailable."""
    found = [{"site": site, "batch_id": batch_id, "attempt": attempt, "part": part} for part in range(parts)]
    SiteFiles(site).write(files.batch_items(batch_id, attempt), json.dumps(found).encode(), "application/json")


def all_parts(site: str, batch_id: str, attempt: int, count: int) -> None:
    """Order all parts: by the parent state machine, or by a message each if messages drive runs.

    Raises: Unavailable.
    """
    if engine_choice.choose_engine():
        order_parts(site, batch_id, attempt, range(count))
        return
    driver.start_batch(f"{site}-{batch_id}-{attempt}", SiteFiles(site).key(files.batch_items(batch_id, attempt)))


def order_parts(site: str, batch_id: str, attempt: int, which: Iterable[int]) -> None:
    """Order these parts by messages: those that were lost, or all if there is no state machine. Raises: Unavailable."""
    for part in which:
        _send(batch.TASK, site=site, batch_id=batch_id, attempt=attempt, part=part)


def _send(task: str, **kwargs: str | int) -> None:
    queues.enqueue(task, settings.STEPS_QUEUE, kwargs)

"""Handling of unexpected errors in intake tasks: a few retries, then giving up with a message.

Celery acknowledges the message of a task that raises, so an error that leaves such a task loses its work silently.
"""

import logging
from collections.abc import Callable
from typing import Any

from config import disk, logs
from config.errors import Unavailable

log = logging.getLogger(__name__)

MOST = 3  # tries of one message
_LONGEST_PAUSE = 60  # seconds


def attempt(task: Any, work: Callable[[], object], give_up: Callable[[], object]) -> None:
    """Do ``work``; retry if something does not answer, and a few times after any other error.

    After that ``give_up`` records the message for people. If it fails too, the task is retried as well. Neither log nor
    row gets the text of the error, which may be the document's: only its class and location.
    """
    error = _call_and_catch(work)
    if error is None:
        return
    if not isinstance(error, Unavailable):
        last = task.request.retries + 1 >= MOST
        level = logging.ERROR if last else logging.WARNING
        log.log(level, "intake stopped unexpectedly", extra={"task": task.name, "error": logs.place_of(error)})
        if last and (error := _call_and_catch(give_up)) is None:
            return
    # Outside of every ``except``: if the queue refuses the message, Celery logs the error with its context.
    raise task.retry(countdown=min(2**task.request.retries, _LONGEST_PAUSE))


def once_more(work: Callable[[], object], give_up: Callable[[], object]) -> None:
    """Run ``work``, a last and more tolerant try; call ``give_up`` if it raises. Raises: Unavailable."""
    error = _call_and_catch(work)
    if isinstance(error, Unavailable):
        raise error
    if error is not None:
        log.error("intake stopped unexpectedly", extra={"error": logs.place_of(error)})
        give_up()


def _call_and_catch(work: Callable[[], object]) -> Exception | None:
    try:
        with disk.full_is_unavailable():
            work()
    except Exception as error:  # noqa: BLE001 - whatever it is, the file must not be lost over it
        return error
    return None

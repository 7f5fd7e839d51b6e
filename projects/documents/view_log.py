"""Opening a document is recorded after its page was sent, once for some minutes; it never delays or fails a page."""

import atexit
import collections
import logging
import threading
import time
from typing import TypeVar

from django.conf import settings
from django.http import HttpResponseBase

from config import clock
from config.brokers import queues
from config.errors import CountersignError
from projects.audit.events import Actor, actor_of
from projects.documents.tasks import record_looks
from projects.web.http import DeskRequest

R = TypeVar("R", bound=HttpResponseBase)
log = logging.getLogger(__name__)

_REMEMBERED = 10_000
_MOST = 500  # looks in a message, which is then 120 KB of SQS's 256
_lock = threading.Lock()
# What this process has sent lately, so that paging through a document sends one message. The worker's own look into
# the activity is what makes it one row over all processes.
_sent: collections.OrderedDict[tuple[str, str, str], float] = collections.OrderedDict()
# Looks of a moment go out together: a message for each was a seventh of what opening a review costs. A process that
# is killed outright loses them, as it lost those of pages that were on their way.
_waiting: list[dict[str, str]] = []


def record_view(request: DeskRequest, response: R, document_id: str) -> R:
    """Have the look recorded once ``response`` has gone out; returns the response itself."""
    if request.method != "GET" or response.status_code != 200:
        return response
    return record_opening(request, response, document_id)


def record_opening(request: DeskRequest, response: R, document_id: str) -> R:
    """The same, whatever was asked for: ``response`` shows the document."""
    look = _look(request.site, document_id, actor_of(request.user))
    # Django calls these after the body was sent, and whatever they raise ends there.
    response._resource_closers.append(lambda: _note(look))  # type: ignore[attr-defined] # absent from the stubs
    return response


def note_view(site: str, document_id: str, *, by: Actor) -> None:
    """Have a look of a program recorded, which has no page that is sent first."""
    _note(_look(site, document_id, by))


def _look(site: str, document_id: str, by: Actor) -> dict[str, str]:
    at = clock.iso(clock.now())
    return {"site": site, "document_id": document_id, "user_id": by.id, "user_name": by.name, "at": at}


def _note(look: dict[str, str]) -> None:
    key, now = _key(look), time.monotonic()
    with _lock:
        if now - _sent.get(key, -settings.VIEW_ACTIVITY_SECONDS) < settings.VIEW_ACTIVITY_SECONDS:
            return
        _sent[key] = now
        _sent.move_to_end(key)
        if len(_sent) > _REMEMBERED:
            _sent.popitem(last=False)
        _waiting.append(look)
        is_first, is_full = len(_waiting) == 1, len(_waiting) >= _MOST
    if is_full or not settings.VIEW_GATHER_SECONDS:
        send_waiting()
    elif is_first:
        timer = threading.Timer(settings.VIEW_GATHER_SECONDS, send_waiting)
        timer.daemon = True
        timer.start()


@atexit.register
def send_waiting() -> None:
    """Send what has gathered; without an answer of the queue, the next look at the same documents counts."""
    with _lock:
        looks = _waiting[:]
        _waiting.clear()
    if not looks:
        return
    try:
        queues.enqueue(record_looks.name, settings.DESK_QUEUE, {"looks": looks})
    except CountersignError:
        with _lock:
            for look in looks:
                _sent.pop(_key(look), None)
        log.warning("looks not recorded", extra={"document": looks[0]["document_id"]})


def _key(look: dict[str, str]) -> tuple[str, str, str]:
    return look["site"], look["document_id"], look["user_id"]

"""Opening a document is recorded after its page was sent, once for some minutes; it never delays or fails a page."""

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
from projects.audit.events import actor_of
from projects.documents.tasks import record_look
from projects.web.http import DeskRequest

R = TypeVar("R", bound=HttpResponseBase)
log = logging.getLogger(__name__)

_REMEMBERED = 10_000
_lock = threading.Lock()
# What this process has sent lately, so that paging through a document sends one message. The worker's own look into
# the activity is what makes it one row over all processes.
_sent: collections.OrderedDict[tuple[str, str, str], float] = collections.OrderedDict()


def record_view(request: DeskRequest, response: R, document_id: str) -> R:
    """Have the look recorded once ``response`` has gone out; returns the response itself."""
    if request.method != "GET" or response.status_code != 200:
        return response
    return record_opening(request, response, document_id)


def record_opening(request: DeskRequest, response: R, document_id: str) -> R:
    """The same, whatever was asked for: ``response`` shows the document."""
    by, at = actor_of(request.user), clock.iso(clock.now())
    message = {"site": request.site, "document_id": document_id, "user_id": by.id, "user_name": by.name, "at": at}
    # Django calls these after the body was sent, and whatever they raise ends there.
    response._resource_closers.append(lambda: _send(message))  # type: ignore[attr-defined] # absent from the stubs
    return response


def _send(message: dict[str, str]) -> None:
    key = (message["site"], message["document_id"], message["user_id"])
    now = time.monotonic()
    with _lock:
        if now - _sent.get(key, -settings.VIEW_ACTIVITY_SECONDS) < settings.VIEW_ACTIVITY_SECONDS:
            return
        _sent[key] = now
        _sent.move_to_end(key)
        if len(_sent) > _REMEMBERED:
            _sent.popitem(last=False)
    try:
        queues.enqueue(record_look.name, settings.DESK_QUEUE, message)
    except CountersignError:
        with _lock:
            _sent.pop(key, None)
        log.warning("look not recorded", extra={"site": message["site"], "document": message["document_id"]})

"""Recording of document views, after the response and once per few minutes; it never delays or fails a page."""

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
Look = dict[str, str | int]  # what ``record_look`` takes
log = logging.getLogger(__name__)

_REMEMBERED = 10_000
_MOST = 500  # looks in a message, which is then 120 KB of SQS's 256
_lock = threading.Lock()
# What this process has sent lately, so that paging through a document sends one message. The worker's own look into
# the activity is what makes it one row over all processes.
_sent: collections.OrderedDict[tuple[str, ...], float] = collections.OrderedDict()
# Looks of a moment go out together: a message for each was a seventh of what opening a review costs. A process that
# is killed outright loses them, as it lost those of pages that were on their way.
_waiting: list[Look] = []


def record_view(request: DeskRequest, response: R, document_id: str) -> R:
    """Record the view once ``response`` is sent; return the response."""
    if request.method != "GET" or response.status_code != 200:
        return response
    return record_opening(request, response, document_id)


def record_opening(request: DeskRequest, response: R, document_id: str) -> R:
    """Record a view, like ``record_view``, for any response that shows the document."""
    policy = getattr(request, "policy_version", 0)
    look = _look(request.site, document_id, actor_of(request.user), policy)
    # Django calls these after the body was sent, and whatever they raise ends there.
    response._resource_closers.append(lambda: _note(look))  # type: ignore[attr-defined] # absent from the stubs
    return response


def note_view(site: str, document_id: str, *, by: Actor) -> None:
    """Record a program's view, which has no page."""
    _note(_look(site, document_id, by))


def note_denial(site: str, document_id: str, *, by: Actor, policy: int, what: str) -> None:
    """Record a denial by version ``policy`` of the access policy; ``what``: the reason."""
    _note(_look(site, document_id, by, policy) | {"denied": what})


def _look(site: str, document_id: str, by: Actor, policy: int = 0) -> Look:
    """``policy``: version of the active access policy, if any."""
    at = clock.iso(clock.now())
    look: Look = {"site": site, "document_id": document_id, "user_id": by.id, "user_name": by.name, "at": at}
    return look | {"policy": policy} if policy else look


def _note(look: Look) -> None:
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
    """Send gathered views; if the broker does not answer, the next view of the same documents is recorded."""
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


def _key(look: Look) -> tuple[str, ...]:
    """Key for recording once per few minutes: a view, or a kind of denial."""
    denied = str(look.get("denied", "")).partition(":")[0]
    return str(look["site"]), str(look["document_id"]), str(look["user_id"]), denied

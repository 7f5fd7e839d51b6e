"""Dead letters: messages that failed repeatedly, and undelivered events. An operator retries or discards them.

Only ids of a message are shown: the rest may include a token.
"""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from config.errors import CountersignError, NotFound
from config.phrase import Phrase
from config.table import DEFAULT_SITE
from config.transaction import transact
from projects.audit.events import Actor, entity_event
from workflows.operations import dead_letter_queues, undelivered_events
from workflows.operations.dead_letter_queues import DeadLetterBox, StoredMessage

_LOOKED = 30  # messages of a queue on a page
_ROUNDS = 12  # receives of ten messages each, since SQS returns any of them
_GONE = Phrase("This message is gone or in use by another user. Reload the page in a moment.")
_QUEUES = (*settings.QUEUE_URLS, undelivered_events.QUEUE)
_SHOWN = ("site", "project_id", "document_id", "workflow_id", "review_id", "step", "attempt")


@dataclass(frozen=True)
class DeadLetter:
    """``facts``: the ids in its task's arguments. ``at``: when it was first sent, or became a dead letter.

    ``again``: whether it can be sent again.
    """

    queue: str
    id: str
    task: str
    facts: tuple[tuple[str, str], ...]
    at: str
    again: bool = True


def list_dead_letters() -> list[DeadLetter]:
    """List the first messages found in each queue, latest first.

    Raises:
        Unavailable: a queue does not answer.

    """
    letters: list[DeadLetter] = []
    for queue in _QUEUES:
        with dead_letter_queues.open_box(queue) as box:
            found = box.look(_LOOKED)
            box.release(found)
        letters += [_letter(queue, one) for one in found]
    return sorted(letters, key=lambda one: one.at, reverse=True)


def replay_dead_letter(queue: str, message_id: str, *, by: Actor) -> DeadLetter:
    """Return a message to its queue.

    It is sent first and deleted then: a crash in between duplicates it, which tasks tolerate.

    Raises:
        NotFound: someone was faster, or it was not received this time.
        Refused: it is an event without a receiver to send to.

    """
    with _find_letter(queue, message_id) as (box, message):
        send = undelivered_events.check_resend(_content(message.body)) if queue == undelivered_events.QUEUE else None
        letter = _record_in_audit(queue, message, "replayed", by)
        if send:
            send()
        else:
            box.send_back(message)
        box.delete(message)
    return letter


def discard_dead_letter(queue: str, message_id: str, *, by: Actor) -> DeadLetter:
    """Raises: NotFound as ``replay_dead_letter``."""
    with _find_letter(queue, message_id) as (box, message):
        letter = _record_in_audit(queue, message, "discarded", by)
        box.delete(message)
    return letter


def _record_in_audit(queue: str, message: StoredMessage, word: str, by: Actor) -> DeadLetter:
    """Write the audit event first: nothing else is left of a discarded message."""
    letter = _letter(queue, message)
    payload = {"queue": queue, "task": letter.task, **dict(letter.facts)}
    transact([], entity_event(DEFAULT_SITE, "deadletter", letter.id, word, by=by, payload=payload))
    return letter


@contextmanager
def _find_letter(queue: str, message_id: str) -> Iterator[tuple[DeadLetterBox, StoredMessage]]:
    """Find the message and its box. If the caller's work fails, others see the message again at once."""
    if queue not in _QUEUES:
        raise NotFound(_GONE)
    with dead_letter_queues.open_box(queue) as box:
        looked = box.look(10 * _ROUNDS)
        message = next((one for one in looked if one.id == message_id), None)
        box.release([one for one in looked if one is not message])
        if message is None:
            raise NotFound(_GONE)
        try:
            yield box, message
        except CountersignError:
            box.release([message])
            raise


def _letter(queue: str, message: StoredMessage) -> DeadLetter:
    content = _content(message.body)
    task, facts = _task(content) or (
        ("unknown", {}) if queue in settings.QUEUE_URLS else undelivered_events.read_event(content)
    )
    again = queue in settings.QUEUE_URLS or undelivered_events.find_resend(content) is not None
    return DeadLetter(queue, message.id, task, tuple(facts.items()), message.at, again)


def _content(body: str) -> dict[str, Any]:
    """Return an empty dict if it is not a JSON object."""
    try:
        content = _json(body)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _task(envelope: dict[str, Any]) -> tuple[str, dict[str, str]] | None:
    """Return the task's name and the ids in its arguments; None if it is not a Celery message."""
    try:
        _, kwargs, _ = _json(envelope["body"])
        facts = {name: str(kwargs[name]) for name in _SHOWN if kwargs.get(name) not in {None, ""}}
        return str(envelope["headers"]["task"]), facts
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _json(text: str) -> Any:
    """Celery's own producer sends base64, Step Functions sends plain JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return json.loads(base64.b64decode(text))

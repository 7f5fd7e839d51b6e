"""Messages that came to a worker five times, and events that no one could be told of: put aside for a person.

Such a message is sent once more or thrown away.

Only ids of a message are shown: what else it carries may be a token.
"""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from config.errors import CountersignError, NotFound
from config.table import DEFAULT_SITE
from config.transaction import transact
from projects.audit.events import Actor, entity_event
from workflows.operations import dead_letter_queues, undelivered_events
from workflows.operations.dead_letter_queues import DeadLetterBox, StoredMessage

_LOOKED = 30  # messages of a queue that a page shows
_ROUNDS = 12  # of ten messages each: SQS answers with any of them
_GONE = "This message is gone or in use by another user. Reload the page in a moment."
_QUEUES = (*settings.QUEUE_URLS, undelivered_events.QUEUE)
_SHOWN = ("site", "project_id", "document_id", "workflow_id", "review_id", "step", "attempt")


@dataclass(frozen=True)
class DeadLetter:
    """``facts``: the ids that its task was given. ``at``: when it was sent first, or put aside.

    ``again``: whether it can be sent.
    """

    queue: str
    id: str
    task: str
    facts: tuple[tuple[str, str], ...]
    at: str
    again: bool = True


def list_dead_letters() -> list[DeadLetter]:
    """Of each queue the first that are found, the latest first.

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
    """Put it back into its queue.

    Sent first and taken out after: a crash between the two leaves it twice, which tasks bear.

    Raises:
        NotFound: someone was faster, or it is not found now.
        Refused: it is an event that there is no one to send to.

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
    """Raises: NotFound, as above."""
    with _find_letter(queue, message_id) as (box, message):
        letter = _record_in_audit(queue, message, "discarded", by)
        box.delete(message)
    return letter


def _record_in_audit(queue: str, message: StoredMessage, word: str, by: Actor) -> DeadLetter:
    """The audit says it before it is done: a message that is thrown away leaves nothing else."""
    letter = _letter(queue, message)
    payload = {"queue": queue, "task": letter.task, **dict(letter.facts)}
    transact([], entity_event(DEFAULT_SITE, "deadletter", letter.id, word, by=by, payload=payload))
    return letter


@contextmanager
def _find_letter(queue: str, message_id: str) -> Iterator[tuple[DeadLetterBox, StoredMessage]]:
    """The message and the box that it lies in; where what is done with it fails, others see it again at once."""
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
    """Empty for what is no JSON object."""
    try:
        content = _json(body)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _task(envelope: dict[str, Any]) -> tuple[str, dict[str, str]] | None:
    """The task's name and the ids among its arguments, of a message that Celery would take; None for any other."""
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

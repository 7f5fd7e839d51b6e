"""Messages whose task failed five times, and events that nobody could be told of: put aside for a person.

Such a message is sent once more or thrown away.

Only ids of a message are shown: what else it carries may be a token.
"""

import base64
import datetime as dt
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from config import aws, clock
from config.errors import NotFound, Refused
from config.table import DEFAULT_SITE
from config.transaction import transact
from projects.audit import Actor, entity_event
from workflows import undelivered

_LOOKED = 30  # messages of a queue that a page shows
_ROUNDS = 12  # of ten messages each: SQS answers with any of them
_HELD = 10  # seconds that a message stays with whom looks at it, should he die before he releases it
_QUEUES = (*settings.QUEUE_URLS, undelivered.QUEUE)
_SHOWN = ("site", "project_id", "document_id", "workflow_id", "review_id", "step", "attempt")


@dataclass(frozen=True)
class DeadLetter:
    """``facts``: the ids that its task was given. ``at``: when it was sent first. ``again``: whether it can be sent."""

    queue: str
    id: str
    task: str
    facts: tuple[tuple[str, str], ...]
    at: str
    again: bool = True


def listed() -> list[DeadLetter]:
    """Of each queue the first that SQS finds, the latest first.

    Raises:
        Unavailable: SQS does not answer.

    """
    letters: list[DeadLetter] = []
    for queue in _QUEUES:
        found = _looked(queue, _LOOKED)
        _release(queue, found)
        letters += [_letter(queue, one) for one in found]
    return sorted(letters, key=lambda one: one.at, reverse=True)


def replay(queue: str, message_id: str, *, by: Actor) -> DeadLetter:
    """Put it back into its queue.

    Sent first and taken out after: a crash between the two leaves it twice, which tasks bear.

    Raises:
        NotFound: somebody was faster, or SQS does not find it now.
        Refused: it is an event that there is nobody to send to.

    """
    message = _found(queue, message_id)
    try:
        send = _way(queue, message["Body"])
    except Refused:
        _release(queue, [message])
        raise
    letter = _told(queue, message, "replayed", by)
    send()
    _delete(queue, message)
    return letter


def discard(queue: str, message_id: str, *, by: Actor) -> DeadLetter:
    """Raises: NotFound, as above."""
    message = _found(queue, message_id)
    letter = _told(queue, message, "discarded", by)
    _delete(queue, message)
    return letter


def _way(queue: str, body: str) -> Callable[[], None]:
    if queue == undelivered.QUEUE:
        return undelivered.check(_content(body))

    def send() -> None:
        with aws.translated():
            aws.client("sqs").send_message(QueueUrl=settings.QUEUE_URLS[queue], MessageBody=body)

    return send


def _told(queue: str, message: dict[str, Any], word: str, by: Actor) -> DeadLetter:
    """The audit says it before it is done: a message that is thrown away leaves nothing else."""
    letter = _letter(queue, message)
    payload = {"queue": queue, "task": letter.task, **dict(letter.facts)}
    transact([], entity_event(DEFAULT_SITE, "deadletter", letter.id, word, by=by, payload=payload))
    return letter


def _delete(queue: str, message: dict[str, Any]) -> None:
    with aws.translated():
        aws.client("sqs").delete_message(QueueUrl=_url(queue), ReceiptHandle=message["ReceiptHandle"])


def _found(queue: str, message_id: str) -> dict[str, Any]:
    looked = _looked(queue, 10 * _ROUNDS) if queue in _QUEUES else []
    _release(queue, [one for one in looked if one["MessageId"] != message_id])
    for message in looked:
        if message["MessageId"] == message_id:
            return message
    raise NotFound("This message is not there any more, or is just being looked at. Open the page again in a moment.")


def _looked(queue: str, most: int) -> list[dict[str, Any]]:
    """Nobody else sees them until they are released, or ``_HELD`` is over."""
    found: list[dict[str, Any]] = []
    while len(found) < most:
        with aws.translated():
            answer = aws.client("sqs").receive_message(
                QueueUrl=_url(queue), MaxNumberOfMessages=10, VisibilityTimeout=_HELD,
                MessageSystemAttributeNames=["SentTimestamp"],
            )  # fmt: skip
        found += answer.get("Messages", ())
        if not answer.get("Messages"):
            break
    return found


def _release(queue: str, messages: Sequence[dict[str, Any]]) -> None:
    for batch in (messages[i : i + 10] for i in range(0, len(messages), 10)):
        entries = [
            {"Id": str(i), "ReceiptHandle": one["ReceiptHandle"], "VisibilityTimeout": 0} for i, one in enumerate(batch)
        ]
        with aws.translated():
            aws.client("sqs").change_message_visibility_batch(QueueUrl=_url(queue), Entries=entries)


def _letter(queue: str, message: dict[str, Any]) -> DeadLetter:
    content = _content(message["Body"])
    task, facts = _task(content) or (("unknown", {}) if queue in settings.QUEUE_URLS else undelivered.read(content))
    sent = int(message.get("Attributes", {}).get("SentTimestamp", 0)) / 1000
    at = clock.iso(dt.datetime.fromtimestamp(sent, dt.UTC))
    again = queue in settings.QUEUE_URLS or undelivered.way(content) is not None
    return DeadLetter(queue, message["MessageId"], task, tuple(facts.items()), at, again)


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


def _url(queue: str) -> str:
    return f"{settings.QUEUE_URLS.get(queue, settings.EVENTS_QUEUE_URL)}-dead"

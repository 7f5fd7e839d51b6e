"""Events that EventBridge could not deliver for a day: how they are displayed and sent again.

Source: AWS, "Using dead-letter queues to process undelivered events": the message is the event, or the output of the
rule's input transformer.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.utils.translation import gettext

from config import aws
from config.brokers import queues
from config.errors import Refused, Unavailable
from config.phrase import Phrase
from workflows.intake.tasks import take_incoming

QUEUE = settings.EVENTS_QUEUE
_OBJECT_CREATED = "aws.s3"
_IDS = {"siteId": "site", "projectId": "project_id", "documentId": "document_id", "workflowId": "workflow_id"}
_NO_WAY = Phrase("This event only reports an ended execution and has no recipient. Discard it.")


def read_event(content: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """Return its name, and the ids in it.

    >>> read_event({"detail-type": "document.processed", "detail": {"documentId": "d", "uri": "s3://b/k"}})
    ('event document.processed', {'document_id': 'd'})
    """
    detail = content.get("detail")
    if not isinstance(detail, dict):
        return "event", {name: str(content[name]) for name in ("execution", "status") if name in content}
    facts = {ours: str(detail[theirs]) for theirs, ours in _IDS.items() if detail.get(theirs)}
    if content.get("source") == _OBJECT_CREATED:
        facts["key"] = str(detail["object"]["key"]) if _is_object(detail) else ""
    return Phrase("event %(type)s").fill(type=content.get("detail-type", "unknown")), facts


def find_resend(content: Mapping[str, Any]) -> Callable[[], None] | None:
    """Return the function that sends it again; None if nothing waits for it.

    Our own events go on the bus again under the same id, so that receivers can detect duplicates.
    """
    detail = content.get("detail")
    if isinstance(detail, dict) and content.get("source") == settings.EVENT_SOURCE:
        return lambda: _publish(str(content.get("detail-type")), detail)
    if isinstance(detail, dict) and content.get("source") == _OBJECT_CREATED and _is_object(detail):
        return lambda: _take(detail)
    return _message(content)


def check_resend(content: Mapping[str, Any]) -> Callable[[], None]:
    """Raises: Refused if it cannot be sent again."""
    found = find_resend(content)
    if found is None:
        raise Refused(_NO_WAY)
    return found


def _publish(kind: str, detail: Mapping[str, Any]) -> None:
    entry = {
        "Source": settings.EVENT_SOURCE,
        "DetailType": kind,
        "Detail": json.dumps(dict(detail), ensure_ascii=False),
        "EventBusName": settings.BUS_NAME,
    }
    with aws.translate_aws_errors():
        answer = aws.aws_client("events").put_events(Entries=[entry])
    if answer.get("FailedEntryCount"):
        raise Unavailable(gettext("The event bus rejected the event. Try again in a moment."))


def _is_object(detail: Mapping[str, Any]) -> bool:
    found = detail.get("object")
    return isinstance(found, dict) and {"key", "size"} <= set(found)


def _take(detail: Mapping[str, Any]) -> None:
    """Send what the state machine behind the rule would order."""
    found = detail["object"]
    kwargs = {"key": found["key"], "version": found.get("version-id", ""), "size": found["size"]}
    queues.enqueue(take_incoming.name, settings.STEPS_QUEUE, kwargs)


def _message(content: Mapping[str, Any]) -> Callable[[], None] | None:
    """Return how to send a message that the rule itself made for a work queue."""
    info = (content.get("properties") or {}).get("delivery_info") or {}
    url = settings.QUEUE_URLS.get(str(info.get("routing_key")))
    if url is None:
        return None

    def send() -> None:
        with aws.translate_aws_errors():
            aws.aws_client("sqs").send_message(QueueUrl=url, MessageBody=json.dumps(dict(content)))

    return send

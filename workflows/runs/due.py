"""The handler of due events, which the bus has not accepted yet."""

from config.due.registry import due
from workflows.runs import events
from workflows.runs.items import DocumentEvent


@due("event", DocumentEvent)
def publish_event(_site: str, row: DocumentEvent) -> None:
    events.publish(row)

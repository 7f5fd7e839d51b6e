"""What is done with an event that is due: the bus has not taken it yet."""

from config.due.registry import due
from workflows.runs import events
from workflows.runs.items import DocumentEvent


@due("event", DocumentEvent)
def publish_event(_site: str, row: DocumentEvent) -> None:
    events.publish(row)

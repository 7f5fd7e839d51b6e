"""What is done with an event that is due: the bus has not taken it yet."""

from workflows.runs import events
from workflows.runs.items.events import DocumentEvent


def publish_event(_site: str, due: DocumentEvent) -> None:
    events.publish(due)

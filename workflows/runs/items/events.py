"""Lineage: what happened to a document, append-only (seed 004); an event for the bus waits in GSI2 until it is sent."""

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config import table
from config.due.items import DueWork
from config.item import map_attribute


class DocumentEvent(DueWork):
    due_entity = table.DOCUMENT_EVENT  # also of a batch: its key ends as a document's
    event_id = UnicodeAttribute()
    type = UnicodeAttribute()
    occurredAt = UnicodeAttribute()  # noqa: N815 - the seeds' names are what is stored
    correlationId = UnicodeAttribute()  # noqa: N815 - the run
    by = UnicodeAttribute(null=True)  # the name of who did it, as it was then
    userId = UnicodeAttribute(null=True)  # noqa: N815 - whose name that was: names change and are not unique
    status = UnicodeAttribute(null=True)
    reviewer = UnicodeAttribute(null=True)  # the id of who decided
    decision = UnicodeAttribute(null=True)
    # Where the run's file and work are found outside the desk (workflows.runs.traces).
    bucket = UnicodeAttribute(null=True)
    s3_key = UnicodeAttribute(null=True)
    s3version = UnicodeAttribute(null=True)
    executionArn = UnicodeAttribute(null=True)  # noqa: N815
    jobId = UnicodeAttribute(null=True)  # noqa: N815 - an outside service's
    retryCount = NumberAttribute(null=True)  # noqa: N815
    facts = map_attribute(null=True)
    bus_type = UnicodeAttribute(null=True)
    bus_detail = UnicodeAttribute(null=True)  # JSON, as it goes out

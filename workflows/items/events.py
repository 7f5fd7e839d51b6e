"""Lineage: what happened to a document, append-only (seed 004); an event for the bus waits in GSI2 until it is sent."""

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config.item import Item, map_attribute


class DocumentEvent(Item):
    event_id = UnicodeAttribute()
    type = UnicodeAttribute()
    occurredAt = UnicodeAttribute()  # noqa: N815 - the seeds' names are what is stored
    correlationId = UnicodeAttribute()  # noqa: N815 - the run
    by = UnicodeAttribute(null=True)  # who, where a person did it
    status = UnicodeAttribute(null=True)
    reviewer = UnicodeAttribute(null=True)
    decision = UnicodeAttribute(null=True)
    retryCount = NumberAttribute(null=True)  # noqa: N815
    facts = map_attribute(null=True)
    bus_type = UnicodeAttribute(null=True)
    bus_detail = UnicodeAttribute(null=True)  # JSON, as it goes out

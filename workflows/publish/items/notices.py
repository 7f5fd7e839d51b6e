"""Whether who sent a document was told that its run ended without a publication."""

from enum import StrEnum

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config.item import Item


class NoticeStatus(StrEnum):
    """Stored as written."""

    OPEN = "open"
    TOLD = "told"
    NOBODY = "nobody"  # there is no address to tell it to
    OVERTAKEN = "overtaken"  # the run went on, or the document was deleted, before anybody was told
    GIVEN_UP = "given_up"


class SenderNotice(Item):
    """One ending of one attempt, with a worker's lease on the telling of it.

    Access: by run and attempt; due (GSI2, until it is told).
    """

    project_id = UnicodeAttribute()
    document_id = UnicodeAttribute()
    workflow_id = UnicodeAttribute()
    attempt = NumberAttribute()  # of the engine
    outcome = UnicodeAttribute()
    status = UnicodeAttribute()
    due_at = UnicodeAttribute()
    tries = NumberAttribute(default=0)
    lease_owner = UnicodeAttribute(null=True)
    # Not the projected name: a claim must not write index rows.
    lease_until = UnicodeAttribute(null=True, attr_name="step_lease_until")
    message = UnicodeAttribute(null=True)  # why it was not told, for people
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()

"""Whether who sent a document was told that its run ended without a publication."""

from enum import StrEnum

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config import table
from config.due.items import CountedWork


class NoticeStatus(StrEnum):
    """Stored as written."""

    OPEN = "open"
    TOLD = "told"
    NOBODY = "nobody"  # there is no address to tell it to
    OVERTAKEN = "overtaken"  # the run went on, or the document was deleted, before anybody was told
    GIVEN_UP = "given_up"


class SenderNotice(CountedWork):
    """One ending of one attempt, with a worker's lease on the telling of it.

    Access: by run and attempt; due (GSI2, until it is told).
    """

    due_entity = table.SENDER_NOTICE
    project_id = UnicodeAttribute()
    document_id = UnicodeAttribute()
    workflow_id = UnicodeAttribute()
    attempt = NumberAttribute()  # of the engine
    outcome = UnicodeAttribute()
    status = UnicodeAttribute()
    due_at = UnicodeAttribute()
    message = UnicodeAttribute(null=True)  # why it was not told, for people
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()

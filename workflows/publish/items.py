"""Rows of follow-ups: actions (seed 002), a run's follow-ups as due work, notices to senders, webhook deliveries."""

from enum import StrEnum

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config import table
from config.due.items import CountedWork, DueWork
from config.item import Item, map_attribute


class DocumentAction(Item):
    """One action, ordered by ``idx`` over all runs of the document.

    Access: a document's; those in a queue (GSI1, while it waits for a person); by status (GSI2, until it is done).
    Denormalized for the indexes: what a queue's page shows of the document.
    """

    documentId = UnicodeAttribute(null=True)  # noqa: N815 - the seed's names, as stored; absent only in index rows
    type = UnicodeAttribute(null=True)
    status = UnicodeAttribute()
    parameters = map_attribute(null=True)
    metadata = map_attribute(null=True)
    userId = UnicodeAttribute(null=True)  # noqa: N815
    inserteddate = UnicodeAttribute(null=True)
    startDate = UnicodeAttribute(null=True)  # noqa: N815
    completedDate = UnicodeAttribute(null=True)  # noqa: N815
    message = UnicodeAttribute(null=True)
    queueId = UnicodeAttribute(null=True)  # noqa: N815
    workflowId = UnicodeAttribute(null=True)  # noqa: N815 - the run
    attempts = NumberAttribute(default=0)
    name = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)
    workflow_id = UnicodeAttribute(null=True)
    project_id = UnicodeAttribute(null=True)
    project_name = UnicodeAttribute(null=True)
    file_type = UnicodeAttribute(null=True)
    created_at = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute(null=True)

    @property
    def idx(self) -> int:
        return int(self.SK.split("#")[1])

    @property
    def kind(self) -> str:
        return self.SK.split("#")[2]


class FollowUp(DueWork):
    """A run's actions and mappings as one unit of due work, with a worker's lease.

    Access: by run; due (GSI2, while something is to be done at a time).
    """

    due_entity = table.FOLLOW_UP
    documentId = UnicodeAttribute()  # noqa: N815 - as the rows beside it
    workflowId = UnicodeAttribute()  # noqa: N815
    project_id = UnicodeAttribute()
    status = UnicodeAttribute()
    due_at = UnicodeAttribute()
    mapped_at = UnicodeAttribute(null=True)
    message = UnicodeAttribute(null=True)  # attributes that could not be set, in sentences
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()


class NoticeStatus(StrEnum):
    """The status, stored as written."""

    OPEN = "open"
    TOLD = "told"
    NOBODY = "nobody"  # there is no address to send it to
    OVERTAKEN = "overtaken"  # the run continued, or the document was deleted, before it was sent
    GIVEN_UP = "given_up"


class SenderNotice(CountedWork):
    """The notice of an attempt's end, with a worker's lease.

    Access: by run and attempt; due (GSI2, until it is sent).
    """

    due_entity = table.SENDER_NOTICE
    project_id = UnicodeAttribute()
    document_id = UnicodeAttribute()
    workflow_id = UnicodeAttribute()
    attempt = NumberAttribute()  # the engine's attempt
    outcome = UnicodeAttribute()
    status = UnicodeAttribute()
    due_at = UnicodeAttribute()
    message = UnicodeAttribute(null=True)  # why it was not sent, for people
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()


class WebhookDelivery(Item):
    """One call. Access: all of a site by time, until its TTL.

    ``status``: of the response; unset if there was none. ``delivery_id``: the same for all attempts of one delivery.
    """

    delivery_id = UnicodeAttribute()
    url = UnicodeAttribute()
    kind = UnicodeAttribute()  # the event's type
    status = NumberAttribute(null=True)
    message = UnicodeAttribute()
    seconds = NumberAttribute()
    document_id = UnicodeAttribute(null=True)
    workflow_id = UnicodeAttribute(null=True)
    created_at = UnicodeAttribute()

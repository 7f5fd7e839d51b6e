"""Rows of what follows a publication: actions (seed 002), who looks after them and when, notices to a sender."""

from enum import StrEnum

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config import table
from config.due.items import CountedWork, DueWork
from config.item import Item, map_attribute


class DocumentAction(Item):
    """One thing to do, in the order of ``idx`` over all runs of the document.

    Access: a document's; those in a queue (GSI1, while a person is to look at it); by status (GSI2, until it is done).
    Flat for the indexes: what the page of a queue shows of the document.
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
    """One run's actions and mappings as one thing to look after, with a worker's lease on it.

    Access: by run; due (GSI2, while something is to be done at a time).
    """

    due_entity = table.FOLLOW_UP
    documentId = UnicodeAttribute()  # noqa: N815 - as the rows beside it
    workflowId = UnicodeAttribute()  # noqa: N815
    project_id = UnicodeAttribute()
    status = UnicodeAttribute()
    due_at = UnicodeAttribute()
    mapped_at = UnicodeAttribute(null=True)
    message = UnicodeAttribute(null=True)  # what the mappings could not set, in sentences
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()


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


class WebhookDelivery(Item):
    """One call. Access: all of a site in the order of time, until its TTL.

    ``status``: of the answer; unset if none came. ``delivery_id``: the same for each attempt of one delivery.
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

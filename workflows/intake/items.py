"""Rows of files that other systems put into the bucket (seed 004), and of the folders' assignments."""

from enum import StrEnum

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config import table
from config.due.items import CountedWork
from config.item import Item


class IncomingStatus(StrEnum):
    QUARANTINED = "QUARANTINED"  # not processed; an admin has to look at it
    AGAIN = "AGAIN"  # an admin retries it
    TAKEN = "TAKEN"  # it has a document
    DISCARDED = "DISCARDED"


WAITING = (IncomingStatus.QUARANTINED, IncomingStatus.AGAIN)
OPEN = ("", IncomingStatus.AGAIN)  # states in which a worker may take it; empty: there is no row yet


class IncomingFile(Item):
    """One version of one object, however often it was announced. Access: by its digest; of a site while quarantined."""

    s3_key = UnicodeAttribute(null=True)  # absent only in index rows
    s3version = UnicodeAttribute(null=True)
    name = UnicodeAttribute()
    tenant = UnicodeAttribute(null=True)  # as the key says
    status = UnicodeAttribute()
    message = UnicodeAttribute(null=True)
    siteId = UnicodeAttribute(null=True)  # noqa: N815 - seed 002's name
    project_id = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)
    file_size = NumberAttribute()
    created_at = UnicodeAttribute()

    @property
    def digest(self) -> str:
        return self.PK.rpartition("#")[2]


class ArrivalBegin(CountedWork):
    """The tries of one arrival, for the bucket's own message or for one line of a batch.

    The bucket's row is due (GSI2) until the file is a document or in quarantine, and has the content of its message.
    That of a line expires after a while, as the line's batch is due.
    """

    due_entity = table.ARRIVAL_BEGIN
    s3_key = UnicodeAttribute(null=True)
    s3version = UnicodeAttribute(null=True)
    file_size = NumberAttribute(null=True)

    @property
    def digest(self) -> str:
        return self.PK.rpartition("#")[2]


class IncomingOrigin(Item):
    """The origin of a document: the arrival's ``digest``. Access: by the document."""

    digest = UnicodeAttribute()


class IncomingTenant(Item):
    """The assignment of a folder: a site, and the project that takes its files. Access: all by name."""

    siteId = UnicodeAttribute()  # noqa: N815 - seed 002's name
    project_id = UnicodeAttribute()
    project_name = UnicodeAttribute(null=True)
    updated_by = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute(null=True)

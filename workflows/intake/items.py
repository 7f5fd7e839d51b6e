"""Files that other systems put into the bucket (seed 004), and whose they are."""

from enum import StrEnum

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config import table
from config.due.items import CountedWork
from config.item import Item


class IncomingStatus(StrEnum):
    QUARANTINED = "QUARANTINED"  # a person is to look: nothing was made of it
    AGAIN = "AGAIN"  # a person wants it tried again
    TAKEN = "TAKEN"  # there is a document of it
    DISCARDED = "DISCARDED"


WAITING = (IncomingStatus.QUARANTINED, IncomingStatus.AGAIN)
OPEN = ("", IncomingStatus.AGAIN)  # a worker is to take it; empty: there is no row of it yet


class IncomingFile(Item):
    """One version of one object, whoever told of it and how often. Access: by its digest; of a site while it waits."""

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
    """Begins of one arrival, for the bucket's own message or for one line of a batch.

    That of the bucket is due (GSI2) until the file is a document or in quarantine, and says what its message says. That
    of a line goes by itself after a while: the line's batch is due.
    """

    due_entity = table.ARRIVAL_BEGIN
    s3_key = UnicodeAttribute(null=True)
    s3version = UnicodeAttribute(null=True)
    file_size = NumberAttribute(null=True)

    @property
    def digest(self) -> str:
        return self.PK.rpartition("#")[2]


class IncomingOrigin(Item):
    """What a document was made of: the arrival's ``digest``. Access: by the document."""

    digest = UnicodeAttribute()


class IncomingTenant(Item):
    """Whose documents lie under one name: a site, and the project that reads them. Access: all of them by name."""

    siteId = UnicodeAttribute()  # noqa: N815 - seed 002's name
    project_id = UnicodeAttribute()
    project_name = UnicodeAttribute(null=True)
    updated_by = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute(null=True)

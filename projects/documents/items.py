"""Rows of documents (seed 002): tags, attributes, activity, duplicates, removals and counters."""

from decimal import Decimal
from enum import StrEnum
from typing import Any

from pynamodb.attributes import (
    Attribute,
    BooleanAttribute,
    ListAttribute,
    NumberAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
)
from pynamodb.constants import NUMBER

from config import clock, table
from config.due.items import CountedWork, DueWork
from config.item import Item, VersionItem, map_attribute
from config.table import decode_part

HANDED_OVER = "desk-"  # how the ids of what other systems ask about begin; a document's own is a UUID


class DocumentActivity(VersionItem):
    """Access: by document; by user (GSI1); all (GSI2); each in the order of time.

    ``changes``: ``[{"what": …, "before": …, "after": …}]``. ``versionPk``, ``versionSk``: the row that keeps what was.
    """

    documentId = UnicodeAttribute()  # noqa: N815 - the seed's names, as stored
    type = UnicodeAttribute()
    userId = UnicodeAttribute()  # noqa: N815
    user_name = UnicodeAttribute()
    name = UnicodeAttribute(null=True)
    inserteddate = UnicodeAttribute()
    changes: ListAttribute[Any] = ListAttribute(null=True)
    versionPk = UnicodeAttribute(null=True)  # noqa: N815
    versionSk = UnicodeAttribute(null=True)  # noqa: N815


class DocumentCopy(Item):
    """A document's digest. Access: all documents with a digest."""

    documentId = UnicodeAttribute()  # noqa: N815 - as in the other rows of documents
    kind = UnicodeAttribute()  # file or invoice
    seen_at = UnicodeAttribute()  # when the digest was first found in it


class DocumentDigests(Item):
    """The digests of one document. Access: by document."""

    digests = UnicodeSetAttribute(null=True)


class Counter(Item):
    """Of a site or a project: documents by status. Of a classification: ``documents``. Of a queue: ``waiting``,
    and ``postponed``, which are not among the waiting.

    Access: all shards of one counter, or all counters of a kind (the partition). A shard may be below zero: the number
    of shards may have grown between a document's coming and its going.
    """

    in_progress = NumberAttribute(null=True)
    waiting = NumberAttribute(null=True)
    published = NumberAttribute(null=True)
    rejected = NumberAttribute(null=True)
    expired = NumberAttribute(null=True)
    failed = NumberAttribute(null=True)
    partial = NumberAttribute(null=True)
    cancelled = NumberAttribute(null=True)
    unpacked = NumberAttribute(null=True)
    documents = NumberAttribute(null=True)
    postponed = NumberAttribute(null=True)

    @property
    def counted(self) -> str:
        return self.SK.split("#")[1]

    @property
    def shard(self) -> int:
        return int(self.SK.split("#")[2])

    @property
    def numbers(self) -> dict[str, int]:
        """Return the counts that are not zero."""
        return {name: int(number) for name in NAMES if (number := getattr(self, name))}


NAMES = (
    "in_progress",
    "waiting",
    "published",
    "rejected",
    "expired",
    "failed",
    "partial",
    "cancelled",
    "unpacked",
    "documents",
    "postponed",
)


class Document(Item):
    """A live document. Access: by id; by the day it came (GSI1) and by classification (GSI2), newest first.

    ``revision`` is bumped by every change of the document, its tags and attributes: what is written was based on what
    is there. ``content_at`` is the second that the current content's version is stored under.
    """

    documentId = UnicodeAttribute()  # noqa: N815 - the seed's names, as stored
    inserteddate = UnicodeAttribute()
    lastModifiedDate = UnicodeAttribute()  # noqa: N815
    userId = UnicodeAttribute()  # noqa: N815
    path = UnicodeAttribute()
    deepLinkPath = UnicodeAttribute(null=True)  # noqa: N815
    metadata = map_attribute(null=True)  # keys start with md#
    contentType = UnicodeAttribute()  # noqa: N815
    contentLength = NumberAttribute()  # noqa: N815
    checksum = UnicodeAttribute(null=True)  # hexadecimal
    checksumType = UnicodeAttribute(null=True)  # noqa: N815
    s3version = UnicodeAttribute(null=True)
    belongsToDocumentId = UnicodeAttribute(null=True)  # noqa: N815
    queue = UnicodeAttribute(null=True)  # the queue it belongs to: groups that this does not admit get 404 for it
    folder_id = UnicodeAttribute(null=True)  # the folder it is filed in; ``path`` ends with its name there
    classification_id = UnicodeAttribute(null=True)  # whose schema its attributes follow, beside the site's own
    s3_key = UnicodeAttribute()
    user_name = UnicodeAttribute()
    content_at = UnicodeAttribute()
    revision = NumberAttribute()
    name = UnicodeAttribute()
    document_id = UnicodeAttribute()
    project_id = UnicodeAttribute()
    project_name = UnicodeAttribute(null=True)
    file_type = UnicodeAttribute()
    file_size = NumberAttribute()
    created_at = UnicodeAttribute()
    status = UnicodeAttribute(null=True)  # a DocumentStatus, for lists by day and by classification
    hold_at = UnicodeAttribute(null=True)  # while it is on legal hold: nothing deletes it
    hold_by = UnicodeAttribute(null=True)
    hold_by_name = UnicodeAttribute(null=True)
    hold_reason = UnicodeAttribute(null=True)
    lock_at = UnicodeAttribute(null=True)  # while someone has it checked out, until ``lock_until``
    lock_by = UnicodeAttribute(null=True)
    lock_by_name = UnicodeAttribute(null=True)
    lock_until = UnicodeAttribute(null=True)

    @property
    def is_locked(self) -> bool:
        """A lock that has ended is none."""
        return bool(self.lock_until) and str(self.lock_until) > clock.iso(clock.now())


class ListedDocument(Item):
    """A document in a list, whichever of its rows the list found: what the indexes carry of all of them."""

    name = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)
    project_id = UnicodeAttribute(null=True)
    project_name = UnicodeAttribute(null=True)
    file_type = UnicodeAttribute(null=True)
    file_size = NumberAttribute(null=True)
    status = UnicodeAttribute(null=True)  # a DocumentStatus on a document's own row only
    created_at = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute(null=True)


class ProjectRow(Item):
    """A document's row in its project (seed 000), as far as its name is written; the workflows' own class has more."""

    name = UnicodeAttribute(null=True)
    data = map_attribute(null=True)


class ChildDocument(Item):
    """A document that came out of another: an attachment of a mail, a file of an archive. Access: by its parent."""

    documentId = UnicodeAttribute()  # noqa: N815
    belongsToDocumentId = UnicodeAttribute()  # noqa: N815
    name = UnicodeAttribute()
    file_type = UnicodeAttribute()
    file_size = NumberAttribute()
    inserteddate = UnicodeAttribute()
    deleted_at = UnicodeAttribute(null=True)  # while it is deleted: lists leave it out


class DocumentMetadataVersion(VersionItem):
    """The metadata as it was before a change. Access: by document, in time."""

    documentId = UnicodeAttribute()  # noqa: N815
    path = UnicodeAttribute()
    inserteddate = UnicodeAttribute()
    lastModifiedDate = UnicodeAttribute()  # noqa: N815
    deepLinkPath = UnicodeAttribute(null=True)  # noqa: N815
    metadata = map_attribute()


class DocumentVersion(VersionItem):
    """One version of a document's content; the newest is current. Access: by document, newest first."""

    contentType = UnicodeAttribute()  # noqa: N815
    contentLength = NumberAttribute()  # noqa: N815
    checksum = UnicodeAttribute(null=True)
    checksumType = UnicodeAttribute(null=True)  # noqa: N815
    s3version = UnicodeAttribute(null=True)
    s3_key = UnicodeAttribute()
    name = UnicodeAttribute()
    inserteddate = UnicodeAttribute()
    userId = UnicodeAttribute()  # noqa: N815
    user_name = UnicodeAttribute()


Value = str | Decimal | bool


class DecimalAttribute(Attribute[Decimal]):
    """A number with all its digits (≤ 38): PynamoDB's own goes through a float."""

    attr_type = NUMBER

    def serialize(self, value: Decimal) -> str:
        return f"{value:f}"

    def deserialize(self, value: str) -> Decimal:
        return Decimal(value)


class _Listed:
    """Flat copies of what lists show of the document; absent in rows of older writers."""

    name = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)
    project_id = UnicodeAttribute(null=True)
    project_name = UnicodeAttribute(null=True)
    created_at = UnicodeAttribute(null=True)


class _Valued:
    """One value, under the attribute of its type."""

    key_ = UnicodeAttribute(attr_name="key", null=True)  # ``key`` is where the item lives
    index = NumberAttribute(null=True)
    valueType = UnicodeAttribute(null=True)  # noqa: N815 - the seed's names, as stored
    stringValue = UnicodeAttribute(null=True)  # noqa: N815
    numberValue = DecimalAttribute(null=True)  # noqa: N815
    booleanValue = BooleanAttribute(null=True)  # noqa: N815
    userId = UnicodeAttribute(null=True)  # noqa: N815

    @property
    def value(self) -> Value:
        """KEY_ONLY and WATERMARK have an empty one."""
        if self.valueType == "NUMBER":
            return self.numberValue or Decimal()
        return bool(self.booleanValue) if self.valueType == "BOOLEAN" else self.stringValue or ""


class DocumentTag(_Listed, Item):
    """One value of a tag. Access: by document; by tag and value, newest first (GSI1); by tag in order of value (GSI2).

    A tag with one value is one row; with several it is a row each, which all know ``tagValues``.
    """

    documentId = UnicodeAttribute(null=True)  # noqa: N815 - the seed's names, as stored; absent only in index rows
    type = UnicodeAttribute(null=True)
    tagValue = UnicodeAttribute(null=True)  # noqa: N815
    tagValues: ListAttribute[str] = ListAttribute(null=True)  # noqa: N815
    userId = UnicodeAttribute(null=True)  # noqa: N815
    inserteddate = UnicodeAttribute(null=True)

    @property
    def tag_key(self) -> str:
        return decode_part(self.SK.split("#")[1])


class DocumentAttribute(_Listed, _Valued, Item):
    """One value of an attribute. Access: by document; by attribute in order of value (GSI1), numbers as numbers.

    ``valueType``: STRING, NUMBER, BOOLEAN, KEY_ONLY, WATERMARK, or COMPOSITE_STRING for the rows of composite keys.
    Watermarks of a document are found by it as well (GSI2).
    """

    documentId = UnicodeAttribute(null=True)  # noqa: N815 - the seed's names, as stored; absent only in index rows
    inserteddate = UnicodeAttribute(null=True)


class DocumentAttributeVersion(_Valued, VersionItem):
    """A value that was: written when it is replaced or taken away. Access: by document and attribute, in time."""

    archive_sk = UnicodeAttribute(attr_name="archive#SK")
    documentId = UnicodeAttribute()  # noqa: N815 - the seed's names, as stored
    inserteddate = UnicodeAttribute()


def flat_copies(document: Any) -> dict[str, Any]:
    """What lists show of the document, for each of its rows that a list may find: nothing that ever changes."""
    names = ("name", "document_id", "project_id", "project_name", "created_at")
    return {name: getattr(document, name) for name in names}


class RemovalState(StrEnum):
    """Stored as written. The ones in -ING are on their way: a worker finishes them, whoever began."""

    DELETING = "deleting"
    DELETED = "deleted"
    RESTORING = "restoring"
    PURGING = "purging"
    PURGED = "purged"


class SoftDeletedDocument(Document):
    """The document's row, out of reach of everything that looks for live ones (seed 002). Access: by id; by day."""


class DocumentRemoval(DueWork):
    """The state of a document's removal; after a purge, the tombstone.

    Access: by document; deleted or purged ones, the latest first (GSI1); due (GSI2, while rows have yet to follow).
    """

    due_entity = table.DOCUMENT_REMOVAL
    documentId = UnicodeAttribute(null=True)  # noqa: N815 - the seed's names, as stored; absent only in index rows
    status = UnicodeAttribute(null=True)
    userId = UnicodeAttribute(null=True)  # noqa: N815 - who deleted it
    user_name = UnicodeAttribute(null=True)
    inserteddate = UnicodeAttribute(null=True)  # when
    reason = UnicodeAttribute(null=True)  # gone after a purge, like the name: both may quote the document
    belongsToDocumentId = UnicodeAttribute(null=True)  # noqa: N815
    purgedDate = UnicodeAttribute(null=True)  # noqa: N815
    purged_by = UnicodeAttribute(null=True)
    purged_by_name = UnicodeAttribute(null=True)
    name = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)
    queue = UnicodeAttribute(null=True)  # as the document's
    folder_id = UnicodeAttribute(null=True)  # likewise: what is in a restricted folder stays so
    project_id = UnicodeAttribute(null=True)
    project_name = UnicodeAttribute(null=True)
    workflow_id = UnicodeAttribute(null=True)  # the latest run
    file_type = UnicodeAttribute(null=True)
    file_size = NumberAttribute(null=True)
    created_at = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute(null=True)
    holder_name = UnicodeAttribute(null=True)  # who deleted or purged it, by a name that the index carries

    @property
    def shown_name(self) -> str:
        """Return its id after a purge, also of a record that was written when purges kept the name."""
        purged = self.status in {RemovalState.PURGING, RemovalState.PURGED}
        return str(self.document_id if purged or not self.name else self.name)


class HideableRow(Item):
    """Any row of a document. ``hidden`` keeps the index keys that were taken from it, and marks it as hidden."""

    hidden = map_attribute(null=True)
    status = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)
    queue = UnicodeAttribute(null=True)  # of a review


class UnpackingStatus(StrEnum):
    """Stored as written."""

    OPEN = "open"
    DONE = "done"


class DocumentUnpacking(CountedWork):
    """Access: by document; due (GSI2, until everything is out).

    ``files`` and ``bytes`` are counted at the ``root``, the document that was uploaded: what comes out of all that came
    out of it counts together. ``refused``: ``[{"name": …, "why": …}]``, of many the first; ``skipped``: how many;
    ``skipped_kinds``: their endings. ``message``: why it ended before its end, or
    why nothing came out. ``batch_line``: whose slot of a batch it holds until it ends. ``parts``: of a document that a
    reviewer split, ``[{"first": …, "last": …, "document_type": …}]``, and ``workflow_id`` of that run.
    """

    due_entity = table.DOCUMENT_UNPACKING
    documentId = UnicodeAttribute()  # noqa: N815 - as the rows beside it
    project_id = UnicodeAttribute()
    status = UnicodeAttribute()
    root = UnicodeAttribute()
    depth = NumberAttribute()  # 0 for what was uploaded
    files = NumberAttribute(default=0)
    bytes_ = NumberAttribute(attr_name="bytes", default=0)
    chosen = map_attribute(null=True)  # who does the work for what comes out of it, before what its project says
    refused: ListAttribute[Any] = ListAttribute(null=True)
    skipped = NumberAttribute(default=0)
    skipped_kinds = UnicodeSetAttribute(null=True)
    message = UnicodeAttribute(null=True)
    batch_line = UnicodeAttribute(null=True)
    parts: ListAttribute[Any] = ListAttribute(null=True)
    workflow_id = UnicodeAttribute(null=True)
    userId = UnicodeAttribute()  # noqa: N815 - whose upload it was, and so whose its children are
    user_name = UnicodeAttribute()
    inserteddate = UnicodeAttribute()

    @property
    def left_out(self) -> list[dict[str, str]]:
        """The files that were not taken, with their reasons; of many, the first."""
        return [one.as_dict() if hasattr(one, "as_dict") else dict(one) for one in self.refused or ()]

    @property
    def can_be_tried_again(self) -> bool:
        return self.status == UnpackingStatus.DONE and bool(self.refused or self.message)

    @property
    def why(self) -> str:
        """One or two sentences on what was not imported; empty if everything was."""
        if self.message:
            return str(self.message)
        return f"{one['name']}: {one['why']}" if (one := next(iter(self.left_out), None)) else ""


class DocumentStatus(StrEnum):
    """Stored as written. A run's outcomes are called the same; a mail or an archive has no run and is unpacked."""

    IN_PROGRESS = "in_progress"
    WAITING = "waiting"  # for a person, until what that person decided is applied
    PUBLISHED = "published"
    REJECTED = "rejected"
    EXPIRED = "expired"
    FAILED = "failed"
    PARTIAL = "partial"  # pages failed, and someone has to say how to go on
    CANCELLED = "cancelled"
    UNPACKED = "unpacked"

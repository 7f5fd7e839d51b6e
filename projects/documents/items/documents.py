"""A document as the desk keeps it (seed 002): its row while it lives, its parent's row of it, what it was before.

What lists show stands flat beside the seed's own names, since an index cannot project anything else.
"""

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config.item import Item, VersionItem, map_attribute


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
    """One content of a document; the newest is the current one. Access: by document, newest first."""

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

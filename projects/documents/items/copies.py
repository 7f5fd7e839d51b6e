"""What a document is recognised by when it comes again."""

from pynamodb.attributes import UnicodeAttribute, UnicodeSetAttribute

from config.item import Item


class DocumentCopy(Item):
    """That a document has this digest. Access: all documents of a digest."""

    documentId = UnicodeAttribute()  # noqa: N815 - as in the other rows of documents
    kind = UnicodeAttribute()  # file or invoice
    seen_at = UnicodeAttribute()  # when the digest was first found in it


class DocumentDigests(Item):
    """The digests of one document. Access: by document."""

    digests = UnicodeSetAttribute(null=True)

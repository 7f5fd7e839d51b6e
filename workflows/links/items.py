"""The row of a document's publication."""

from pynamodb.attributes import ListAttribute, NumberAttribute, UnicodeAttribute

from config.item import Item


class DocumentPublication(Item):
    """A version of a document that everyone can open until it is withdrawn. Access: by document.

    ``publication_id`` names the copies of its fields and pages in S3, which do not change with newer versions.
    ``hidden``: the names of the fields that were personal when the copies were made.
    """

    documentId = UnicodeAttribute()  # noqa: N815 - the seed's names, as stored
    path = UnicodeAttribute()
    contentType = UnicodeAttribute()  # noqa: N815
    s3Version = UnicodeAttribute(null=True)  # noqa: N815 - of the file that was published
    userId = UnicodeAttribute()  # noqa: N815
    user_name = UnicodeAttribute()
    inserteddate = UnicodeAttribute()
    publication_id = UnicodeAttribute()
    workflow_id = UnicodeAttribute()  # the run whose result it is
    project_id = UnicodeAttribute()
    pages = NumberAttribute(default=0)
    hidden: ListAttribute[str] = ListAttribute(null=True)

"""Whether and with what a document's pages were read by OCR (seed 002); the latest run's, one row a document."""

from pynamodb.attributes import UnicodeAttribute

from config.item import Item


class DocumentOcr(Item):
    """``ocrStatus``: failed, skipped or successful. ``jobId``: the run. Access: by document."""

    documentId = UnicodeAttribute()  # noqa: N815 - the seed's names, as stored
    inserteddate = UnicodeAttribute()
    userId = UnicodeAttribute()  # noqa: N815
    contentType = UnicodeAttribute()  # noqa: N815
    ocrEngine = UnicodeAttribute(null=True)  # noqa: N815
    ocrStatus = UnicodeAttribute()  # noqa: N815
    jobId = UnicodeAttribute()  # noqa: N815
    ocrOutputType = UnicodeAttribute(null=True)  # noqa: N815

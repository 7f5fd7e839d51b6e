"""Who did what to a document, append-only, in the second table (seed 002)."""

from typing import Any

from pynamodb.attributes import ListAttribute, UnicodeAttribute

from config.item import VersionItem


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

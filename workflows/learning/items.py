"""Rows of learned versions, and of the last collection of reviews; contents are objects in S3."""

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config.item import Item


class StoredVersion(Item):
    """Written once; only ``activated_at`` and ``activated_by`` change. The project's row says which is active.

    Access: a project's versions, newest first; one by its number. ``documents``: reviewed ones that it learned from.
    """

    version = NumberAttribute()
    sha256 = UnicodeAttribute()
    documents = NumberAttribute()
    summary = UnicodeAttribute()  # JSON of the kind's Summary: what lists show without the object
    created_at = UnicodeAttribute()
    created_by = UnicodeAttribute()
    activated_at = UnicodeAttribute(null=True)
    activated_by = UnicodeAttribute(null=True)


class StoredCalibration(StoredVersion):
    """A version of the calibration."""


class ReviewCollection(Item):
    """Access: by project. ``order_id``: the current order; ``message``: why it failed."""

    status = UnicodeAttribute()
    order_id = UnicodeAttribute()
    asked_at = UnicodeAttribute()
    message = UnicodeAttribute(null=True)

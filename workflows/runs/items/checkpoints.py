"""The paused run as seed 001 stores it: a projection of the document's latest review."""

from pynamodb.attributes import UnicodeAttribute

from config.item import Item


class ReviewCheckpoint(Item):
    document_id = UnicodeAttribute()
    sk = UnicodeAttribute(default="REVIEW")
    tenant_id = UnicodeAttribute()
    status = UnicodeAttribute()  # pending_review | approved | rejected | expired
    warranty_state = UnicodeAttribute()  # JSON: pointer and sha256 of everything the paused run needs, never the token
    created_at = UnicodeAttribute()

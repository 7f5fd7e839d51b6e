"""A prompt tried on a document: where the trial stands, and the names of the objects that hold what came of it."""

from enum import StrEnum

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config.item import Item


class TrialStatus(StrEnum):
    """Stored as written. One whose worker was lost stays as it is: its page says so once ``is_over``."""

    ASKED = "asked"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Trial(Item):
    """Access: by id, until its TTL. It is no run: no list, event or result has it.

    ``draft_answer``, ``production_answer``: relative to the document's root, set as each is there. ``production``: the
    version that was in production. ``owner``: the message of the worker who does it.
    """

    status = UnicodeAttribute()
    purpose = UnicodeAttribute()
    document_id = UnicodeAttribute()
    model_id = UnicodeAttribute()
    production = NumberAttribute()
    draft_answer = UnicodeAttribute(null=True)
    production_answer = UnicodeAttribute(null=True)
    error = UnicodeAttribute(null=True)
    owner = UnicodeAttribute(null=True)
    created_at = UnicodeAttribute()
    userId = UnicodeAttribute()  # noqa: N815 - as other rows name it
    user_name = UnicodeAttribute()

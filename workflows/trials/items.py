"""A prompt tried on a document, or OCR models on a page: where it stands, and which objects hold what came of it."""

from enum import StrEnum

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config.item import Item, map_attribute
from projects.prompts.prompt import GENERAL


class TrialStatus(StrEnum):
    """Stored as written. One whose worker was lost stays as it is: its page says so once ``is_over``."""

    ASKED = "asked"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Trial(Item):
    """Access: by id, until its TTL. It is no run: no list, event or result has it.

    ``scope``: of the prompt that is tried. ``production``: the version that was in production, of the prompt with the
    scope ``production_scope``: the general one if the type had none. ``draft_answer``, ``production_answer``: relative
    to the document's root, set as each is there. ``owner``: the message of the worker who does it.

    Of a page that OCR models read: ``page_index``, 0-based; ``readings``: model → the object's name, as each is there.
    """

    status = UnicodeAttribute()
    purpose = UnicodeAttribute()
    scope = UnicodeAttribute(default=GENERAL)
    document_id = UnicodeAttribute()
    model_id = UnicodeAttribute()
    production = NumberAttribute()
    production_scope = UnicodeAttribute(default=GENERAL)
    draft_answer = UnicodeAttribute(null=True)
    production_answer = UnicodeAttribute(null=True)
    page_index = NumberAttribute(null=True)
    readings = map_attribute(null=True)
    error = UnicodeAttribute(null=True)
    owner = UnicodeAttribute(null=True)
    created_at = UnicodeAttribute()
    userId = UnicodeAttribute()  # noqa: N815 - as other rows name it
    user_name = UnicodeAttribute()

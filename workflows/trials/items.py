"""Rows of trials: the status, and the names of the objects with the outcome."""

from enum import StrEnum

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config.item import Item, map_attribute
from projects.prompts.prompt import GENERAL


class TrialStatus(StrEnum):
    """The status, stored as written. A trial whose worker was lost keeps it; its page says so once ``is_lost``."""

    ASKED = "asked"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Trial(Item):
    """Access: by id, until its TTL. It is not a run, and appears in no list, event or result.

    ``scope``: of the prompt under trial. ``production``: the version in production, of the prompt with the scope
    ``production_scope``: the general one if the type had none. ``draft_answer``, ``production_answer``: relative to the
    document's root, set as each arrives. ``owner``: the message of the worker.

    For a page read by OCR models: ``page_index``, 0-based; ``readings``: model → the object's name, as each arrives.
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

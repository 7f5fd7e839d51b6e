"""Items of models: a catalogue entry, and the result of its last test."""

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config.item import Item, map_attribute
from projects.models.spec import OCR_PROVIDERS, ModelSpec, OcrSpec, ocr_spec_from, spec_from

ASKED, RUNNING, WORKED, FAILED = "asked", "running", "worked", "failed"  # of a test


class Model(Item):
    """``spec`` as ``ModelSpec.to_json`` or ``OcrSpec.to_json``. Access: all of a site in one Query, by id.

    ``chosen``: how often a project or another model chose it, so that a removal finds that one did meanwhile.
    """

    model_id = UnicodeAttribute()
    spec = map_attribute()
    version = NumberAttribute(default=0)
    chosen = NumberAttribute(default=0)
    created_at = UnicodeAttribute()
    created_by = UnicodeAttribute()
    updated_at = UnicodeAttribute()
    updated_by = UnicodeAttribute()

    def to_spec(self) -> ModelSpec | OcrSpec:
        """By its provider, which only one kind has."""
        stored = self.spec.as_dict()
        return ocr_spec_from(stored) if stored["provider"] in OCR_PROVIDERS else spec_from(stored)


class ModelTest(Item):
    """``answer``: what the model said to our own question, or read on our page; ``message``: why it did not.

    ``spec``: its sha256 then. ``words``, ``confidence`` (0–1, the mean): of a page that was read.
    """

    model_id = UnicodeAttribute()
    status = UnicodeAttribute()
    spec = UnicodeAttribute()
    asked_at = UnicodeAttribute()
    asked_by = UnicodeAttribute()
    started_at = UnicodeAttribute(null=True)
    ended_at = UnicodeAttribute(null=True)
    ms = NumberAttribute(null=True)
    tokens_in = NumberAttribute(null=True)
    tokens_out = NumberAttribute(null=True)
    micros = NumberAttribute(null=True)
    words = NumberAttribute(null=True)
    confidence = NumberAttribute(null=True)
    answer = UnicodeAttribute(null=True)
    message = UnicodeAttribute(null=True)

"""Rows of models: an entry of a site's catalogue, and how it did when it was last tried."""

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config.item import Item, map_attribute
from projects.models.spec import ModelSpec, spec_from

ASKED, RUNNING, WORKED, FAILED = "asked", "running", "worked", "failed"  # of a test


class Model(Item):
    """``spec`` as ``ModelSpec.to_json``. Access: all of a site in one Query, by id."""

    model_id = UnicodeAttribute()
    spec = map_attribute()
    version = NumberAttribute(default=0)
    created_at = UnicodeAttribute()
    created_by = UnicodeAttribute()
    updated_at = UnicodeAttribute()
    updated_by = UnicodeAttribute()

    def to_spec(self) -> ModelSpec:
        return spec_from(self.spec.as_dict())


class ModelTest(Item):
    """``answer``: what the model said to our own question; ``message``: why it did not. ``spec``: its sha256 then."""

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
    answer = UnicodeAttribute(null=True)
    message = UnicodeAttribute(null=True)

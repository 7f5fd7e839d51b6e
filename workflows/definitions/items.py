"""A definition's versions and their steps (seed 003)."""

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config.item import Item, map_attribute


class Definition(Item):
    """A definition version, or the family's head with its active version (AP1)."""

    workflowId = UnicodeAttribute()  # noqa: N815
    name = UnicodeAttribute()
    version = NumberAttribute()
    status = UnicodeAttribute()
    description = UnicodeAttribute(null=True)
    createdAt = UnicodeAttribute()  # noqa: N815
    updatedAt = UnicodeAttribute()  # noqa: N815


class DefinitionStep(Item):
    """One step of a definition version (AP6)."""

    workflowId = UnicodeAttribute()  # noqa: N815
    stepOrder = NumberAttribute()  # noqa: N815
    name = UnicodeAttribute()
    type = UnicodeAttribute()
    config = map_attribute()
    timeoutMin = NumberAttribute(null=True)  # noqa: N815

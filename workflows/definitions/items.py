"""Rows of definitions: versions and their steps (seed 003), and definitions composed on a page (seed 002)."""

from pynamodb.attributes import BooleanAttribute, NumberAttribute, UnicodeAttribute

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
    deployedAt = UnicodeAttribute(null=True)  # noqa: N815 - when an engine could run it; of a composed version


class DefinitionStep(Item):
    """One step of a definition version (AP6)."""

    workflowId = UnicodeAttribute()  # noqa: N815
    stepOrder = NumberAttribute()  # noqa: N815
    name = UnicodeAttribute()
    type = UnicodeAttribute()
    config = map_attribute()
    timeoutMin = NumberAttribute(null=True)  # noqa: N815


class ListedDefinition(Item):
    """A family composed on a page, with the plan of its next version (seed 002).

    Access: by the family's name; all of them by name (GSI1, without the plan).
    """

    documentId = UnicodeAttribute()  # noqa: N815 - the family's name
    name = UnicodeAttribute()
    description = UnicodeAttribute(null=True)
    status = UnicodeAttribute()
    inUse = BooleanAttribute(null=True)  # noqa: N815
    json = UnicodeAttribute(null=True)  # workflows.definitions.composition.Plan
    version = NumberAttribute(null=True)  # the newest published version; 0 before the first
    revision = NumberAttribute(null=True)  # of the plan; each save increments it
    userId = UnicodeAttribute(null=True)  # noqa: N815
    updated_by = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute(null=True)

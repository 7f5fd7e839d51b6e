"""Items of the audit trail: written in the transaction of the change, never changed."""

from pynamodb.attributes import UnicodeAttribute

from config.item import Item, VersionItem, map_attribute


class EntityEvent(Item):
    """Seed 002's row; ``payload``: what changed, ``metadata``: who did it, by name."""

    entityType = UnicodeAttribute()  # noqa: N815 - the seed's names, as stored
    entityId = UnicodeAttribute()  # noqa: N815
    type = UnicodeAttribute()
    payload = map_attribute()
    metadata = map_attribute()
    inserteddate = UnicodeAttribute()
    userId = UnicodeAttribute()  # noqa: N815
    name = UnicodeAttribute(null=True)  # who and what flat, for the index by user
    status = UnicodeAttribute(null=True)


class AuditLine(VersionItem):
    """The same event in time order, beside document activity. Access: all of a site, newest first."""

    entityType = UnicodeAttribute()  # noqa: N815
    entityId = UnicodeAttribute()  # noqa: N815
    type = UnicodeAttribute()
    payload = map_attribute()
    userId = UnicodeAttribute()  # noqa: N815
    user_name = UnicodeAttribute()
    inserteddate = UnicodeAttribute()

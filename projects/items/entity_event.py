"""One line of the audit trail: appended in the transaction of the change it tells of, and never changed."""

from pynamodb.attributes import UnicodeAttribute

from config.item import Item, map_attribute


class EntityEvent(Item):
    """Seed 002's row; ``payload`` says what changed, ``metadata`` who did it by which name."""

    entityType = UnicodeAttribute()  # noqa: N815 - the seed's names, as stored
    entityId = UnicodeAttribute()  # noqa: N815
    type = UnicodeAttribute()
    payload = map_attribute()
    metadata = map_attribute()
    inserteddate = UnicodeAttribute()
    userId = UnicodeAttribute()  # noqa: N815

"""One line of the audit trail: appended in the transaction of the change it tells of, and never changed."""

from typing import Any

from pynamodb.attributes import MapAttribute, UnicodeAttribute

from config.item import Item


class EntityEvent(Item):
    """Seed 002's row; ``payload`` says what changed, ``metadata`` who did it by which name."""

    entityType = UnicodeAttribute()  # noqa: N815 - the seed's names, as stored
    entityId = UnicodeAttribute()  # noqa: N815
    type = UnicodeAttribute()
    payload: MapAttribute[str, Any] = MapAttribute(default=dict)
    metadata: MapAttribute[str, Any] = MapAttribute(default=dict)
    inserteddate = UnicodeAttribute()
    userId = UnicodeAttribute()  # noqa: N815

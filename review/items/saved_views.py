"""What a person saved of the queue under a name."""

from pynamodb.attributes import UnicodeAttribute

from config.item import Item


class SavedView(Item):
    """Filters and order of a queue, as an address asks for them. Access: all of a person, in no order (the partition).

    ``queue``: its id, empty for the site's own.
    """

    name = UnicodeAttribute()
    queue = UnicodeAttribute()
    filters = UnicodeAttribute()  # as an address has them
    created_at = UnicodeAttribute()

    @property
    def id(self) -> str:
        return str(self.SK).partition("#")[2]

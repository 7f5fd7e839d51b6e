"""Items of saved views."""

from pynamodb.attributes import UnicodeAttribute

from config.item import Item


class SavedView(Item):
    """Filters and order of a queue, as a query string. Access: all of a person (the partition), unordered.

    ``queue``: its id, empty for the site's own.
    """

    name = UnicodeAttribute()
    queue = UnicodeAttribute()
    filters = UnicodeAttribute()  # as a query string
    created_at = UnicodeAttribute()

    @property
    def id(self) -> str:
        return str(self.SK).partition("#")[2]

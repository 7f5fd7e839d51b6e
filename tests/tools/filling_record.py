"""How far an invented filling came."""

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config.item import Item


class FillingRecord(Item):
    """``done``: all rows of the first so many are written; of what follows any may be."""

    began = UnicodeAttribute()
    done = NumberAttribute()
    updated_at = UnicodeAttribute()

"""What a project's runs used in a month, by service and model: one shard of its sums, changed by ADD."""

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config.item import Item


class Spending(Item):
    """Access: all of a site and month (the partition); those of one project (the head of the sort key).

    ``steps``: how often a step, or a part of one, added what it used; ``unpriced``: how often without a price.
    ``micros``: millionths of a dollar.
    """

    project_id = UnicodeAttribute()
    service = UnicodeAttribute()
    model = UnicodeAttribute()
    steps = NumberAttribute(default=0)
    pages = NumberAttribute(default=0)
    calls = NumberAttribute(default=0)
    tokens_in = NumberAttribute(default=0)
    tokens_out = NumberAttribute(default=0)
    ms = NumberAttribute(default=0)
    micros = NumberAttribute(default=0)
    unpriced = NumberAttribute(default=0)


COUNTS = ("steps", "pages", "calls", "tokens_in", "tokens_out", "ms", "micros", "unpriced")

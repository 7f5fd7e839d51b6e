"""What a worker may be killed by: how often it was begun and not ended, and whose it is now."""

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config.item import Item


class Begun(Item):
    """``tries``: begins since it last went on; a worker that lives to give it back takes its own off again."""

    tries = NumberAttribute(default=0)
    lease_owner = UnicodeAttribute(null=True)
    # Not the projected name: a heartbeat must not write more index rows than it moves.
    lease_until = UnicodeAttribute(null=True, attr_name="step_lease_until")

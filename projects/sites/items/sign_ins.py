"""Failed sign-ins that are counted, under names that tell no one's name and no address."""

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config.item import Item


class SignInTries(Item):
    """Access: by the keyed hash of what is counted and the kind of count; gone by TTL soon after ``ends_at``."""

    tries = NumberAttribute(default=0)
    ends_at = UnicodeAttribute(null=True)  # an instant; from then on it is counted from nothing

"""Items of access policies: the active version, and all versions."""

from pynamodb.attributes import BooleanAttribute, NumberAttribute, UnicodeAttribute

from config.item import Item

FULL, PART = "FULL", "POLICY_ITEM"  # seed 002's two kinds of row


class AccessPolicy(Item):
    """Access: by site. ``index``: the active version, 0 while none is; ``policy``: its text, empty then.

    The number that pages go by is on the site's own row, which they read anyway: one transaction writes both.
    """

    siteId = UnicodeAttribute()  # noqa: N815 - the seed's names, as stored
    type = UnicodeAttribute(default=FULL)
    index = NumberAttribute(default=0)
    policy = UnicodeAttribute(null=True)
    newest = NumberAttribute(default=0)  # number of the version that was saved last
    updated_by = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute(null=True)


class PolicyVersion(Item):
    """Access: by site and number; all of a site in order of number. ``index``: its number, from 1.

    The text never changes. ``tried_*``: the last example that it was tried on, without which it is not activated.
    """

    siteId = UnicodeAttribute()  # noqa: N815
    type = UnicodeAttribute(default=PART)
    index = NumberAttribute()
    policy = UnicodeAttribute()
    note = UnicodeAttribute(null=True)  # why it was saved
    user_id = UnicodeAttribute()
    user_name = UnicodeAttribute()
    created_at = UnicodeAttribute()
    tried_at = UnicodeAttribute(null=True)
    tried_by = UnicodeAttribute(null=True)
    tried_allowed = BooleanAttribute(null=True)

    @property
    def number(self) -> int:
        return int(self.index)

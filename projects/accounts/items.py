"""What a person chose for their account, on every site."""

from pynamodb.attributes import UnicodeAttribute

from config.item import Item


class AccountSettings(Item):
    """Access: by person."""

    time_zone = UnicodeAttribute(null=True)  # an IANA name; the browser's own where unset
    updated_at = UnicodeAttribute()

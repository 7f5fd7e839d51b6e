"""Keys of programs; found by their hash before any site is known, so no key of the table has a prefix."""

from pynamodb.attributes import ListAttribute, UnicodeAttribute

from config.item import Item


class ApiKey(Item):
    """Seed 002's row, with the SHA-256 of the key (hexadecimal) where the seed has the key.

    Access: by hash (the row); a site's keys by name (GSI1); one of them by its mask (GSI2).
    """

    apiKey = UnicodeAttribute(null=True)  # noqa: N815 - the seed's names, as stored; null only in index rows
    siteId = UnicodeAttribute(null=True)  # noqa: N815
    userId = UnicodeAttribute(null=True)  # noqa: N815
    inserteddate = UnicodeAttribute(null=True)
    permissions: ListAttribute[str] = ListAttribute(null=True)
    name = UnicodeAttribute()
    status = UnicodeAttribute()
    mask = UnicodeAttribute(null=True)  # what people see of it, which opens nothing
    user_name = UnicodeAttribute(null=True)
    used_at = UnicodeAttribute(null=True)  # the hour of its last use, not the instant
    revoked_by = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute(null=True)

"""Items of accounts: a person's preferences on all sites, and their requests for access."""

from enum import StrEnum

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config.item import Item


class AccountSettings(Item):
    """Access: by person."""

    language = UnicodeAttribute(null=True)  # one of LANGUAGES; the browser's own where unset
    time_zone = UnicodeAttribute(null=True)  # an IANA name; the browser's own where unset
    undo_seconds = NumberAttribute(null=True)  # undo window of a decision; the deployment's where unset
    updated_at = UnicodeAttribute()


class AccessRequestStatus(StrEnum):
    """Stored as written. A request that is granted is gone."""

    OPEN = "open"
    DECLINED = "declined"


class AccessRequest(Item):
    """Access: by person; all of a site (the partition). Declined, it is gone by TTL soon after ``again_at``."""

    user_id = UnicodeAttribute()
    wanted = UnicodeAttribute()  # a Permission
    note = UnicodeAttribute()
    status = UnicodeAttribute()
    asked_at = UnicodeAttribute()
    decided_by = UnicodeAttribute(null=True)
    again_at = UnicodeAttribute(null=True)  # from when on the person may ask once more

"""Rows of sites: what groups may do there, programs' keys, failed sign-ins. Found before a site is known: no prefix."""

from pynamodb.attributes import BooleanAttribute, ListAttribute, NumberAttribute, UnicodeAttribute

from config.item import Item
from projects.sites.permissions import Permission, known_permissions


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
    expires_at = UnicodeAttribute(null=True)  # never if it is unset
    acts_as = UnicodeAttribute(null=True)  # id of the person whose token it is; unset: a program of its own
    window = NumberAttribute(null=True)  # epoch seconds at which the counted while began
    requests = NumberAttribute(null=True)  # handed out to processes in that while
    revoked_by = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute(null=True)


class SignInTries(Item):
    """Access: by the keyed hash of what is counted and the kind of count; gone by TTL soon after ``ends_at``."""

    tries = NumberAttribute(default=0)
    ends_at = UnicodeAttribute(null=True)  # an instant; from then on it is counted from nothing


class Site(Item):
    """Seed 002's site: a tenant. ``status`` is ACTIVE or INACTIVE.

    Access: by id; all in order of id (the partition); all of one status (GSI1).
    """

    siteId = UnicodeAttribute()  # noqa: N815 - the seed's names, as stored
    title = UnicodeAttribute()
    status = UnicodeAttribute()
    name = UnicodeAttribute(null=True)  # the title again, since the indexes carry this one
    slots = NumberAttribute(null=True)  # pieces of work under way at a time; none: as the desk's settings say
    second_person = BooleanAttribute(null=True)  # confirms what another wants to put into production
    separation = UnicodeAttribute(null=True)  # a Separation; none: that of workflows with two approvals
    version = NumberAttribute(default=0)  # 0 for a row that an older writer made
    updated_by = UnicodeAttribute(null=True)
    created_at = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute(null=True)

    @property
    def site_id(self) -> str:
        """Also of an index row, which carries its keys and no id of its own."""
        return self.SK.rpartition("#")[2]


class SiteGroup(Item):
    """What a Django group may do on a site: ``permissions`` lists it, and nothing else holds.

    Access: a group's sites (the partition, ``group#<name>#``); a site's groups (GSI1).
    """

    groupName = UnicodeAttribute(null=True)  # noqa: N815 - the seed's names; null only in index rows
    siteId = UnicodeAttribute(null=True)  # noqa: N815
    permissions: ListAttribute[str] = ListAttribute(null=True)
    says_personal = BooleanAttribute(null=True)  # whether PERSONAL was there to be given when it was written
    version = NumberAttribute(default=0)
    updated_by = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute(null=True)

    @property
    def held(self) -> frozenset[Permission]:
        """What it lists; who reviewed before there was a permission for it goes on seeing personal data."""
        listed = known_permissions(self.permissions)
        return listed | {Permission.PERSONAL} if Permission.REVIEW in listed and not self.says_personal else listed

"""Rows of sites: groups' permissions, API keys, failed sign-ins.

Read before the site is known, so without its prefix.
"""

from pynamodb.attributes import (
    BooleanAttribute,
    ListAttribute,
    NumberAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
)

from config.item import Item
from projects.sites.permissions import NAMES, Permission, known_permissions


class ApiKey(Item):
    """Seed 002's row, with the SHA-256 of the key (hexadecimal) in place of the key.

    Access: by hash (the row); a site's keys by name (GSI1); one of them by its mask (GSI2).
    """

    apiKey = UnicodeAttribute(null=True)  # noqa: N815 - the seed's names, as stored; null only in index rows
    siteId = UnicodeAttribute(null=True)  # noqa: N815
    userId = UnicodeAttribute(null=True)  # noqa: N815
    inserteddate = UnicodeAttribute(null=True)
    permissions: ListAttribute[str] = ListAttribute(null=True)
    name = UnicodeAttribute()
    status = UnicodeAttribute()
    mask = UnicodeAttribute(null=True)  # the visible part, which grants nothing
    user_name = UnicodeAttribute(null=True)
    used_at = UnicodeAttribute(null=True)  # of its last use, by the hour
    expires_at = UnicodeAttribute(null=True)  # never if unset
    acts_as = UnicodeAttribute(null=True)  # owner of a personal token; unset for programs
    window = NumberAttribute(null=True)  # start of the counted window, in epoch seconds
    requests = NumberAttribute(null=True)  # requests reserved by processes in that window
    revoked_by = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute(null=True)

    @property
    def permission_names(self) -> str:
        """In the viewer's language."""
        held = known_permissions(self.permissions)
        return ", ".join(name.translated() for one, name in NAMES.items() if one in held)


class SignInTries(Item):
    """Access: by the keyed hash of what is counted and the kind of counter; deleted by TTL soon after ``ends_at``."""

    tries = NumberAttribute(default=0)
    ends_at = UnicodeAttribute(null=True)  # an instant, at which the counter resets


CASES = "cases"


class Site(Item):
    """Seed 002's site: a tenant. ``status`` is ACTIVE or INACTIVE.

    Access: by id; all in order of id (the partition); all of one status (GSI1).
    """

    siteId = UnicodeAttribute()  # noqa: N815 - the seed's names, as stored
    title = UnicodeAttribute()
    status = UnicodeAttribute()
    name = UnicodeAttribute(null=True)  # copy of the title, which the indexes project
    slots = NumberAttribute(null=True)  # concurrency limit; none: the deployment's default
    second_person = BooleanAttribute(null=True)  # whether a second person confirms prompts for production
    separation = UnicodeAttribute(null=True)  # a Separation; none: for workflows with two approvals
    # Read by every page, so stored on this row: one read for all of it.
    uses = UnicodeSetAttribute(null=True)  # CASES
    locales = UnicodeSetAttribute(null=True)  # its languages by BCP 47 tag
    labels_version = NumberAttribute(null=True)  # incremented by each change of a language or label
    policy = NumberAttribute(null=True)  # active version of the access policy; none or 0: none
    version = NumberAttribute(default=0)  # 0 in older rows
    updated_by = UnicodeAttribute(null=True)
    created_at = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute(null=True)

    @property
    def site_id(self) -> str:
        """Also for index rows, which have keys but no id attribute."""
        return self.SK.rpartition("#")[2]


class SiteGroup(Item):
    """A Django group's permissions on a site: exactly those in ``permissions``.

    Access: a group's sites (the partition, ``group#<name>#``); a site's groups (GSI1).
    """

    groupName = UnicodeAttribute(null=True)  # noqa: N815 - the seed's names; null only in index rows
    siteId = UnicodeAttribute(null=True)  # noqa: N815
    permissions: ListAttribute[str] = ListAttribute(null=True)
    says_personal = BooleanAttribute(null=True)  # whether it was written when PERSONAL existed
    version = NumberAttribute(default=0)
    updated_by = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute(null=True)

    @property
    def held(self) -> frozenset[Permission]:
        """Return its permissions; reviewers from before PERSONAL existed keep it."""
        listed = known_permissions(self.permissions)
        return listed | {Permission.PERSONAL} if Permission.REVIEW in listed and not self.says_personal else listed

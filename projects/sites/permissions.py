"""What a person or a key may be allowed to do on a site, and what the three groups of a new desk may do."""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from config.table import DEFAULT_SITE


class Permission(StrEnum):
    """Seed 002's words, stored as written, and four of ours. None implies another: what a row lists is what holds."""

    READ = "READ"
    WRITE = "WRITE"
    REVIEW = "REVIEW"
    DELETE = "DELETE"
    GOVERN = "GOVERN"
    PROMOTE = "PROMOTE"
    PERSONAL = "PERSONAL"
    EXPORT = "EXPORT"
    ADMIN = "ADMIN"


EVERYTHING = frozenset(Permission)
NOTHING: frozenset[Permission] = frozenset()
WORDS: Mapping[Permission, str] = {
    Permission.READ: "View projects, documents, runs and reviews",
    Permission.WRITE: "Upload and edit documents",
    Permission.REVIEW: "Claim and decide reviews",
    Permission.DELETE: "Delete and restore documents",
    Permission.GOVERN: "Manage rules, schemas, queues, field mappings and legal holds",
    Permission.PROMOTE: "View prompts and put versions into production",
    Permission.PERSONAL: "See personal data",
    Permission.EXPORT: "Export the results of whole projects",
    Permission.ADMIN: "Manage projects, groups and API keys",
}

ADMINS, REVIEWERS, VIEWERS = ROLES = ("admins", "reviewers", "viewers")
# On the default site only, and only while no row names the group there: a new desk works before anybody sets it up.
DEFAULTS: Mapping[str, frozenset[Permission]] = {
    ADMINS: EVERYTHING,
    REVIEWERS: frozenset({Permission.READ, Permission.WRITE, Permission.REVIEW, Permission.PERSONAL}),
    VIEWERS: frozenset({Permission.READ}),
}


def default_permissions(site: str, group: str) -> frozenset[Permission]:
    """What a group may do on a site that has no row for it.

    >>> sorted(default_permissions("default", "viewers")), sorted(default_permissions("acme", "viewers"))
    ([<Permission.READ: 'READ'>], [])
    """
    return DEFAULTS.get(group, NOTHING) if site == DEFAULT_SITE else NOTHING


def known_permissions(stored: Iterable[str] | None) -> frozenset[Permission]:
    """The permissions of a row; a word that this version does not know allows nothing."""
    listed = set(stored or ())
    return frozenset(one for one in Permission if one.value in listed)


def in_order(permissions: Iterable[Permission]) -> list[str]:
    return [one.value for one in Permission if one in set(permissions)]

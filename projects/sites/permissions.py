"""Permissions on a site, and the defaults of the initial groups."""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from config.phrase import Phrase
from config.table import DEFAULT_SITE


class Permission(StrEnum):
    """Seed 002's words and four of ours, stored as written. None implies another."""

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
# Short names for pages; the API and policies know the words as stored.
NAMES: Mapping[Permission, Phrase] = {
    Permission.READ: Phrase("Read"),
    Permission.WRITE: Phrase("Write"),
    Permission.REVIEW: Phrase("Review"),
    Permission.DELETE: Phrase("Delete"),
    Permission.GOVERN: Phrase("Govern"),
    Permission.PROMOTE: Phrase("Promote"),
    Permission.PERSONAL: Phrase("Personal"),
    Permission.EXPORT: Phrase("Export"),
    Permission.ADMIN: Phrase("Admin"),
}
WORDS: Mapping[Permission, str] = {
    Permission.READ: Phrase("View projects, documents, runs and reviews"),
    Permission.WRITE: Phrase("Upload and edit documents"),
    Permission.REVIEW: Phrase("Claim and decide reviews"),
    Permission.DELETE: Phrase("Delete and restore documents"),
    Permission.GOVERN: Phrase("Manage rules, schemas, queues, field mappings and legal holds"),
    Permission.PROMOTE: Phrase("View prompts and put versions into production"),
    Permission.PERSONAL: Phrase("See personal data"),
    Permission.EXPORT: Phrase("Export the results of whole projects"),
    Permission.ADMIN: Phrase("Manage projects, groups and API keys"),
}

ADMINS, REVIEWERS, VIEWERS = ROLES = ("admins", "reviewers", "viewers")
# On the default site only, and only for groups without a row: a new deployment works before it is configured.
DEFAULTS: Mapping[str, frozenset[Permission]] = {
    ADMINS: EVERYTHING,
    REVIEWERS: frozenset({Permission.READ, Permission.WRITE, Permission.REVIEW, Permission.PERSONAL}),
    VIEWERS: frozenset({Permission.READ}),
}


def default_permissions(site: str, group: str) -> frozenset[Permission]:
    """Return the permissions of a group without a row on the site.

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

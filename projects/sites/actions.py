"""Writes of sites and permissions: one conditional transaction each, with its audit event."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock
from config.errors import Conflict, Refused
from config.phrase import Figure, Sentence, tell_who_was_first
from config.table import DEFAULT_SITE, SITE, SITE_GROUP, encode_part
from config.transaction import EXISTS, Change, Delete, Put, RecordAt, Update, transact
from projects.audit.events import Actor, entity_event
from projects.settings.values import MOST_SLOTS
from projects.sites import directory
from projects.sites import queries as site_queries
from projects.sites.items import Site, SiteGroup
from projects.sites.permissions import DEFAULTS, EVERYTHING, Permission, in_order
from projects.sites.queries import ACTIVE, INACTIVE
from projects.sites.separation import Separation

MOST_AT_ONCE = 40  # changes of one save: each is a row and an event, and a transaction holds a hundred operations


@dataclass(frozen=True)
class Grant:
    """The new permissions of a group; ``version`` is that of the row that was shown, 0 for none."""

    group: str
    before: frozenset[Permission]
    after: frozenset[Permission]
    version: int


def save_grants(site: str, grants: Sequence[Grant], *, by: Actor) -> None:
    """Save all or none. A group without permissions loses its row, unless defaults would return.

    Raises:
        Conflict: someone changed one of them since; ``failed`` has the groups.

    """
    now = clock.iso(clock.now())
    try:
        transact(
            [_change_grant(site, one, now, by) for one in grants], *(_grant_event(site, one, by) for one in grants)
        )
    finally:
        directory.forget()


def first_grant(site: str, group: str, permissions: frozenset[Permission], now: str, by: Actor) -> Change:
    """Return the row of a group that has none on the site."""
    parts = {"site_id": site, "group_name": group}
    row = SiteGroup(*SITE_GROUP.key(DEFAULT_SITE, **parts), groupName=group, siteId=site, version=1, updated_at=now)
    row.permissions, row.says_personal, row.updated_by = in_order(permissions), True, by.name
    index = SITE_GROUP.gsi1(DEFAULT_SITE, **parts)
    row.GSI1PK, row.GSI1SK = index["GSI1PK"], index["GSI1SK"]
    return Put(row, name=group)


def _change_grant(site: str, one: Grant, now: str, by: Actor) -> Change:
    key = SITE_GROUP.key(DEFAULT_SITE, site_id=site, group_name=one.group)
    shown = _grant_at(one.version)
    if not one.version:
        return first_grant(site, one.group, one.after, now, by)
    if not one.after and (site != DEFAULT_SITE or one.group not in DEFAULTS):
        return Delete(key, shown, name=one.group)
    actions = [
        SiteGroup.permissions.set(in_order(one.after)),
        SiteGroup.says_personal.set(True),
        SiteGroup.version.set(one.version + 1),
        SiteGroup.updated_by.set(by.name),
        SiteGroup.updated_at.set(now),
    ]
    return Update(key, actions, shown, name=one.group)


def _grant_at(version: int) -> Condition:
    condition: Condition = SiteGroup.version == version
    return condition


def _grant_event(site: str, one: Grant, by: Actor) -> RecordAt:
    payload = {"before": in_order(one.before), "after": in_order(one.after), "group": one.group}
    return entity_event(site, "sitegroup", encode_part(one.group), "updated", by=by, payload=payload)


_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
# Prefixes of the default site's files and of other systems' files: a site of that name would mix with them, and files
# under "raw" are announced to the main site and expire after some weeks.
RESERVED = frozenset({
    DEFAULT_SITE, "projects", "rules", "calibrations", "extractors", "batches", "bulk", "raw", "experiments",
    "testsets", "uploads",
})  # fmt: skip
TITLE_LENGTH = 120
_SETTINGS = ("slots", "second_person", "separation")


def check_id(site_id: str) -> None:
    """Raises: Refused, with the rules of ids."""
    if not _ID.fullmatch(site_id):
        raise Refused(gettext("Use up to 40 lowercase letters, digits and hyphens, starting with a letter or digit."))
    if site_id in RESERVED:
        raise Refused(gettext("The ID %(site_id)s is reserved. Choose another.") % {"site_id": site_id})


def create_site(site_id: str, title: str, *, by: Actor, group: str = "") -> Site:
    """Create the site with all permissions for ``group``. Idempotent for the same form.

    Raises:
        Refused: the id is invalid.
        Conflict: the site exists.

    """
    check_id(site_id)
    now = clock.iso(clock.now())
    site = Site(*SITE.key(DEFAULT_SITE, site_id=site_id), siteId=site_id, version=1, created_at=now)
    for name, value in _flat(site_id, title, ACTIVE, now, by).items():
        setattr(site, name, value)
    changes: list[Change] = [Put(site)]
    if group:
        changes.append(first_grant(site_id, group, EVERYTHING, now, by))
    event = entity_event(DEFAULT_SITE, "site", site_id, "created", by=by, payload={"title": title, "group": group})
    try:
        transact(changes, event)
    except Conflict as error:
        made = site_queries.get_site(site_id)
        if (made.title, made.updated_by, made.version) != (title, by.name, 1):
            raise Conflict(
                gettext("A site with the ID %(site_id)s already exists. Choose another ID.") % {"site_id": site_id}
            ) from error
        return made
    finally:
        directory.forget()
    return site


def rename_site(site_id: str, title: str, *, version: int, by: Actor) -> Site:
    """Raises: Conflict, saying who was first; NotFound."""
    return _change_site(site_id, "renamed", {"title": title}, version, by)


def set_slots(site_id: str, slots: int, *, version: int, by: Actor) -> Site:
    """Set the concurrency limit of a site; it includes running documents. 0: the deployment's default.

    Raises: Refused, Conflict, NotFound.
    """
    if not 0 <= slots <= MOST_SLOTS:
        raise Refused(
            gettext("Enter a concurrency limit from 1 to %(most_slots)s, or leave empty for the default.")
            % {"most_slots": Figure(f"{MOST_SLOTS:,}").translated()}
        )
    return _change_site(site_id, "slots changed", {"slots": slots}, version, by)


def set_second_person(site_id: str, needed: bool, *, version: int, by: Actor) -> Site:
    """Set whether a second person has to confirm prompts for production. Raises: Conflict, NotFound."""
    return _change_site(site_id, "second person changed", {"second_person": needed}, version, by)


def set_separation(site_id: str, separation: Separation, *, version: int, by: Actor) -> Site:
    """Set in which reviews people may not decide on their own work. Raises: Conflict, NotFound."""
    return _change_site(site_id, "separation of duties changed", {"separation": separation.value}, version, by)


def close_site(site_id: str, *, version: int, by: Actor) -> Site:
    """Close a site: nobody can open it and its API keys are refused. Its documents stay, and its runs continue.

    Raises:
        Refused: the default site cannot be closed.
        Conflict: someone changed the site since.
        NotFound: no such site.

    """
    if site_id == DEFAULT_SITE:
        raise Refused(gettext("The main site cannot be closed."))
    return _change_site(site_id, "closed", {"status": INACTIVE}, version, by)


def reopen_site(site_id: str, *, version: int, by: Actor) -> Site:
    """Raises: Conflict, NotFound."""
    return _change_site(site_id, "reopened", {"status": ACTIVE}, version, by)


def _change_site(site_id: str, event_type: str, values: dict[str, Any], version: int, by: Actor) -> Site:
    before = site_queries.get_site(site_id)
    title, status = values.get("title", before.title), values.get("status", before.status)
    flat = _flat(site_id, title, status, clock.iso(clock.now()), by)
    actions: list[Action] = [getattr(Site, name).set(value) for name, value in flat.items()]
    actions += [Site.siteId.set(site_id), Site.version.set(version + 1)]
    actions += [getattr(Site, name).set(values[name]) for name in _SETTINGS if name in values]
    event = entity_event(DEFAULT_SITE, "site", site_id, event_type, by=by, payload={**values, "version": version + 1})
    try:
        transact([Update(SITE.key(DEFAULT_SITE, site_id=site_id), actions, _site_at(site_id, version))], event)
    except Conflict as error:
        raise Conflict(_who_was_first(site_queries.get_site(site_id))) from error
    finally:
        directory.forget()
    return site_queries.get_site(site_id)


def change_row(site_id: str, *actions: Action) -> Update:
    """Return an update of the site's row other than its settings; the default site's row may be new."""
    key = SITE.key(DEFAULT_SITE, site_id=site_id)
    if site_id != DEFAULT_SITE:
        return Update(key, actions, EXISTS)
    plain = site_queries.default_site()
    flat = {name: getattr(plain, name) for name in ("siteId", "title", "name", "status")}
    flat |= SITE.gsi1(DEFAULT_SITE, site_id=site_id, status=plain.status)
    kept = [getattr(Site, name).set(getattr(Site, name) | value) for name, value in flat.items()]
    return Update(key, [*kept, *actions])


def _flat(site_id: str, title: str, status: str, now: str, by: Actor) -> dict[str, Any]:
    index = SITE.gsi1(DEFAULT_SITE, site_id=site_id, status=status)
    return {"title": title, "name": title, "status": status, "updated_at": now, "updated_by": by.name, **index}


def _site_at(site_id: str, version: int) -> Condition:
    """Return the condition on the version that was shown; the default site has no row until it is changed."""
    if version:
        return Site.version == version
    new: Condition = Site.version.does_not_exist()
    return new if site_id == DEFAULT_SITE else EXISTS & new


def _who_was_first(site: Site) -> str:
    told = Sentence(
        "%(who)s changed this site on %(time)s UTC. Your change was not saved. Check the current settings and "
        "try again."
    )
    bare = Sentence("%(who)s changed this site. Your change was not saved. Check the current settings and try again.")
    return tell_who_was_first(told, bare, by=site.updated_by, at=site.updated_at)

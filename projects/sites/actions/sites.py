"""Writes of sites: one conditional transaction each, with its event on the default site, where sites are kept."""

import re
from typing import Any

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock
from config.errors import Conflict, Refused
from config.table import DEFAULT_SITE, SITE
from config.transaction import EXISTS, Change, Put, Update, transact
from projects.audit.events import Actor, entity_event
from projects.settings.values import MOST_SLOTS
from projects.sites import directory
from projects.sites import queries as site_queries
from projects.sites.actions import groups
from projects.sites.items import Site
from projects.sites.permissions import EVERYTHING
from projects.sites.queries import ACTIVE, INACTIVE
from projects.sites.separation import Separation

_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
# Where the default site's files begin, and where other systems put theirs: a site of that name would lie among them,
# and what lies under "raw" is announced to the main site and ends after some weeks.
RESERVED = frozenset({
    DEFAULT_SITE, "projects", "rules", "calibrations", "extractors", "batches", "bulk", "raw", "experiments",
    "testsets", "uploads",
})  # fmt: skip
TITLE_LENGTH = 120
_SETTINGS = ("slots", "second_person", "separation")


def check_id(site_id: str) -> None:
    """Raises: Refused, with what an id may be."""
    if not _ID.fullmatch(site_id):
        raise Refused("Use up to 40 lowercase letters, digits and hyphens, starting with a letter or digit.")
    if site_id in RESERVED:
        raise Refused(f"The ID {site_id} is reserved. Choose another.")


def create_site(site_id: str, title: str, *, by: Actor, group: str = "") -> Site:
    """Make the site, and let ``group`` do everything there; the same form sent twice makes one.

    Raises:
        Refused: no id for a site.
        Conflict: there is such a site.

    """
    check_id(site_id)
    now = clock.iso(clock.now())
    site = Site(*SITE.key(DEFAULT_SITE, site_id=site_id), siteId=site_id, version=1, created_at=now)
    for name, value in _flat(site_id, title, ACTIVE, now, by).items():
        setattr(site, name, value)
    changes: list[Change] = [Put(site)]
    if group:
        changes.append(groups.first_grant(site_id, group, EVERYTHING, now, by))
    event = entity_event(DEFAULT_SITE, "site", site_id, "created", by=by, payload={"title": title, "group": group})
    try:
        transact(changes, event)
    except Conflict as error:
        made = site_queries.get_site(site_id)
        if (made.title, made.updated_by, made.version) != (title, by.name, 1):
            raise Conflict(f"A site with the ID {site_id} already exists. Choose another ID.") from error
        return made
    finally:
        directory.forget()
    return site


def rename_site(site_id: str, title: str, *, version: int, by: Actor) -> Site:
    """Raises: Conflict, naming who was first; NotFound."""
    return _change(site_id, "renamed", {"title": title}, version, by)


def set_slots(site_id: str, slots: int, *, version: int, by: Actor) -> Site:
    """How much of the site's may be under way at a time, its running documents included; 0: as the desk's settings say.

    Raises: Refused, Conflict, NotFound.
    """
    if not 0 <= slots <= MOST_SLOTS:
        raise Refused(f"Enter a concurrency limit from 1 to {MOST_SLOTS:,}, or leave empty for the default.")
    return _change(site_id, "slots changed", {"slots": slots}, version, by)


def set_second_person(site_id: str, needed: bool, *, version: int, by: Actor) -> Site:
    """Whether a second person confirms each prompt that goes into production. Raises: Conflict, NotFound."""
    return _change(site_id, "second person changed", {"second_person": needed}, version, by)


def set_separation(site_id: str, separation: Separation, *, version: int, by: Actor) -> Site:
    """In which reviews people may not decide on their own work. Raises: Conflict, NotFound."""
    return _change(site_id, "separation of duties changed", {"separation": separation.value}, version, by)


def close_site(site_id: str, *, version: int, by: Actor) -> Site:
    """No one can open it and its API keys are refused; its documents stay, and its runs go on to their ends.

    Raises:
        Refused: the default site, which everybody falls back to.
        Conflict: someone changed the site since.
        NotFound: no such site.

    """
    if site_id == DEFAULT_SITE:
        raise Refused("The main site cannot be closed.")
    return _change(site_id, "closed", {"status": INACTIVE}, version, by)


def reopen_site(site_id: str, *, version: int, by: Actor) -> Site:
    """Raises: Conflict, NotFound."""
    return _change(site_id, "reopened", {"status": ACTIVE}, version, by)


def _change(site_id: str, event_type: str, values: dict[str, Any], version: int, by: Actor) -> Site:
    before = site_queries.get_site(site_id)
    title, status = values.get("title", before.title), values.get("status", before.status)
    flat = _flat(site_id, title, status, clock.iso(clock.now()), by)
    actions: list[Action] = [getattr(Site, name).set(value) for name, value in flat.items()]
    actions += [Site.siteId.set(site_id), Site.version.set(version + 1)]
    actions += [getattr(Site, name).set(values[name]) for name in _SETTINGS if name in values]
    event = entity_event(DEFAULT_SITE, "site", site_id, event_type, by=by, payload={**values, "version": version + 1})
    try:
        transact([Update(SITE.key(DEFAULT_SITE, site_id=site_id), actions, _at(site_id, version))], event)
    except Conflict as error:
        raise Conflict(_who_was_first(site_queries.get_site(site_id))) from error
    finally:
        directory.forget()
    return site_queries.get_site(site_id)


def _flat(site_id: str, title: str, status: str, now: str, by: Actor) -> dict[str, Any]:
    index = SITE.gsi1(DEFAULT_SITE, site_id=site_id, status=status)
    return {"title": title, "name": title, "status": status, "updated_at": now, "updated_by": by.name, **index}


def _at(site_id: str, version: int) -> Condition:
    """The version that the page showed; the default site has no row until something about it changes."""
    if version:
        return Site.version == version
    new: Condition = Site.version.does_not_exist()
    return new if site_id == DEFAULT_SITE else EXISTS & new


def _who_was_first(site: Site) -> str:
    at = f" on {clock.parse(site.updated_at):%d %b %Y at %H:%M:%S} UTC" if site.updated_at else ""
    return (
        f"{site.updated_by or 'Another user'} changed this site{at}. Your change was not saved. Check the current "
        "settings and try again."
    )

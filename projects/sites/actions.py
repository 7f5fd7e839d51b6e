"""Writes of sites, permissions and API keys: one conditional transaction each, with its event."""

import datetime as dt
import hashlib
import re
import secrets
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock
from config.errors import Conflict, KeyRefused, NotFound, Refused
from config.table import API_KEY, DEFAULT_SITE, SITE, SITE_GROUP, encode_part
from config.transaction import EXISTS, Change, Delete, Put, RecordAt, Update, transact
from projects.audit.events import Actor, entity_event
from projects.settings.values import MOST_SLOTS
from projects.sites import directory, rate_limit
from projects.sites import queries as api_key_queries
from projects.sites import queries as site_queries
from projects.sites.items import ApiKey, Site, SiteGroup
from projects.sites.permissions import DEFAULTS, EVERYTHING, WORDS, Permission, in_order, known_permissions
from projects.sites.queries import ACTIVE, INACTIVE, KEY_ACTIVE, REVOKED, name_of_token
from projects.sites.rate_limit import Rate
from projects.sites.separation import Separation

NAME_LENGTH = 80
# What seed 002 gives a key, and what a pipeline needs that tries prompts and puts them into production. A program
# decides no review: a person's own token does, in their name. Nothing in the API changes a permission.
OFFERED: Mapping[Permission, str] = {
    **{one: WORDS[one] for one in (Permission.READ, Permission.WRITE, Permission.DELETE)},
    Permission.ADMIN: "Configure prompts, test sets and experiments",
    Permission.PROMOTE: "Put prompt versions into production",
    Permission.PERSONAL: WORDS[Permission.PERSONAL],
    Permission.EXPORT: WORDS[Permission.EXPORT],
}
# What a person's own token may do at most, of what they may do themselves.
OFFERED_TO_PEOPLE: Mapping[Permission, str] = {
    **{one: WORDS[one] for one in (Permission.REVIEW, Permission.GOVERN)},
    **OFFERED,
}
# Only who holds one may give it to a key.
HELD_TO_GIVE = frozenset({Permission.PROMOTE, Permission.PERSONAL, Permission.EXPORT})
_LETTERS = string.ascii_letters + string.digits
_KEY = re.compile(r"(cs_[A-Za-z0-9]{12})_[A-Za-z0-9_-]{43}")
_REFUSED = "Invalid API key. It may be mistyped, expired or revoked, or its site is closed."


@dataclass(frozen=True)
class Program:
    """Who asks with a key: on which site, as whom in records, with which permissions, how often yet.

    ``person_id``: of a person's own token, whoever it is and what they may do today is asked besides; else empty.
    """

    site: str
    actor: Actor
    permissions: frozenset[Permission]
    rate: Rate
    person_id: str = ""


def sha256_of(key: str) -> str:
    """A plain hash is enough, and costs no time: 256 random bits cannot be guessed from it."""
    return hashlib.sha256(key.encode()).hexdigest()


def create_api_key(
    site: str, name: str, permissions: Iterable[Permission], *, by: Actor, days: int = 0, personal: bool = False
) -> tuple[ApiKey, str]:
    """The row, and the key itself, which is nowhere but in this answer.

    ``days``: until it expires; 0: never. ``personal``: what is done with it is done by who makes it.
    """
    mask = "cs_" + "".join(secrets.choice(_LETTERS) for _ in range(12))
    key = f"{mask}_{secrets.token_urlsafe(32)}"
    digest, now = sha256_of(key), clock.iso(clock.now())
    held = in_order(permissions)
    at = API_KEY.key(DEFAULT_SITE, api_key=digest)
    listed = name_of_token(by.id, name) if personal else name
    index: dict[str, Any] = API_KEY.gsi1(DEFAULT_SITE, site_id=site, name=listed, api_key=digest)
    index |= API_KEY.gsi2(DEFAULT_SITE, site_id=site, mask=mask)
    row = ApiKey(
        at.pk,
        at.sk,
        apiKey=digest,
        siteId=site,
        userId=by.id,
        inserteddate=now,
        permissions=held,
        name=name,
        status=KEY_ACTIVE,
        mask=mask,
        user_name=by.name,
        updated_at=now,
        expires_at=clock.iso(clock.now() + dt.timedelta(days=days)) if days else None,
        acts_as=by.id if personal else None,
        **index,
    )
    payload = {"name": name, "permissions": held, **({"expires": row.expires_at} if days else {})}
    transact([Put(row)], entity_event(site, "apikey", mask, "created", by=by, payload=payload))
    return row, key


def revoke_api_key(site: str, mask: str, *, by: Actor, own: bool = False) -> ApiKey:
    """End a key with its next request; ending it twice is the same as once.

    Raises:
        NotFound: no such key on this site, or with ``own`` no token of this person.

    """
    row = api_key_queries.by_mask(site, mask)
    if own and row.acts_as != by.id:
        raise NotFound("API token not found.")
    actions = [
        ApiKey.status.set(REVOKED),
        ApiKey.revoked_by.set(by.name),
        ApiKey.updated_at.set(clock.iso(clock.now())),
    ]
    event = entity_event(site, "apikey", mask, "revoked", by=by, payload={"name": row.name})
    try:
        transact([Update(row.key, actions, (ApiKey.status == KEY_ACTIVE) & (ApiKey.siteId == site))], event)
    except Conflict:
        if row.status != REVOKED and api_key_queries.by_hash(str(row.apiKey)).status != REVOKED:
            raise
    return row


def verify_api_key(key: str) -> Program:
    """Who it is that asks with this key.

    Raises:
        KeyRefused: it opens nothing; why is not told.

    """
    found = _KEY.fullmatch(key)
    if found is None:
        raise KeyRefused(_REFUSED)
    try:
        row = api_key_queries.by_hash(sha256_of(key))
    except NotFound as error:
        raise KeyRefused(_REFUSED) from error
    site = str(row.siteId)
    expired = row.expires_at is not None and row.expires_at <= clock.iso(clock.now())
    if row.status != KEY_ACTIVE or expired or not directory.is_open(site):
        raise KeyRefused(_REFUSED)
    actor = Actor(f"key:{row.mask}", f"API key {row.name}")
    if row.acts_as:
        actor = Actor(row.acts_as, str(row.user_name))
    rate = rate_limit.take_request(row)
    return Program(site, actor, known_permissions(row.permissions), rate, row.acts_as or "")


MOST_AT_ONCE = 40  # changes of one save: each is a row and an event, and a transaction holds a hundred


@dataclass(frozen=True)
class Grant:
    """What a group shall may from now on; ``version`` is that of the row it was shown from, 0 if there was none."""

    group: str
    before: frozenset[Permission]
    after: frozenset[Permission]
    version: int


def save_grants(site: str, grants: Sequence[Grant], *, by: Actor) -> None:
    """All or none. A group that may do nothing any more loses its row, if no defaults would come back.

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
    """The row of a group that has none on the site."""
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
        changes.append(first_grant(site_id, group, EVERYTHING, now, by))
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
    return _change_site(site_id, "renamed", {"title": title}, version, by)


def set_slots(site_id: str, slots: int, *, version: int, by: Actor) -> Site:
    """How much of the site's may be under way at a time, its running documents included; 0: as the desk's settings say.

    Raises: Refused, Conflict, NotFound.
    """
    if not 0 <= slots <= MOST_SLOTS:
        raise Refused(f"Enter a concurrency limit from 1 to {MOST_SLOTS:,}, or leave empty for the default.")
    return _change_site(site_id, "slots changed", {"slots": slots}, version, by)


def set_second_person(site_id: str, needed: bool, *, version: int, by: Actor) -> Site:
    """Whether a second person confirms each prompt that goes into production. Raises: Conflict, NotFound."""
    return _change_site(site_id, "second person changed", {"second_person": needed}, version, by)


def set_separation(site_id: str, separation: Separation, *, version: int, by: Actor) -> Site:
    """In which reviews people may not decide on their own work. Raises: Conflict, NotFound."""
    return _change_site(site_id, "separation of duties changed", {"separation": separation.value}, version, by)


def close_site(site_id: str, *, version: int, by: Actor) -> Site:
    """No one can open it and its API keys are refused; its documents stay, and its runs go on to their ends.

    Raises:
        Refused: the default site, which everybody falls back to.
        Conflict: someone changed the site since.
        NotFound: no such site.

    """
    if site_id == DEFAULT_SITE:
        raise Refused("The main site cannot be closed.")
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


def _flat(site_id: str, title: str, status: str, now: str, by: Actor) -> dict[str, Any]:
    index = SITE.gsi1(DEFAULT_SITE, site_id=site_id, status=status)
    return {"title": title, "name": title, "status": status, "updated_at": now, "updated_by": by.name, **index}


def _site_at(site_id: str, version: int) -> Condition:
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

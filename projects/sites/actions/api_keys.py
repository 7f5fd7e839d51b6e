"""Writes of API keys: made and shown once, used, revoked."""

import hashlib
import logging
import re
import secrets
import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from config import clock
from config.errors import Conflict, CountersignError, KeyRefused, NotFound
from config.table import API_KEY, DEFAULT_SITE
from config.transaction import Put, Update, transact
from projects.audit.events import Actor, entity_event
from projects.sites import directory
from projects.sites import queries as api_key_queries
from projects.sites.items import ApiKey
from projects.sites.permissions import WORDS, Permission, in_order, known_permissions
from projects.sites.queries import KEY_ACTIVE, REVOKED

logger = logging.getLogger(__name__)

NAME_LENGTH = 80
# What seed 002 gives a key, and what a pipeline needs that tries prompts and puts them into production. A program
# decides no review, and nothing in the API changes a permission.
OFFERED: Mapping[Permission, str] = {
    **{one: WORDS[one] for one in (Permission.READ, Permission.WRITE, Permission.DELETE)},
    Permission.ADMIN: "Configure prompts, test sets and experiments",
    Permission.PROMOTE: "Put prompt versions into production",
    Permission.PERSONAL: WORDS[Permission.PERSONAL],
}
HELD_TO_GIVE = frozenset({Permission.PROMOTE, Permission.PERSONAL})  # only who holds one may give it to a key
_LETTERS = string.ascii_letters + string.digits
_KEY = re.compile(r"(cs_[A-Za-z0-9]{12})_[A-Za-z0-9_-]{43}")
_REFUSED = "Invalid API key. It may be mistyped or revoked, or its site is closed."


@dataclass(frozen=True)
class Program:
    """Who asks with a key: on which site, as whom in records, with which permissions."""

    site: str
    actor: Actor
    permissions: frozenset[Permission]


def sha256_of(key: str) -> str:
    """A plain hash is enough, and costs no time: 256 random bits cannot be guessed from it."""
    return hashlib.sha256(key.encode()).hexdigest()


def create_api_key(site: str, name: str, permissions: Iterable[Permission], *, by: Actor) -> tuple[ApiKey, str]:
    """The row, and the key itself, which is nowhere but in this answer."""
    mask = "cs_" + "".join(secrets.choice(_LETTERS) for _ in range(12))
    key = f"{mask}_{secrets.token_urlsafe(32)}"
    digest, now = sha256_of(key), clock.iso(clock.now())
    held = in_order(permissions)
    at = API_KEY.key(DEFAULT_SITE, api_key=digest)
    index: dict[str, Any] = API_KEY.gsi1(DEFAULT_SITE, site_id=site, name=name, api_key=digest)
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
        **index,
    )
    payload = {"name": name, "permissions": held}
    transact([Put(row)], entity_event(site, "apikey", mask, "created", by=by, payload=payload))
    return row, key


def revoke_api_key(site: str, mask: str, *, by: Actor) -> ApiKey:
    """End a key with its next request; ending it twice is the same as once.

    Raises:
        NotFound: no such key on this site.

    """
    row = api_key_queries.by_mask(site, mask)
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
    if row.status != KEY_ACTIVE or not directory.is_open(site):
        raise KeyRefused(_REFUSED)
    _note_use(row)
    return Program(site, Actor(f"key:{row.mask}", f"API key {row.name}"), known_permissions(row.permissions))


def _note_use(row: ApiKey) -> None:
    """Write the hour of the last use, once an hour whoever is first; a request is not refused where that fails."""
    hour = clock.now().replace(minute=0, second=0, microsecond=0)
    if (row.used_at or "") >= clock.iso(hour):
        return
    stale = ApiKey.used_at.does_not_exist() | (ApiKey.used_at < clock.iso(hour))
    try:
        ApiKey.change(row.key, [ApiKey.used_at.set(clock.iso(hour))], (ApiKey.status == KEY_ACTIVE) & stale)
    except Conflict:  # another process was first, or the key has just been revoked
        return
    except CountersignError:
        logger.warning("the use of a key was not noted", extra={"site": row.siteId, "event": row.mask})

"""API keys of a site: creation, revocation, and authentication of requests; one transaction each, with its event."""

import datetime as dt
import hashlib
import re
import secrets
import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from config import clock
from config.errors import Conflict, KeyRefused, NotFound
from config.phrase import Phrase
from config.table import API_KEY, DEFAULT_SITE
from config.transaction import Put, Update, transact
from projects.audit.events import Actor, entity_event
from projects.sites import directory, queries, rate_limit
from projects.sites.items import ApiKey
from projects.sites.permissions import WORDS, Permission, in_order, known_permissions
from projects.sites.queries import KEY_ACTIVE, REVOKED, name_of_token
from projects.sites.rate_limit import Rate

NAME_LENGTH = 80
# Permissions of keys: those of seed 002, and those of a pipeline that tries and promotes prompts. Programs decide no
# reviews: a personal token does, in its owner's name. No API operation changes permissions.
OFFERED: Mapping[Permission, str] = {
    **{one: WORDS[one] for one in (Permission.READ, Permission.WRITE, Permission.DELETE)},
    Permission.ADMIN: Phrase("Configure prompts, test sets and experiments"),
    Permission.PROMOTE: Phrase("Put prompt versions into production"),
    Permission.PERSONAL: WORDS[Permission.PERSONAL],
    Permission.EXPORT: WORDS[Permission.EXPORT],
}
# The maximum permissions of a personal token, limited to its owner's.
OFFERED_TO_PEOPLE: Mapping[Permission, str] = {
    **{one: WORDS[one] for one in (Permission.REVIEW, Permission.GOVERN)},
    **OFFERED,
}
# Only holders of these may give them to a key.
HELD_TO_GIVE = frozenset({Permission.PROMOTE, Permission.PERSONAL, Permission.EXPORT})
_LETTERS = string.ascii_letters + string.digits
_KEY = re.compile(r"(cs_[A-Za-z0-9]{12})_[A-Za-z0-9_-]{43}")
_REFUSED = Phrase("Invalid API key. It may be mistyped, expired or revoked, or its site is closed.")


@dataclass(frozen=True)
class Program:
    """The program behind a key: site, name in records, permissions, remaining requests.

    ``person_id``: the owner of a personal token, whose identity and current permissions are checked too; else empty.
    """

    site: str
    actor: Actor
    permissions: frozenset[Permission]
    rate: Rate
    person_id: str = ""


def sha256_of(key: str) -> str:
    """A plain hash suffices, and is fast: 256 random bits cannot be guessed."""
    return hashlib.sha256(key.encode()).hexdigest()


def create_api_key(
    site: str, name: str, permissions: Iterable[Permission], *, by: Actor, days: int = 0, personal: bool = False
) -> tuple[ApiKey, str]:
    """Return the row and the key, which is not stored.

    ``days``: until it expires; 0: never. ``personal``: acts in the name of its creator.
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
    """Revoke a key; takes effect with its next request. Idempotent.

    Raises:
        NotFound: no such key on this site, or with ``own`` no token of this person.

    """
    row = queries.by_mask(site, mask)
    if own and row.acts_as != by.id:
        raise NotFound(gettext("API token not found."))
    actions = [
        ApiKey.status.set(REVOKED),
        ApiKey.revoked_by.set(by.name),
        ApiKey.updated_at.set(clock.iso(clock.now())),
    ]
    event = entity_event(site, "apikey", mask, "revoked", by=by, payload={"name": row.name})
    try:
        transact([Update(row.key, actions, (ApiKey.status == KEY_ACTIVE) & (ApiKey.siteId == site))], event)
    except Conflict:
        if row.status != REVOKED and queries.by_hash(str(row.apiKey)).status != REVOKED:
            raise
    return row


def verify_api_key(key: str) -> Program:
    """Return the program behind a key.

    Raises:
        KeyRefused: it is not valid; the reason is not revealed.

    """
    found = _KEY.fullmatch(key)
    if found is None:
        raise KeyRefused(_REFUSED)
    try:
        row = queries.by_hash(sha256_of(key))
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

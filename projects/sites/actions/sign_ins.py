"""Signing in: how often it may be tried, and what the audit keeps of it.

Three counts of wrong passwords: of an account from one address, of an address, of an account from anywhere. The first
is reserved before a password is looked at, so that requests at once get no more tries than one after the other. Whoever
signed in from an address before is held by the first only: strangers who guess cannot keep an account's owner out.
Nothing tells whether an account exists: an unknown name is counted and recorded by the same calls.
"""

import datetime as dt
import logging
import math
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.contrib.auth.models import Group, User
from django.utils.crypto import salted_hmac

from config import clock
from config.errors import Conflict, CountersignError, NotFound, TooManyTries
from config.table import DEFAULT_SITE, SIGN_IN_TRIES, Key
from config.transaction import Change, Delete, Put, transact
from projects.audit.events import Actor, actor_of, entity_event
from projects.sites.items import SignInTries

log = logging.getLogger(__name__)
SIGN_IN, PASSWORD, CODE, RESET = "sign-in", "password change", "second factor", "password reset"
ACCOUNT = "account"  # as the audit names the record
UNKNOWN = "unknown"  # the record of names that are no account: what was typed may be a password
STRANGER = Actor(UNKNOWN, "Unknown")  # a name that was typed does not say who typed it
_KNOWN_DAYS = 90
_CODE_SECONDS = 600  # longer than any code is taken


class Limit(NamedTuple):
    tries: int
    seconds: int


PAIR = Limit(5, 5 * 60)
ADDRESS = Limit(50, 15 * 60)
ANYWHERE = Limit(30, 60 * 60)  # of one account
RECORDED = Limit(200, 60 * 60)  # failures that the audit keeps: it never grows as fast as someone guesses


@dataclass(frozen=True)
class Attempt:
    """``what``: sign-in or password change. ``name`` as it was typed; ``address`` of the network it came from."""

    what: str
    name: str
    address: str

    @property
    def _name(self) -> str:
        return unicodedata.normalize("NFKC", self.name).casefold()

    def key(self, kind: str) -> Key:
        parts = {"ADDRESS": ["", self.address], "ANYWHERE": [self._name, ""], "RECORDED": ["", ""]}
        counted = "\n".join([self.what, *parts.get(kind, [self._name, self.address])])
        digest = salted_hmac("projects.sign_ins", counted, algorithm="sha256").hexdigest()
        return SIGN_IN_TRIES.key(DEFAULT_SITE, digest=digest, kind=kind)


def take_try(attempt: Attempt) -> int:
    """Take one of the tries; returns which it is, from 1. Called before the password is looked at.

    Raises:
        TooManyTries: with the minutes to wait.
        Unavailable: the table does not answer, so no one is let in.

    """
    limits = {"ANYWHERE": ANYWHERE, "ADDRESS": ADDRESS}
    keys = {kind: attempt.key(kind) for kind in (*limits, "KNOWN")}
    rows = {row.key: row for row in SignInTries.load_many(list(keys.values()))}
    now = clock.now()
    if keys["KNOWN"] not in rows:
        for kind, limit in limits.items():
            row = rows.get(keys[kind])
            if row is not None and int(row.tries) >= limit.tries and _seconds_left(row, now) > 0:
                raise _too_many(_seconds_left(row, now))
    return _count_try(attempt.key("PAIR"), PAIR)


def _count_try(key: Key, limit: Limit) -> int:
    """One more, from nothing once its time is over. Raises: TooManyTries."""
    for _ in range(3):
        now = clock.now()
        goes_on = (SignInTries.ends_at > clock.iso(now)) & (SignInTries.tries < limit.tries)
        with suppress(Conflict):
            return int(SignInTries.change(key, [SignInTries.tries.add(1)], goes_on).tries)
        ends = now + dt.timedelta(seconds=limit.seconds)
        anew = [
            SignInTries.tries.set(1),
            SignInTries.ends_at.set(clock.iso(ends)),
            SignInTries.TimeToLive.set(int(ends.timestamp()) + 60),
        ]
        over = SignInTries.PK.does_not_exist() | (SignInTries.ends_at <= clock.iso(now))
        with suppress(Conflict):
            SignInTries.change(key, anew, over)
            return 1
        with suppress(NotFound):  # a sign-in that worked took it away meanwhile
            row = SignInTries.load(key)
            if int(row.tries) >= limit.tries and _seconds_left(row, now) > 0:
                raise _too_many(_seconds_left(row, now))
    raise _too_many(1)


def _seconds_left(row: SignInTries, now: dt.datetime) -> float:
    return (clock.parse(str(row.ends_at)) - now).total_seconds()


def _too_many(seconds: float) -> TooManyTries:
    minutes = max(math.ceil(seconds / 60), 1)
    return TooManyTries(f"Too many attempts. Try again in {minutes} min.", seconds=math.ceil(seconds))


def record_failure(attempt: Attempt, number: int) -> None:
    """The password was wrong. ``number``: what ``take_try`` answered. The audit has the first and the last try."""
    reached = [number == PAIR.tries]
    for kind, limit in (("ADDRESS", ADDRESS), ("ANYWHERE", ANYWHERE)):
        with suppress(TooManyTries):
            reached.append(_count_try(attempt.key(kind), limit) == limit.tries)
    if number > 1 and not any(reached):
        return
    user = User.objects.filter(username=attempt.name).first()
    told = f"{attempt.what} throttled" if any(reached) else f"{attempt.what} failed"
    try:
        _count_try(attempt.key("RECORDED"), RECORDED)
    except TooManyTries:
        log.warning("failed sign-ins are not recorded for a while: too many")
        return
    account_id, payload = (str(user.pk), _user_name(user)) if user else (UNKNOWN, {})
    by = actor_of(user) if user and attempt.what == PASSWORD else STRANGER  # only who is signed in changes a password
    transact([], entity_event(DEFAULT_SITE, ACCOUNT, account_id, told, by=by, payload=payload))


def give_back(attempt: Attempt) -> None:
    """The password was right: what was tried before is forgotten."""
    transact([Delete(attempt.key("PAIR"))])


def take_request(attempt: Attempt) -> None:
    """Count something that is always answered alike, such as a wish for a mail. Raises: TooManyTries."""
    for kind, limit in (("PAIR", PAIR), ("ADDRESS", ADDRESS), ("ANYWHERE", ANYWHERE)):
        _count_try(attempt.key(kind), limit)


def spend_code(user: User, code: str) -> None:
    """A code of an authenticator opens once, whichever process is asked. Raises: Conflict if it was used before."""
    key = Attempt(CODE, f"{user.pk}\n{code}", "").key("SPENT")
    transact([Put(SignInTries(*key, TimeToLive=int(clock.in_seconds(_CODE_SECONDS).timestamp())))])


def record_sign_in(attempt: Attempt, user: User) -> None:
    """The tries are forgotten, and the address is known to the account for a while."""
    gone_at = int(clock.in_seconds(_KNOWN_DAYS * 86_400).timestamp())
    known = SignInTries(*attempt.key("KNOWN"), TimeToLive=gone_at)
    changes: list[Change] = [Delete(attempt.key("PAIR")), Put(known, overwrite=True)]
    transact(changes, _event(user, "signed in", by=actor_of(user)))


def record_factor(user: User, told: str, *, by: Actor) -> None:
    """A second factor, a passkey, the recovery codes or the sessions of an account were changed."""
    transact([], _event(user, told, by=by))


def record_new_password(user: User) -> None:
    transact([], _event(user, "password changed", by=actor_of(user)))


def record_sign_out(user: User) -> None:
    """Signing out does not fail because the table does not answer."""
    try:
        transact([], _event(user, "signed out", by=actor_of(user)))
    except CountersignError as error:
        log.warning("sign-out not recorded", extra={"error": type(error).__name__})


def record_account(user: User, told: str, *, by: Actor, changes: Mapping[str, Any], site: str = DEFAULT_SITE) -> None:
    """An account was changed by someone who may, in the audit of their site; ``changes`` holds no password."""
    event = entity_event(site, ACCOUNT, str(user.pk), told, by=by, payload={**_user_name(user), **changes})
    transact([], event)


def record_group(group: Group, told: str, *, by: Actor, changes: Mapping[str, Any]) -> None:
    """The same of a group of accounts."""
    transact(
        [], entity_event(DEFAULT_SITE, "group", str(group.pk), told, by=by, payload={"account": group.name, **changes})
    )


def _event(user: User, told: str, *, by: Actor) -> Any:
    return entity_event(DEFAULT_SITE, ACCOUNT, str(user.pk), told, by=by, payload=_user_name(user))


def _user_name(user: User) -> dict[str, str]:
    return {"account": user.get_username()}

"""Requests for access: a person asks a site's admins for a permission, once, until one of them answers."""

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils.translation import gettext

from config import clock, table
from config.errors import Conflict, NotFound
from config.transaction import NEW, Change, Delete, Update, transact
from projects.accounts.items import AccessRequest, AccessRequestStatus
from projects.audit.events import Actor, entity_event
from projects.sites.permissions import WORDS, Permission, known_permissions
from projects.sites.sign_in import ACCOUNT

PAGE_ROWS = 50
AGAIN_DAYS = 7  # after a refusal, until the person may ask once more
NOTE_LENGTH = 300
S = AccessRequestStatus
RequestPlan = Callable[[str, Actor], Sequence[Change]]
AdmissionPlan = Callable[[str, str, Actor], Sequence[Change]]
_AT_REQUEST: list[RequestPlan] = []
_AT_ADMISSION: list[AdmissionPlan] = []


def at_request(plan: RequestPlan) -> RequestPlan:
    """Register what else is written when a person asks."""
    _AT_REQUEST.append(plan)
    return plan


def at_admission(plan: AdmissionPlan) -> AdmissionPlan:
    """Register what else is written when a person was given access."""
    _AT_ADMISSION.append(plan)
    return plan


@dataclass(frozen=True)
class Request:
    """As admins see it. ``wanted``: the permission, in words."""

    user: User
    wanted: str
    note: str
    asked_at: str

    @property
    def name(self) -> str:
        return str(self.user.get_full_name() or self.user.get_username())


def find_request(site: str, user_id: str) -> AccessRequest | None:
    """Return this person's request while it is open, or for some days after a refusal."""
    try:
        found = AccessRequest.load(table.ACCESS_REQUEST.key(site, user_id=user_id))
    except NotFound:
        return None
    return None if found.again_at and found.again_at <= clock.iso(clock.now()) else found


def list_requests(site: str) -> list[Request]:
    """Open ones of active people: one Query and one SQL statement."""
    rows = AccessRequest.page(table.ACCESS_REQUEST.partition_key(site), limit=PAGE_ROWS).rows
    asked = {str(row.user_id): row for row in rows if row.status == S.OPEN}
    people = {str(one.pk): one for one in User.objects.filter(pk__in=asked, is_active=True)} if asked else {}
    return [
        Request(people[one], _describe(row.wanted), row.note, row.asked_at)
        for one, row in asked.items()
        if one in people
    ]


def _describe(wanted: str) -> str:
    return next((WORDS[one] for one in known_permissions([wanted])), wanted)


def ask(site: str, user: User, wanted: Permission, note: str, *, by: Actor) -> None:
    """Raises: Conflict: they have asked already, or were refused a few days ago."""
    now = clock.iso(clock.now())
    free = NEW | (AccessRequest.again_at <= now)
    actions = [
        AccessRequest.user_id.set(by.id),
        AccessRequest.wanted.set(wanted.value),
        AccessRequest.note.set(note),
        AccessRequest.status.set(S.OPEN),
        AccessRequest.asked_at.set(now),
        *(one.remove() for one in (AccessRequest.again_at, AccessRequest.decided_by, AccessRequest.TimeToLive)),
    ]
    told = [change for plan in _AT_REQUEST for change in plan(site, by)]
    payload = {"account": user.get_username(), "wanted": wanted.value}
    event = entity_event(site, ACCOUNT, by.id, "asked for access", by=by, payload=payload)
    key = table.ACCESS_REQUEST.key(site, user_id=by.id)
    try:
        transact([Update(key, actions, free), *told], event)
    except Conflict as error:
        raise Conflict(gettext("Your request is already with the site’s admins.")) from error


def close(site: str, user: User, *, by: Actor) -> None:
    """Once they have groups. Raises: Conflict: another admin was first."""
    told = [change for plan in _AT_ADMISSION for change in plan(site, str(user.pk), by)]
    key = table.ACCESS_REQUEST.key(site, user_id=str(user.pk))
    transact([Delete(key, AccessRequest.status == S.OPEN), *told])


def decline(site: str, user: User, *, by: Actor) -> None:
    """Raises: Conflict: another admin was first."""
    again = clock.now() + dt.timedelta(days=AGAIN_DAYS)
    actions = [
        AccessRequest.status.set(S.DECLINED),
        AccessRequest.decided_by.set(by.name),
        AccessRequest.again_at.set(clock.iso(again)),
        AccessRequest.TimeToLive.set(int(again.timestamp())),
    ]
    key = table.ACCESS_REQUEST.key(site, user_id=str(user.pk))
    event = entity_event(
        site, ACCOUNT, str(user.pk), "access declined", by=by, payload={"account": user.get_username()}
    )
    transact([Update(key, actions, AccessRequest.status == S.OPEN)], event)

"""Writes of what groups may do on a site: a whole page of them in one conditional transaction, an event for each."""

from collections.abc import Sequence
from dataclasses import dataclass

from pynamodb.expressions.condition import Condition

from config import clock
from config.table import DEFAULT_SITE, SITE_GROUP, encode_part
from config.transaction import Change, Delete, Put, RecordAt, Update, transact
from projects.audit.events import Actor, entity_event
from projects.sites import directory
from projects.sites.items import SiteGroup
from projects.sites.permissions import DEFAULTS, Permission, in_order

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
        transact([_change(site, one, now, by) for one in grants], *(_event(site, one, by) for one in grants))
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


def _change(site: str, one: Grant, now: str, by: Actor) -> Change:
    key = SITE_GROUP.key(DEFAULT_SITE, site_id=site, group_name=one.group)
    shown = _at(one.version)
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


def _at(version: int) -> Condition:
    condition: Condition = SiteGroup.version == version
    return condition


def _event(site: str, one: Grant, by: Actor) -> RecordAt:
    payload = {"before": in_order(one.before), "after": in_order(one.after), "group": one.group}
    return entity_event(site, "sitegroup", encode_part(one.group), "updated", by=by, payload=payload)

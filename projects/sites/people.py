"""The people and groups of a site, for selection."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import F

from projects.queues.items import Queue
from projects.sites import directory
from projects.sites.permissions import Permission

_MOST_ROWS = 5000  # rows: one for each person and group


@dataclass(frozen=True)
class SitePerson:
    id: str
    name: str


@dataclass(frozen=True)
class SiteGroup:
    """``members``: active people of the group with the permission, by name."""

    name: str
    members: tuple[SitePerson, ...]


def list_people(site: str, permission: Permission, queue: Queue | None = None) -> list[SitePerson]:
    """List active people with this permission whom the queue admits, by name: one SQL statement."""
    return _list_by_name(_list_groups_of_people(site, permission, queue))


def list_people_and_groups(
    site: str, permission: Permission, queue: Queue | None = None
) -> tuple[list[SitePerson], list[SiteGroup]]:
    """List them as ``list_people``, and their groups, by name: one SQL statement."""
    found = _list_groups_of_people(site, permission, queue)
    names = sorted({name for groups in found.values() for name in groups}, key=str.casefold)
    members = {name: _list_by_name([one for one, groups in found.items() if name in groups]) for name in names}
    return _list_by_name(found), [SiteGroup(name, tuple(people)) for name, people in members.items()]


def _list_by_name(people: Iterable[User]) -> list[SitePerson]:
    found = [SitePerson(str(one.pk), one.get_full_name() or one.get_username()) for one in people]
    return sorted(found, key=lambda one: one.name.casefold())


def _list_groups_of_people(site: str, permission: Permission, queue: Queue | None) -> dict[User, set[str]]:
    rows = User.objects.filter(is_active=True).annotate(group_name=F("groups__name"))[:_MOST_ROWS]
    people: dict[str, User] = {}
    groups: dict[str, set[str]] = {}
    for row in rows:
        people[str(row.pk)] = row
        groups.setdefault(str(row.pk), set()).update([row.group_name] if row.group_name else [])
    return {one: groups[pk] for pk, one in people.items() if _may(site, one, groups[pk], permission, queue)}


def _may(site: str, user: User, groups: set[str], permission: Permission, queue: Queue | None) -> bool:
    if user.is_superuser:
        return True
    if queue is not None and queue.groups and not groups & set(queue.groups):
        return False
    return permission in directory.get_permissions(site, groups)

"""The sites and their groups' permissions, cached for a few seconds in each process.

Every page reads them, and reading the table each time would double a page's cost. The cost of the cache: a revoked
permission, or a closed site, stays effective for ``ACCESS_SECONDS`` in other processes; the writer's own clears it.
"""

import functools
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.conf import settings

from config.errors import NotFound
from config.item import Item
from config.table import DEFAULT_SITE, ENTITY_TYPE, SHARE_BY_DATE, Entity, InvalidKey, encode_part, site_partition
from projects.folders import queries as folder_queries
from projects.queues import queries as queue_queries
from projects.sites import queries
from projects.sites.items import CASES, Site
from projects.sites.permissions import NOTHING, Permission, default_permissions

T = TypeVar("T")
_MOST = 4096  # entries; beyond that the cache is cleared


class _Memory:
    """A cache by kind and name, for ``ACCESS_SECONDS``."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], tuple[float, Any]] = {}

    def get(self, kind: str, name: str, read: Callable[[], T]) -> T:
        kept = self._kept  # a concurrent clear must not be undone: we then fill a dict that nobody reads
        found = kept.get((kind, name))
        if found is not None and found[0] > time.monotonic():
            answer: T = found[1]
            return answer
        answer = read()
        if len(kept) >= _MOST:
            kept.clear()
        kept[kind, name] = (time.monotonic() + settings.ACCESS_SECONDS, answer)
        return answer

    def forget(self) -> None:
        self._kept = {}

    def forget_kind(self, kind: str) -> None:
        self._kept = {key: kept for key, kept in self._kept.items() if key[0] != kind}


@dataclass(frozen=True)
class Place:
    """A site that a person can open."""

    site_id: str
    title: str


_memory = _Memory()
forget = _memory.forget
remember = _memory.get
_QUEUES = "queues"
_FOLDERS, _PARENTS = "folders", "parents"
_USES = "uses"
UNREAD = "unread"  # number of unread notifications, cached by ``review.notifications``
PERSONAL = "personal"  # personal fields of a site, cached by ``projects.personal``


def forget_queues() -> None:
    _memory.forget_kind(_QUEUES)


def forget_folders() -> None:
    _memory.forget_kind(_FOLDERS)
    _memory.forget_kind(_PARENTS)


def forget_personal() -> None:
    _memory.forget_kind(PERSONAL)


def forget_unread() -> None:
    _memory.forget_kind(UNREAD)


def get_site(site_id: str) -> Site | None:
    """Return the site, active or not, or None. Misses are cached too for valid ids."""
    try:
        site_partition(site_id, "")
    except InvalidKey:
        return None

    def read_site() -> Site | None:
        try:
            return queries.get_site(site_id)
        except NotFound:
            return None

    return _memory.get("site", site_id, read_site)


def is_open(site_id: str) -> bool:
    """Return True if the site is open; the default site always is, without a read."""
    if site_id == DEFAULT_SITE:
        return True
    found = get_site(site_id)
    return found is not None and found.status == queries.ACTIVE


def _group_permissions(group: str) -> Mapping[str, frozenset[Permission]]:
    def read_permissions() -> Mapping[str, frozenset[Permission]]:
        return {str(row.siteId): row.held for row in queries.sites_of_group(group)}

    return _memory.get("group", group, read_permissions)


def get_permissions(site_id: str, groups: Iterable[str]) -> frozenset[Permission]:
    """Return the combined permissions of the groups on a site."""
    rows = ((group, _group_permissions(group)) for group in groups)
    return NOTHING.union(*(found.get(site_id, default_permissions(site_id, group)) for group, found in rows))


def places_of(groups: Iterable[str], limit: int) -> Sequence[Place]:
    """List the open sites where the groups have any permission, the default one first, then by title."""
    named = sorted(groups)

    def read_places() -> Sequence[Place]:
        ids = {DEFAULT_SITE, *(site_id for group in named for site_id in _group_permissions(group))}
        mine = sorted(site_id for site_id in ids if get_permissions(site_id, named))[:limit]
        if mine == [DEFAULT_SITE]:  # the most frequent case: its title is not worth a read
            return [_place(queries.default_site())]
        return _in_order(_place(one) for one in queries.get_sites(mine) if one.status == queries.ACTIVE)

    return _memory.get("places", "#".join([str(limit), *map(encode_part, named)]), read_places)


def list_limited_queues(site_id: str) -> Mapping[str, frozenset[str]]:
    """Map each restricted queue to its groups; archived ones included, since their documents stay restricted."""

    def read_limited_queues() -> Mapping[str, frozenset[str]]:
        found: dict[str, frozenset[str]] = {}
        cursor = None
        while True:
            rows, cursor = queue_queries.list_queues(site_id, cursor)
            found |= {row.id: frozenset(row.groups) for row in rows if row.groups}
            if cursor is None:
                return found

    return _memory.get(_QUEUES, site_id, read_limited_queues)


def list_limited_folders(site_id: str) -> Mapping[str, frozenset[str]]:
    """Map each restricted folder to its groups."""

    def read_limited_folders() -> Mapping[str, frozenset[str]]:
        return {one.folder_id: frozenset(one.groups or ()) for one in folder_queries.list_restricted(site_id)}

    return _memory.get(_FOLDERS, site_id, read_limited_folders)


def is_in_folder(site_id: str, folder_id: str, folders: Container[str]) -> bool:
    """Return True if the folder or one of its ancestors is in ``folders``."""
    return any(one in folders for one in list_way_up(site_id, folder_id))


def list_way_up(site_id: str, folder_id: str) -> Iterator[str]:
    """Yield the folder and its ancestors; each step is cached."""
    seen: set[str] = set()
    here: str | None = folder_id
    while here and here not in seen:
        yield here
        seen.add(here)
        here = _memory.get(
            _PARENTS, f"{site_id}/{here}", functools.partial(folder_queries.get_parent_id, site_id, here)
        )


def has_cases(site_id: str) -> bool:
    """Return True if the site has used cases, which are hidden otherwise.

    Checked on every page, so it is stored on the site's row, which is cached.
    """
    found = get_site(site_id)
    return found is not None and CASES in (found.uses or ())


def has_entities(site_id: str) -> bool:
    """Return True if the site has suppliers, customers or other entities."""
    return _has_rows(site_id, ENTITY_TYPE)


def has_shares(site_id: str) -> bool:
    """Return True if anything on the site was ever shared; if not, pages skip the check."""
    return _has_rows(site_id, SHARE_BY_DATE)


def _has_rows(site_id: str, entity: Entity) -> bool:
    def read_first() -> bool:
        return bool(Item.page(entity.gsi1_partition(site_id), index="GSI1", limit=1).rows)

    return _memory.get(_USES, f"{site_id}/{entity.name}", read_first)


def forget_uses() -> None:
    _memory.forget_kind(_USES)


def every_place(limit: int) -> Sequence[Place]:
    """List the first open sites, for people who may open all."""

    def read_every_place() -> Sequence[Place]:
        rows = [_place(one) for one in queries.active_sites(limit).rows]
        known_default = any(one.site_id == DEFAULT_SITE for one in rows)
        return _in_order(rows if known_default else [_place(queries.default_site()), *rows])

    return _memory.get("every place", str(limit), read_every_place)


def _place(site: Site) -> Place:
    return Place(site.site_id, str(site.name or site.title))


def _in_order(places: Iterable[Place]) -> Sequence[Place]:
    return sorted(places, key=lambda one: (one.site_id != DEFAULT_SITE, one.title.casefold(), one.site_id))

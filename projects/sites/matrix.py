"""The permission matrix of a site's groups: rows, submitted values, and changes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.http import QueryDict

from config.phrase import Phrase
from config.table import DEFAULT_SITE
from projects.sites.actions import MOST_AT_ONCE, Grant
from projects.sites.items import SiteGroup
from projects.sites.permissions import DEFAULTS, NAMES, NOTHING, ROLES, WORDS, Permission, in_order, known_permissions
from projects.web.http import version_in

NAME_LENGTH = 150  # Django's limit for groups


@dataclass(frozen=True)
class Cell:
    """One checkbox. ``label``: the permission's name; ``words``: what it permits."""

    name: str
    value: str
    label: str
    words: str
    ticked: bool


@dataclass(frozen=True)
class GroupRow:
    """A group: the permissions that the page showed, and those checked now. ``version`` is 0 if it has no row."""

    number: int | str  # in the names of its inputs; "new" for the group to add
    group: str
    shown: frozenset[Permission]
    ticked: frozenset[Permission]
    version: int
    who: str = ""
    at: str = ""
    error: str = ""
    is_new: bool = False

    @property
    def cells(self) -> list[Cell]:
        name = f"may-{self.number}"
        return [Cell(name, one.value, NAMES[one], WORDS[one], one in self.ticked) for one in Permission]

    @property
    def shown_words(self) -> str:
        return ",".join(in_order(self.shown))

    @property
    def is_changed(self) -> bool:
        return self.ticked != self.shown or self.is_new

    def grant(self) -> Grant:
        return Grant(self.group, self.shown, self.ticked, self.version)


def list_group_rows(site: str, stored: Iterable[SiteGroup], *, is_first: bool) -> list[GroupRow]:
    """List the stored rows; on the default site the initial groups come first, even without a row."""
    found = {str(one.groupName): one for one in stored}
    names = [one for one in ROLES if site == DEFAULT_SITE and is_first and one not in found]
    return [_row(number, name, found.get(name)) for number, name in enumerate([*names, *found])]


def _row(number: int, group: str, row: SiteGroup | None) -> GroupRow:
    if row is None:
        held = DEFAULTS[group]
        return GroupRow(number, group, held, held, 0)
    held = row.held
    return GroupRow(number, group, held, held, int(row.version or 0), row.updated_by or "", row.updated_at or "")


def parse_posted_groups(data: QueryDict) -> list[GroupRow]:
    """Parse the submitted rows; the last one, if its name was typed, is a new group."""
    numbers = [number for number in range(MOST_AT_ONCE * 2) if f"group-{number}" in data]
    rows = [_parse_posted_group(data, number) for number in numbers]
    name = data.get("new-group", "").strip()[:NAME_LENGTH]
    if name:
        rows.append(new_row(name, known_permissions(data.getlist("may-new"))))
    return rows


def new_row(group: str = "", ticked: frozenset[Permission] = NOTHING) -> GroupRow:
    return GroupRow("new", group, NOTHING, ticked, 0, is_new=True)


def _parse_posted_group(data: QueryDict, number: int) -> GroupRow:
    shown = known_permissions(data.get(f"shown-{number}", "").split(","))
    return GroupRow(
        number,
        str(data[f"group-{number}"])[:NAME_LENGTH],
        shown,
        known_permissions(data.getlist(f"may-{number}")),
        version_in(data, f"version-{number}"),
    )


def lay_over_stored(rows: Sequence[GroupRow], stored: Mapping[str, SiteGroup]) -> list[GroupRow]:
    """Apply the submitted values to the current rows; rows that were not changed show what is stored."""
    return [_over(row, stored.get(row.group)) for row in rows]


def _over(row: GroupRow, now: SiteGroup | None) -> GroupRow:
    if now is None and not row.version:
        return row  # a group without a row had nothing to change
    version = int(now.version or 0) if now else 0
    held = now.held if now else NOTHING
    fresh = replace(row, shown=held, version=version, is_new=False)
    if now is not None:
        fresh = replace(fresh, who=now.updated_by or "", at=now.updated_at or "")
    if not row.is_changed:
        return replace(fresh, ticked=held)
    return (
        fresh
        if version == row.version
        else replace(fresh, error=Phrase("Changed by another user; your selection was not saved."))
    )


def locks_out(rows: Iterable[GroupRow], mine: frozenset[str], elsewhere: frozenset[Permission]) -> bool:
    """Return True if saving would take away the person's own right to undo it.

    ``elsewhere``: permissions of the person by groups that are not in the rows.
    """
    held = [row for row in rows if row.group in mine]
    loses = any(Permission.ADMIN in row.shown - row.ticked for row in held)
    return loses and Permission.ADMIN not in elsewhere.union(*(row.ticked for row in held))

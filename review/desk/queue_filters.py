"""What the address of a queue asks for: which of its reviews, and in which order."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils.http import urlencode

from config import clock
from review import queries
from review.items.reviews import Review

MOST_READ = 250  # rows that one page is chosen from: one Query of about 40 RRU
_LONGEST = 100

DUE: Mapping[str, str] = {"over": "Overdue", "1h": "Within 1 hour", "24h": "Within 24 hours"}
_DUE_SECONDS = {"over": 0, "1h": 3600, "24h": 86_400}
ASSIGNEES: Mapping[str, str] = {"none": "Unassigned", "me": "Me", "others": "Others"}
SORTS: Mapping[str, str] = {"received": "Received", "unsure": "Most fields to check", "name": "Name"}
_SORT_KEYS: Mapping[str, Callable[[Review], Any]] = {
    "received": lambda one: one.created_at,
    "unsure": lambda one: -int(one.fields_unsure or 0),
    "name": lambda one: (one.name or "").casefold(),
}


@dataclass(frozen=True)
class Filters:
    """Anything that an address cannot ask for is as if it were not there. ``text``: in name, project or a reason."""

    text: str = ""
    project: str = ""
    due: str = ""
    assignee: str = ""
    sort: str = ""

    @classmethod
    def from_query(cls, query: QueryDict) -> "Filters":
        due, assignee, sort = (query.get(name, "") for name in ("due", "assignee", "sort"))
        return cls(
            " ".join(query.get("text", "")[:_LONGEST].split()),
            query.get("project", "")[:_LONGEST],
            due if due in DUE else "",
            assignee if assignee in ASSIGNEES else "",
            sort if sort in SORTS else "",
        )

    @property
    def chosen(self) -> bool:
        return any(vars(self).values())

    @property
    def query(self) -> str:
        """As an address has it, empty if nothing is asked for."""
        return urlencode({name: value for name, value in vars(self).items() if value})

    def choose(self, rows: Iterable[Review], *, user_id: str) -> list[Review]:
        """Those of ``rows`` that are asked for, in the order that is asked for."""
        now = clock.iso(clock.now())
        latest = clock.iso(clock.in_seconds(_DUE_SECONDS[self.due])) if self.due else ""
        found = [one for one in rows if self._fits(one, user_id, now, latest)]
        return sorted(found, key=_SORT_KEYS[self.sort]) if self.sort else found

    def _fits(self, row: Review, user_id: str, now: str, latest: str) -> bool:
        if self.project and row.project_id != self.project:
            return False
        if latest and row.deadline > latest:
            return False
        if self.assignee and self.assignee != _assignee(queries.holder_of(row, now=now), user_id):
            return False
        words = " ".join([row.name or "", row.project_name or "", *(row.reasons or ())]).casefold()
        return all(one in words for one in self.text.casefold().split())


def _assignee(holder: str, user_id: str) -> str:
    return "none" if not holder else "me" if holder == user_id else "others"


def list_projects(rows: Sequence[Review], chosen: str) -> list[tuple[str, str]]:
    """To choose from: those of what was read, and the one that is chosen."""
    known = {row.project_id: row.project_name or row.project_id for row in rows if row.project_id}
    if chosen:
        known.setdefault(chosen, chosen)
    return sorted(known.items(), key=lambda one: one[1].casefold())

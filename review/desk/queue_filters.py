"""What the address of a queue asks for: which of its reviews, and in which order."""

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.http import QueryDict
from django.utils.http import urlencode

from config import clock
from projects.web import days
from review import queries
from review.items.reviews import Review
from workflows.stages.assessment.triage import Triage, read_triage

MOST_READ = 250  # rows that one page is chosen from: one Query of about 40 RRU
_LONGEST = 100

DUE: Mapping[str, str] = {"over": "Overdue", "today": "Today", "1h": "Within 1 hour", "24h": "Within 24 hours"}
_DUE_SECONDS = {"over": 0, "1h": 3600, "24h": 86_400}
# Code of a reason → why reviews wait, in words.
REASONS: Mapping[str, str] = {
    "low_confidence": "Low confidence",
    "missing": "Value missing",
    "check": "Rule failed",
    "rule": "Implausible date",
    "invalid": "Invalid value",
    "not_allowed": "Not an allowed value",
    "ambiguous": "Two readings",
    "unverified": "Not verified",
    "type": "Document type in doubt",
    "copy": "Possible duplicate",
    "entity": "Differs from supplier",
    "unreadable": "Page not readable",
    "audit": "Sample",
}
RISKS: Mapping[str, str] = {"high": "High", "medium": "Medium", "low": "Low"}
AGES: Mapping[str, str] = {"1h": "Over 1 hour old", "24h": "Over 24 hours old", "7d": "Over 7 days old"}
_AGE_SECONDS = {"1h": 3600, "24h": 86_400, "7d": 604_800}
ASSIGNEES: Mapping[str, str] = {"none": "Unassigned", "me": "Me", "others": "Others"}
SORTS: Mapping[str, str] = {
    "risk": "Highest risk",
    "amount": "Highest amount",
    "received": "Received",
    "unsure": "Most fields to check",
    "name": "Name",
}
_SORT_KEYS: Mapping[str, Callable[[Review], Any]] = {
    "received": lambda one: one.created_at,
    "unsure": lambda one: -triage_of(one).unsure,
    "risk": lambda one: -triage_of(one).risk,
    "amount": lambda one: -(triage_of(one).amount or Decimal(0)),
    "name": lambda one: (one.name or "").casefold(),
}


_UNKNOWN = Triage(0.0)


def end_of_today() -> dt.datetime:
    """Of the day of who looks."""
    return days.start_of(days.today() + dt.timedelta(days=1))


def triage_of(row: Review) -> Triage:
    """Of one that was opened without, nothing is known."""
    return read_triage(row.triage) or _UNKNOWN


@dataclass(frozen=True)
class Filters:
    """Anything that an address cannot ask for is as if it were not there. ``text``: in name, project or a reason."""

    text: str = ""
    project: str = ""
    due: str = ""
    assignee: str = ""
    sort: str = ""
    reason: str = ""
    risk: str = ""
    age: str = ""

    @classmethod
    def from_query(cls, query: QueryDict) -> "Filters":
        def choice(name: str, known: Mapping[str, str]) -> str:
            chosen = query.get(name, "")
            return chosen if chosen in known else ""

        return cls(
            " ".join(query.get("text", "")[:_LONGEST].split()),
            query.get("project", "")[:_LONGEST],
            choice("due", DUE),
            choice("assignee", ASSIGNEES),
            choice("sort", SORTS),
            choice("reason", REASONS),
            choice("risk", RISKS),
            choice("age", AGES),
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
        latest = self._latest_deadline()
        oldest = clock.iso(clock.in_seconds(-_AGE_SECONDS[self.age])) if self.age else ""
        found = [one for one in rows if self._fits(one, user_id, now, latest) and self._weighs(one, oldest)]
        return sorted(found, key=_SORT_KEYS[self.sort]) if self.sort else found

    def _latest_deadline(self) -> str:
        if self.due == "today":
            return clock.iso(end_of_today())
        return clock.iso(clock.in_seconds(_DUE_SECONDS[self.due])) if self.due else ""

    def _weighs(self, row: Review, oldest: str) -> bool:
        if oldest and row.created_at > oldest:
            return False
        if not self.reason and not self.risk:
            return True
        known = read_triage(row.triage)
        if known is None:
            return False
        return self.reason in {"", *known.codes} and self.risk in {"", known.level}

    def _fits(self, row: Review, user_id: str, now: str, latest: str) -> bool:
        if self.project and row.project_id != self.project:
            return False
        if (latest and row.deadline > latest) or (self.due == "today" and row.deadline <= now):
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


def count_reasons(rows: Iterable[Review]) -> list[tuple[str, str, int]]:
    """Code, words and how many of ``rows`` wait for it, the most frequent first; a review may count for several."""
    found = Counter(code for row in rows for code in triage_of(row).codes if code in REASONS)
    return [(code, REASONS[code], number) for code, number in found.most_common()]

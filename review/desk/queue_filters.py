"""Filters and order of a queue, from its URL."""

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.http import QueryDict
from django.utils.http import urlencode

from config import clock
from config.phrase import Phrase
from projects.web import days
from review import queries
from review.items.reviews import Review
from workflows.stages.assessment.triage import Triage, read_triage

MOST_READ = 250  # rows that are filtered into one page: one Query of about 40 RRU
_LONGEST = 100

DUE: Mapping[str, str] = {
    "over": Phrase("Overdue"),
    "today": Phrase("Today"),
    "1h": Phrase("Within 1 hour"),
    "24h": Phrase("Within 24 hours"),
}
_DUE_SECONDS = {"over": 0, "1h": 3600, "24h": 86_400}
# Code of a reason → why reviews wait, in words.
REASONS: Mapping[str, str] = {
    "low_confidence": Phrase("Low confidence"),
    "missing": Phrase("Value missing"),
    "check": Phrase("Rule failed"),
    "rule": Phrase("Implausible date"),
    "invalid": Phrase("Invalid value"),
    "not_allowed": Phrase("Not an allowed value"),
    "ambiguous": Phrase("Two readings"),
    "unverified": Phrase("Not verified"),
    "type": Phrase("Document type in doubt"),
    "copy": Phrase("Possible duplicate"),
    "entity": Phrase("Differs from supplier"),
    "unreadable": Phrase("Page not readable"),
    "audit": Phrase("Sample"),
}
RISKS: Mapping[str, str] = {"high": Phrase("High"), "medium": Phrase("Medium"), "low": Phrase("Low")}
AGES: Mapping[str, str] = {
    "1h": Phrase("Over 1 hour old"),
    "24h": Phrase("Over 24 hours old"),
    "7d": Phrase("Over 7 days old"),
}
_AGE_SECONDS = {"1h": 3600, "24h": 86_400, "7d": 604_800}
ASSIGNEES: Mapping[str, str] = {"none": Phrase("Unassigned"), "me": Phrase("Me"), "others": Phrase("Others")}
SORTS: Mapping[str, str] = {
    "risk": Phrase("Sort: highest risk"),
    "amount": Phrase("Sort: highest amount"),
    "received": Phrase("Sort: received"),
    "unsure": Phrase("Sort: most fields to check"),
    "name": Phrase("Sort: name"),
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
    """Return the end of today in the viewer's time zone."""
    return days.start_of(days.today() + dt.timedelta(days=1))


def triage_of(row: Review) -> Triage:
    """Return the triage; empty if the review was opened without one."""
    return read_triage(row.triage) or _UNKNOWN


@dataclass(frozen=True)
class Filters:
    """Filters from the URL; invalid values are ignored. ``text``: searched in name, project and reasons."""

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
        """The query string; empty without filters."""
        return urlencode({name: value for name, value in vars(self).items() if value})

    def choose(self, rows: Iterable[Review], *, user_id: str) -> list[Review]:
        """Filter and sort ``rows``."""
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
    """Return projects to choose from: those of the loaded reviews and the chosen one."""
    known = {row.project_id: row.project_name or row.project_id for row in rows if row.project_id}
    if chosen:
        known.setdefault(chosen, chosen)
    return sorted(known.items(), key=lambda one: one[1].casefold())


def count_reasons(rows: Iterable[Review]) -> list[tuple[str, str, int]]:
    """Return code, label and count of reasons in ``rows``, most frequent first; a review may count for several."""
    found = Counter(code for row in rows for code in triage_of(row).codes if code in REASONS)
    return [(code, REASONS[code], number) for code, number in found.most_common()]

"""Figures: what a run adds to the rollups of its days, and how totals are read from them. Pure functions.

A figure's name consists of words separated by ``|``, each percent-encoded. Durations are counted in histogram buckets,
so that days, projects and types can be added up and percentiles still be read.
"""

import bisect
import datetime as dt
import functools
import itertools
import urllib.parse
from collections import Counter as Sums
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from workflows.runs.items import Outcome

# Upper bounds of the buckets in seconds; the last bucket has no bound.
BOUNDS = (
    1, 2, 3, 5, 8, 12, 20, 30, 45, 60, 90, 120, 180, 300, 450, 600, 900, 1200, 1800, 2700, 3600, 5400, 7200, 10_800,
    14_400, 21_600, 28_800, 43_200, 64_800, 86_400, 129_600, 172_800, 259_200, 432_000, 604_800, 1_209_600,
)  # fmt: skip
RECEIVED, ENDED, STRAIGHT, REVIEWED, TOTAL = "received", "ended", "straight", "reviewed", "total"
PAGES = "pages"
STEP, FAILED, FIELD, PERSON, COST = "step", "failed", "field", "person", "cost"
MICROS = "micros"  # the sum of COST, for reads of few names
CORRECTED, CONFIRMED, DECIDED, TIME = "corrected", "confirmed", "decided", "time"
# Outcomes after which the document was analysed, by machine or person.
ANALYSED = (Outcome.PUBLISHED, Outcome.REJECTED, Outcome.EXPIRED)
FAILURES = (Outcome.FAILED, Outcome.PARTIAL, Outcome.EXPIRED)  # whose cause is reported
OTHER = "Retries"  # the cost of a run beyond its successful steps
Days = dict[str, dict[str, int]]  # day → name → number


def join_name(*words: str) -> str:
    """Join words to the name of a figure.

    >>> join_name("field", "Total | net", "corrected")
    'field|Total %7C net|corrected'
    """
    return "|".join(urllib.parse.quote(word, safe=" _-.,:") for word in words)


@functools.lru_cache(maxsize=16_384)
def split_name(name: str) -> tuple[str, ...]:
    """Split a name into its words; cached, since the names repeat from day to day."""
    return tuple(urllib.parse.unquote(word) for word in name.split("|"))


ENDED_NAMES = {one: join_name(ENDED, one) for one in Outcome}
TOTAL_NAMES = {bucket: join_name(TOTAL, str(bucket)) for bucket in range(len(BOUNDS) + 1)}


def list_names_by_day() -> list[str]:
    """List the figures that charts and tables show by day or week; reports show only totals of the others."""
    return [RECEIVED, STRAIGHT, REVIEWED, MICROS, *ENDED_NAMES.values(), *TOTAL_NAMES.values()]


def bucket_of(seconds: float) -> str:
    """Return the number of the bucket, as names contain it.

    >>> bucket_of(0.4), bucket_of(60), bucket_of(61), bucket_of(9e9)
    ('0', '9', '10', '36')
    """
    return str(bisect.bisect_left(BOUNDS, seconds))


def percentile(buckets: Mapping[int, int], share: float) -> float | None:
    """Return the seconds that ``share`` of them took at most, interpolated; None if empty.

    >>> percentile({3: 10}, 0.5), percentile({0: 5, 9: 5}, 0.9), percentile({}, 0.5)
    (4.0, 57.0, None)
    """
    return percentiles(buckets, (share,))[0]


def percentiles(buckets: Mapping[int, int], shares: Sequence[float]) -> list[float | None]:
    """Return the percentile of each share; the buckets are put in order once.

    >>> percentiles({0: 5, 9: 5}, (0.5, 0.9)), percentiles({}, (0.5, 0.9))
    ([1.0, 57.0], [None, None])
    """
    ordered = sorted((bucket, number) for bucket, number in buckets.items() if number > 0)
    if not ordered:
        return [None] * len(shares)
    sums = list(itertools.accumulate(number for _, number in ordered))
    found: list[float | None] = []
    for share in shares:
        rest = share * sums[-1]
        place = bisect.bisect_left(sums, rest)
        bucket, number = ordered[place]
        low = BOUNDS[bucket - 1] if bucket else 0
        high = BOUNDS[min(bucket, len(BOUNDS) - 1)]
        found.append(low + (high - low) * (rest - sums[place] + number) / number)
    return found


@dataclass(frozen=True)
class StepTime:
    name: str
    seconds: float


@dataclass(frozen=True)
class Decided:
    """A person's decision that was applied. ``seconds``: from claim to decision, if known. Fields by label."""

    user_id: str
    name: str
    seconds: float | None = None
    corrected: Sequence[str] = ()
    confirmed: Sequence[str] = ()


@dataclass(frozen=True)
class RunFacts:
    """What is known of a run when it is counted; instants are None until they occur.

    ``kept``: another run's result stays in use. ``cause``: step and error of one of ``FAILURES``. ``micros``: its total
    cost; ``used``: the part that is known by service and model.
    """

    project_id: str
    family: str
    began_at: dt.datetime
    received_at: dt.datetime | None = None
    ended_at: dt.datetime | None = None
    outcome: Outcome | None = None
    kept: bool = False
    asked: bool = False
    cause: tuple[str, str] | None = None
    steps: Sequence[StepTime] = ()
    decided: Sequence[Decided] = ()
    micros: int = 0
    used: Mapping[tuple[str, str], int] = field(default_factory=dict)
    pages: int = 0


def count_run(facts: RunFacts) -> Days:
    """Return what it adds to the day on which its document arrived, and to the day on which it ended."""
    days: Days = {}
    if facts.received_at:
        days[day_of(facts.received_at)] = {RECEIVED: 1}
    if facts.ended_at and facts.outcome:
        ended = days.setdefault(day_of(facts.ended_at), {})
        for name, number in _count_end(facts, facts.outcome, facts.ended_at).items():
            ended[name] = ended.get(name, 0) + number
    return days


def _count_end(facts: RunFacts, outcome: Outcome, ended_at: dt.datetime) -> Sums[str]:
    found: Sums[str] = Sums()
    if not facts.kept:
        found[join_name(ENDED, outcome)] += 1
        found[PAGES] += facts.pages
        if outcome in ANALYSED and (facts.asked or facts.decided):
            found[REVIEWED] += 1
        if outcome == Outcome.PUBLISHED:
            found[STRAIGHT] += not (facts.asked or facts.decided)
            found[join_name(TOTAL, bucket_of((ended_at - facts.began_at).total_seconds()))] += 1
        if facts.cause:
            found[join_name(FAILED, *facts.cause)] += 1
    for step in facts.steps:
        found[join_name(STEP, facts.family, step.name, bucket_of(step.seconds))] += 1
    for one in facts.decided:
        found.update(_count_decision(one))
    found.update(_count_cost(facts))
    return +found


def _count_decision(one: Decided) -> Sums[str]:
    who = (PERSON, one.user_id, one.name)
    found: Sums[str] = Sums({join_name(*who, DECIDED): 1})
    if one.seconds is not None:
        found[join_name(*who, TIME, bucket_of(one.seconds))] += 1
    for word, labels in ((CORRECTED, one.corrected), (CONFIRMED, one.confirmed)):
        for label in labels:
            found[join_name(FIELD, label, word)] += 1
    return found


def _count_cost(facts: RunFacts) -> Sums[str]:
    known = sum(facts.used.values())
    costs = {**facts.used, (OTHER, ""): facts.micros - known}
    found = Sums({join_name(COST, facts.project_id, *model): micros for model, micros in costs.items() if micros > 0})
    found[MICROS] = found.total()
    return found


def day_of(moment: dt.datetime) -> str:
    return moment.astimezone(dt.UTC).date().isoformat()


def monday_of(day: dt.date) -> dt.date:
    return day - dt.timedelta(days=day.weekday())


def add_weeks(days: Mapping[str, Mapping[str, int]]) -> Days:
    """Add days up by week, which is named after its Monday.

    >>> add_weeks({"2026-11-23": {"received": 1}, "2026-11-29": {"received": 2}, "2026-11-30": {"received": 4}})
    {'2026-11-23': {'received': 3}, '2026-11-30': {'received': 4}}
    """
    weeks: Days = {}
    for day, numbers in days.items():
        week = weeks.setdefault(monday_of(dt.date.fromisoformat(day)).isoformat(), {})
        for name, number in numbers.items():
            week[name] = week.get(name, 0) + number
    return weeks


def add_up(many: Iterable[Mapping[str, int]]) -> Sums[str]:
    sums: dict[str, int] = {}
    for one in many:
        for name, number in one.items():
            if name in sums:
                sums[name] += number
            else:
                sums[name] = number
    return Sums(sums)

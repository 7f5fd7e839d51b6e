"""Reports on the rollups of a period, compared with the period before. Pure functions."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from config.phrase import Figure
from workflows.insight import figures
from workflows.insight.figures import percentile, percentiles, split_name
from workflows.runs.items import Outcome


@dataclass(frozen=True)
class Latency:
    """In seconds, as precise as the buckets; ``number``: of measurements."""

    number: int
    p50: float | None
    p90: float | None
    p99: float | None

    @classmethod
    def of(cls, buckets: Mapping[int, int]) -> "Latency":
        number = sum(buckets.values())
        return cls(number, *percentiles(buckets, (0.5, 0.9, 0.99)))


@dataclass(frozen=True)
class StepLatency:
    family: str
    name: str
    latency: Latency


@dataclass(frozen=True)
class Cause:
    """Why runs failed: the step, and the error as stored."""

    step: str
    error: str
    number: int


@dataclass(frozen=True)
class FieldRate:
    label: str
    confirmed: int
    corrected: int

    @property
    def checked(self) -> int:
        return self.confirmed + self.corrected

    @property
    def rate(self) -> float:
        return self.corrected / self.checked


@dataclass(frozen=True)
class FieldDrift:
    """A field's rate now and in the period before; None if it was not reviewed then."""

    now: FieldRate
    before: float | None

    @property
    def change(self) -> float | None:
        return None if self.before is None else self.now.rate - self.before


@dataclass(frozen=True)
class Reviewer:
    user_id: str
    name: str
    decisions: int
    median: float | None  # seconds from claim to decision


@dataclass(frozen=True)
class ModelCost:
    """``service`` and ``model`` as in a run's steps; ``figures.OTHER`` for the cost of failed attempts."""

    project_id: str
    service: str
    model: str
    micros: int


@dataclass(frozen=True)
class Sums:
    """The totals of several days."""

    numbers: Mapping[str, int]

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        """Group names by kind: a report needs few kinds, so most names are never split."""
        found: dict[str, list[str]] = {}
        for name in self.numbers:
            found.setdefault(name.partition("|")[0], []).append(name)
        return found

    def _of(self, kind: str) -> list[tuple[tuple[str, ...], int]]:
        return [(split_name(name)[1:], self.numbers[name]) for name in self._names.get(kind, ())]

    @property
    def is_empty(self) -> bool:
        return not any(self.numbers.values())

    @property
    def received(self) -> int:
        return self.numbers.get(figures.RECEIVED, 0)

    def ended(self, *outcomes: Outcome) -> int:
        return sum(self.numbers.get(figures.ENDED_NAMES[one], 0) for one in outcomes)

    @property
    def published(self) -> int:
        return self.ended(Outcome.PUBLISHED)

    @property
    def failed(self) -> int:
        return self.ended(Outcome.FAILED, Outcome.PARTIAL)

    @property
    def due_missed(self) -> int:
        """Count reviews that expired, which ends their runs."""
        return self.ended(Outcome.EXPIRED)

    @property
    def straight_rate(self) -> float | None:
        """The share of published documents without a review."""
        return _share(self.numbers.get(figures.STRAIGHT, 0), self.published)

    @property
    def review_rate(self) -> float | None:
        """The share of published, rejected and expired documents with a review."""
        return _share(self.numbers.get(figures.REVIEWED, 0), self.ended(*figures.ANALYSED))

    @cached_property
    def total(self) -> Latency:
        """The latency from receipt to publication."""
        names = figures.TOTAL_NAMES.items()
        return Latency.of({bucket: self.numbers[name] for bucket, name in names if name in self.numbers})

    @property
    def steps(self) -> list[StepLatency]:
        buckets: dict[tuple[str, str], dict[int, int]] = {}
        for (family, name, bucket), number in self._of(figures.STEP):
            buckets.setdefault((family, name), {})[int(bucket)] = number
        return [StepLatency(*key, Latency.of(found)) for key, found in sorted(buckets.items())]

    @cached_property
    def causes(self) -> list[Cause]:
        found = [Cause(step, error, number) for (step, error), number in self._of(figures.FAILED) if number > 0]
        return sorted(found, key=lambda one: (-one.number, one.step, one.error))

    @cached_property
    def fields(self) -> list[FieldRate]:
        """List fields, most corrected first."""
        counts: dict[str, dict[str, int]] = {}
        for (label, word), number in self._of(figures.FIELD):
            counts.setdefault(label, {})[word] = number
        found = [
            FieldRate(label, one.get(figures.CONFIRMED, 0), one.get(figures.CORRECTED, 0))
            for label, one in counts.items()
        ]
        return sorted((one for one in found if one.checked > 0), key=lambda one: (-one.rate, one.label))

    @property
    def correction_rate(self) -> float | None:
        found = self.fields
        return _share(sum(one.corrected for one in found), sum(one.checked for one in found))

    @property
    def reviewers(self) -> list[Reviewer]:
        names: dict[str, str] = {}
        decisions: dict[str, int] = {}
        times: dict[str, dict[int, int]] = {}
        for (user_id, name, word, *bucket), number in self._of(figures.PERSON):
            names[user_id] = name
            if word == figures.DECIDED:
                decisions[user_id] = decisions.get(user_id, 0) + number
            else:
                mine = times.setdefault(user_id, {})
                mine[int(bucket[0])] = mine.get(int(bucket[0]), 0) + number
        found = [
            Reviewer(user_id, names[user_id], number, percentile(times.get(user_id, {}), 0.5))
            for user_id, number in decisions.items()
        ]
        return sorted(found, key=lambda one: (-one.decisions, one.name))

    @property
    def costs(self) -> list[ModelCost]:
        """List costs, highest first."""
        found = [
            ModelCost(project_id, service, model, number)
            for (project_id, service, model), number in self._of(figures.COST)
            if number > 0
        ]
        return sorted(found, key=lambda one: (-one.micros, one.project_id, one.service, one.model))

    @property
    def micros(self) -> int:
        return self.numbers.get(figures.MICROS, 0)


@dataclass(frozen=True)
class Span:
    """A day or a week of a period."""

    first: dt.date
    last: dt.date
    sums: Sums


@dataclass(frozen=True)
class Report:
    """``spans``: each day of the period with its totals, including empty days; of long periods each week.

    ``before`` has no steps, as they are not compared. The first and the last week may be shorter.
    """

    now: Sums
    before: Sums
    spans: Sequence[Span] = field(default_factory=tuple)
    is_by_week: bool = False

    @property
    def is_empty(self) -> bool:
        return not self.now.numbers

    @property
    def fields(self) -> list[FieldDrift]:
        """List fields, most corrected first."""
        before = {one.label: one.rate for one in self.before.fields}
        return [FieldDrift(one, before.get(one.label)) for one in self.now.fields]

    @property
    def reviewers(self) -> list[tuple[Reviewer, Reviewer | None]]:
        """List reviewers with their figures of the period before; most decisions first."""
        before = {one.user_id: one for one in self.before.reviewers}
        return [(one, before.get(one.user_id)) for one in self.now.reviewers]

    @property
    def causes(self) -> list[tuple[Cause, int]]:
        """List causes with their count in the period before; most frequent first."""
        before = {(one.step, one.error): one.number for one in self.before.causes}
        return [(one, before.get((one.step, one.error), 0)) for one in self.now.causes]


def list_spans(days: Sequence[dt.date], found: Mapping[str, Mapping[str, int]]) -> list[Span]:
    """Return a span for each of ``days``, from the figures by day."""
    return [Span(day, day, Sums(found.get(day.isoformat(), {}))) for day in days]


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole > 0 else None


def show_seconds(seconds: float | None) -> str:
    """Format seconds for people.

    >>> show_seconds(0.42), show_seconds(75), show_seconds(5400), show_seconds(200_000), show_seconds(None)
    ('< 1 s', '1.2 min', '1.5 h', '2.3 d', '–')
    """
    if seconds is None:
        return "–"
    if seconds < 1:
        return "< 1 s"
    for unit, size in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return Figure(f"{round(seconds / size, 1):g} {unit}")
    return Figure(f"{round(seconds, 1):g} s")

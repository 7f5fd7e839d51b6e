"""What the pages of an experiment show: states, variants with their scores, the chart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from config.phrase import Figure, Phrase
from projects.models.cost_words import money
from workflows.experiments.items import Experiment, ExperimentStatus
from workflows.experiments.results import HalfResult, Plan, Results, Variant
from workflows.learning.scores import Interval
from workflows.runs.views.state_labels import Mark

S = ExperimentStatus
MARKS = {
    S.QUEUED: Mark("", "clock", Phrase("Queued")),
    S.RUNNING: Mark("info", "run", Phrase("Running")),
    S.PAUSED: Mark("warn", "pause", Phrase("Paused")),
    S.OVER_LIMIT: Mark("warn", "alert", Phrase("Cost limit reached")),
    S.STOPPED: Mark("", "stop", Phrase("Stopped")),
    S.DONE: Mark("good", "check", Phrase("Done")),
}
_ROW, _TOP, _LEFT, _WIDTH = 30, 18, 34, 340


@dataclass(frozen=True)
class ExperimentRow:
    """``percent``: of its cells that have ended."""

    head: Experiment

    @property
    def mark(self) -> Mark:
        return MARKS[S(self.head.status)]

    @property
    def spent(self) -> str:
        return money(int(self.head.spent))

    @property
    def limit(self) -> str:
        return money(int(self.head.limit_micros))

    @property
    def may_pause(self) -> bool:
        return self.head.is_under_way

    @property
    def may_resume(self) -> bool:
        return self.head.status in {S.PAUSED, S.OVER_LIMIT}

    @property
    def may_retry(self) -> bool:
        return bool(self.head.status == S.DONE and self.head.failed)

    @property
    def may_stop(self) -> bool:
        return self.may_pause or self.may_resume


@dataclass(frozen=True)
class FieldCells:
    """The scores of one field as text; ``label``: its name if the project no longer has the field."""

    name: str
    label: str
    expected: int
    precision: str
    recall: str
    f1: str
    interval: str


@dataclass(frozen=True)
class VariantRow:
    """A variant's scores as text, "–" if there is nothing to measure. ``labels``: of fields, by name."""

    variant: Variant
    result: HalfResult | None
    is_best: bool
    labels: Mapping[str, str]

    @property
    def f1(self) -> str:
        return show_share(self.result.f1.share if self.result and self.result.f1 else None)

    @property
    def interval(self) -> str:
        return show_interval(self.result.f1 if self.result else None)

    @property
    def exact(self) -> str:
        return show_share(self.result.exact.share if self.result and self.result.exact else None)

    @property
    def auc(self) -> str:
        return show_share(self.result.auc if self.result else None)

    @property
    def review_rate(self) -> str:
        return show_share(self.result.review_rate if self.result else None)

    @property
    def accepted(self) -> str:
        return show_share(self.result.accepted if self.result else None)

    @property
    def safe(self) -> str:
        if not self.result or self.result.safe_threshold is None:
            return "–"
        return Phrase("%(threshold)s, reviews %(share)s").fill(
            threshold=show_share(self.result.safe_threshold), share=show_share(self.result.safe_review_rate)
        )

    @property
    def cost(self) -> str:
        return money(self.result.micros) if self.result else "–"

    @property
    def failed(self) -> int:
        return self.result.failed if self.result else 0

    @property
    def tokens(self) -> int:
        return self.result.tokens_in + self.result.tokens_out if self.result else 0

    @property
    def seconds(self) -> str:
        if not self.result or self.result.p50 is None:
            return "–"
        return Figure(f"{self.result.p50:.1f} / {self.result.p95:.1f}")

    @property
    def fields(self) -> list[FieldCells]:
        return [
            FieldCells(
                one.name,
                self.labels.get(one.name, one.name),
                one.expected,
                show_share(one.precision.share if one.precision else None),
                show_share(one.recall.share if one.recall else None),
                show_share(one.f1.share if one.f1 else None),
                show_interval(one.f1),
            )
            for one in (self.result.fields if self.result else ())
        ]


def list_variants(plan: Plan, results: Results | None, half: str, labels: Mapping[str, str]) -> list[VariantRow]:
    found = {one.number: results.halves[one.number][half] if results else None for one in plan.variants}
    merits = {number: one.merit for number, one in found.items() if one and one.merit}
    best = max(merits.values(), default=None)
    if len(merits) == len(found) and len(set(merits.values())) == 1:
        best = None  # all are equal
    return [
        VariantRow(one, found[one.number], best is not None and merits.get(one.number) == best, labels)
        for one in plan.variants
    ]


@dataclass(frozen=True)
class Bar:
    """In the chart's own units; ``text``: its description."""

    number: int
    y: float
    width: float
    low: float
    high: float
    text: str

    @property
    def middle(self) -> float:
        return self.y + 8

    @property
    def baseline(self) -> float:
        return self.y + 12


@dataclass(frozen=True)
class Chart:
    """F1 of each variant with its interval, from 0 to 100 %."""

    bars: Sequence[Bar]
    height: int
    ticks: Sequence[tuple[float, str]] = tuple((_LEFT + _WIDTH * one / 4, f"{25 * one} %") for one in range(5))
    left: int = _LEFT
    right: int = _LEFT + _WIDTH


def draw_chart(rows: Sequence[VariantRow]) -> Chart | None:
    """Draw F1 by variant; None without a score."""
    measured = [one for one in rows if one.result and one.result.f1]
    if not measured:
        return None
    bars = []
    for place, row in enumerate(measured):
        if row.result and (f1 := row.result.f1):
            bars.append(
                Bar(
                    row.variant.number,
                    _TOP + place * _ROW,
                    round(_WIDTH * f1.share, 1),
                    round(_LEFT + _WIDTH * f1.low, 1),
                    round(_LEFT + _WIDTH * f1.high, 1),
                    Phrase("Variant %(number)s, %(words)s: %(row)s, %(interval)s").fill(
                        number=row.variant.number, words=row.variant.words, row=row.f1, interval=row.interval
                    ),
                )
            )
    return Chart(bars, _TOP + len(bars) * _ROW)


def show_share(share: float | None) -> str:
    """Format a share for people.

    >>> show_share(0.925), show_share(1.0), show_share(None)
    ('92.5 %', '100 %', '–')
    """
    if share is None:
        return "–"
    return Figure(f"{round(share * 100, 1):g} %")


def show_interval(found: Interval | None) -> str:
    """Format an interval for people.

    >>> show_interval(Interval(0.9, 0.512, 0.98))
    '51.2–98 %'
    """
    return "" if found is None else Figure(f"{round(found.low * 100, 1):g}–{round(found.high * 100, 1):g} %")

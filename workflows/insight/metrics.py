"""Figures as metrics: today's rollups for Prometheus, and what a run adds for CloudWatch."""

from collections import Counter as Sums
from collections.abc import Callable, Iterator, Mapping

from config import clock
from config.metrics import SITE, Kind, Metric, Sample
from projects.sites import directory
from workflows.insight import figures
from workflows.insight.items import Rollup
from workflows.insight.queries import Scope

_TODAY = "since midnight UTC"
_COUNTED = f"Documents by their run's end, {_TODAY}"
RECEIVED = Metric("countersign_documents_received_total", Kind.COUNTER, f"Documents received, {_TODAY}", (SITE,))
PROCESSED = Metric("countersign_documents_processed_total", Kind.COUNTER, _COUNTED, (SITE, "outcome"))
REVIEWED = Metric(
    "countersign_documents_reviewed_total", Kind.COUNTER, f"Those a person was asked about, {_TODAY}", (SITE,)
)
PAGES = Metric("countersign_pages_processed_total", Kind.COUNTER, f"Pages of processed documents, {_TODAY}", (SITE,))
FAILURES = Metric("countersign_run_failures_total", Kind.COUNTER, f"Failed runs by step, {_TODAY}", (SITE, "step"))
CORRECTED = Metric("countersign_fields_corrected_total", Kind.COUNTER, f"Fields corrected, {_TODAY}", (SITE,))
CONFIRMED = Metric("countersign_fields_confirmed_total", Kind.COUNTER, f"Fields confirmed, {_TODAY}", (SITE,))
COST = Metric("countersign_cost_dollars_total", Kind.COUNTER, f"What runs cost, {_TODAY}", (SITE,), "None")
DOCUMENT_SECONDS = Metric(
    "countersign_document_seconds", Kind.HISTOGRAM, f"From receipt to published, {_TODAY}", (SITE,), "Seconds"
)
STEP_SECONDS = Metric(
    "countersign_step_seconds", Kind.HISTOGRAM, f"How long steps took, {_TODAY}", (SITE, "step"), "Seconds"
)
METRICS = (
    RECEIVED, PROCESSED, REVIEWED, PAGES, FAILURES, CORRECTED, CONFIRMED, COST, DOCUMENT_SECONDS, STEP_SECONDS,
)  # fmt: skip

# The subset of bucket bounds that are exported as series.
BOUNDS = (1, 5, 20, 60, 300, 900, 3600, 21_600, 86_400, 604_800, float("inf"))
_SITES = 99  # read in one call, together with the main site's
# The first word of a figure's name → its metric, and the values of the labels after the site.
_COUNTERS: Mapping[str, Callable[[list[str]], tuple[Metric, tuple[str, ...]]]] = {
    figures.RECEIVED: lambda _: (RECEIVED, ()),
    figures.REVIEWED: lambda _: (REVIEWED, ()),
    figures.PAGES: lambda _: (PAGES, ()),
    figures.ENDED: lambda rest: (PROCESSED, (rest[0],)),
    figures.FAILED: lambda rest: (FAILURES, (rest[0],)),
    figures.FIELD: lambda rest: (CORRECTED if rest[-1] == figures.CORRECTED else CONFIRMED, ()),
    figures.COST: lambda _: (COST, ()),
}
_TIMES: Mapping[str, Callable[[list[str]], tuple[Metric, tuple[str, ...]]]] = {
    figures.TOTAL: lambda _: (DOCUMENT_SECONDS, ()),
    figures.STEP: lambda rest: (STEP_SECONDS, (rest[1],)),
}


def sample_figures(site: str, numbers: Mapping[str, int]) -> Iterator[Sample]:
    """``numbers``: the figures of a day, or what a run adds to one."""
    sums: Sums[tuple[Metric, tuple[str, ...]]] = Sums()
    times: dict[tuple[Metric, tuple[str, ...]], Sums[float]] = {}
    for name, number in numbers.items():
        word, *rest = figures.split_name(name)
        if word in _COUNTERS:
            metric, labels = _COUNTERS[word](rest)
            sums[metric, (site, *labels)] += number
        elif word in _TIMES:
            metric, labels = _TIMES[word](rest)
            times.setdefault((metric, (site, *labels)), Sums())[_bound(rest[-1])] += number
    for (metric, labels), number in sums.items():
        yield metric.sample(number / 1_000_000 if metric is COST else number, *labels)
    for (metric, labels), found in times.items():
        yield Sample(metric, labels, buckets={bound: max(found[bound], 0) for bound in BOUNDS})


def _bound(bucket: str) -> float:
    """Return the exported bound that contains a bucket."""
    place = int(bucket)
    seconds = figures.BOUNDS[place] if place < len(figures.BOUNDS) else float("inf")
    return next(bound for bound in BOUNDS if seconds <= bound)


def read_samples() -> list[Sample]:
    """Return today's samples of the first hundred sites: one batch read, and a Query if sites are not cached."""
    today = clock.now().date()
    keys = {Scope(one.site_id).key(today): one.site_id for one in directory.every_place(_SITES)}
    rows = Rollup.load_many(list(keys), consistent=False)
    return [sample for row in rows for sample in sample_figures(keys[row.key], row.numbers)]

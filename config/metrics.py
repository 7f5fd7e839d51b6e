"""Metrics under one name everywhere: Prometheus scrapes ``/metrics``, CloudWatch extracts them from the log.

A metric is declared where it is counted. CloudWatch's embedded metric format marks the metrics in a log line (AWS:
"Specification: Embedded metric format"), so no process calls CloudWatch.
"""

import logging
import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.conf import settings
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric as Family

log = logging.getLogger(__name__)

SITE = "site"  # a label that CloudWatch is not told: there each value of it would cost a metric of its own
_MOST_VALUES = 100  # of one metric in one line


class Kind(StrEnum):
    """Type of a metric: counter, gauge or histogram."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True)
class Metric:
    """``unit``: as CloudWatch names it."""

    name: str
    kind: Kind
    about: str
    labels: tuple[str, ...] = ()
    unit: str = "Count"

    def sample(self, value: float, *labels: str) -> "Sample":
        return Sample(self, labels, value)


@dataclass(frozen=True)
class Sample:
    """``labels``: label values. ``buckets``: of a histogram, upper bound → count between the previous bound and it."""

    metric: Metric
    labels: tuple[str, ...]
    value: float = 0.0
    buckets: Mapping[float, int] | None = None


def build_families(metrics: Iterable[Metric], samples: Iterable[Sample]) -> Iterator[Family]:
    """Build Prometheus metric families; metrics without samples are included, so that every name can be queried."""
    found: dict[str, list[Sample]] = {}
    for sample in samples:
        found.setdefault(sample.metric.name, []).append(sample)
    for metric in metrics:
        yield _family(metric, found.get(metric.name, ()))


def _family(metric: Metric, samples: Sequence[Sample]) -> Family:
    if metric.kind == Kind.HISTOGRAM:
        histogram = HistogramMetricFamily(metric.name, metric.about, labels=metric.labels)
        for sample in samples:
            # No sum: durations are kept by bucket only, and a made-up one would be taken for measured.
            histogram.add_metric(sample.labels, _cumulate(sample.buckets or {}), None)
        return histogram
    made = CounterMetricFamily if metric.kind == Kind.COUNTER else GaugeMetricFamily
    family = made(metric.name, metric.about, labels=metric.labels)
    for sample in samples:
        family.add_metric(sample.labels, sample.value)
    return family


def _cumulate(buckets: Mapping[float, int]) -> list[Any]:
    total, found = 0, []
    for bound in sorted(buckets):
        total += buckets[bound]
        found.append(["+Inf" if math.isinf(bound) else str(float(bound)), total])
    return found


def log_samples(samples: Iterable[Sample]) -> None:
    """Log one line per set of labels, if CloudWatch reads the log."""
    if not settings.LOG_METRICS:
        return
    lines: dict[tuple[tuple[str, str], ...], dict[Metric, list[float]]] = {}
    for sample in samples:
        names = zip(sample.metric.labels, sample.labels, strict=True)
        key = tuple((name, value) for name, value in names if name != SITE)
        lines.setdefault(key, {}).setdefault(sample.metric, []).extend(_values(sample))
    for key, values in lines.items():
        log.info("measured", extra={"embedded": _embed(dict(key), values)})


def _values(sample: Sample) -> list[float]:
    if sample.buckets is None:
        return [sample.value]
    bounds = sorted(sample.buckets)
    found: list[float] = []
    for place, bound in enumerate(bounds):
        low = bounds[place - 1] if place else 0.0
        found += [low if math.isinf(bound) else (low + bound) / 2] * sample.buckets[bound]
    return found[:_MOST_VALUES]


def _embed(labels: Mapping[str, str], values: Mapping[Metric, Sequence[float]]) -> dict[str, Any]:
    described = [{"Name": one.name, "Unit": one.unit} for one in values]
    namespace = f"Countersign/{settings.STACK}"
    about = [{"Namespace": namespace, "Dimensions": [list(labels)], "Metrics": described}]
    found: dict[str, Any] = {"_aws": {"Timestamp": round(time.time() * 1000), "CloudWatchMetrics": about}, **labels}
    for metric, numbers in values.items():
        added = metric.kind == Kind.COUNTER  # several sites' numbers are one sum, as none of them is named
        found[metric.name] = sum(numbers) if added else numbers[0] if len(numbers) == 1 else list(numbers)
    return found

"""Usage of a stage: pages, calls, tokens and seconds, by service and model."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

LOCAL = "local"
_MODELS = ("bedrock", "embedded", "openai-")  # services whose calls are metered individually


@dataclass(frozen=True)
class Usage:
    """``service``: textract, bedrock, …, or local, which is free. ``ms``: time spent, in milliseconds.

    ``micros``: millionths of a dollar, if the model has a price of its own; None: use the price list.
    """

    service: str
    model: str
    pages: int = 0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    ms: int = 0
    micros: int | None = None

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.service,
            self.model,
            self.pages + other.pages,
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.ms + other.ms,
            (self.micros or 0) + (other.micros or 0) if self.micros is not None or other.micros is not None else None,
        )


def is_metered_by_call(service: str) -> bool:
    """Return True if each call is metered individually: it is paid for, valid or not."""
    return service.startswith(_MODELS)


Note = Callable[[Usage], None]  # receives the usage of one call


def ignore_usage(_used: Usage) -> None:
    """The default outside of runs, without metering."""


def sum_usage(usages: Iterable[Usage]) -> tuple[Usage, ...]:
    """Sum by service and model, in order of first use."""
    found: dict[tuple[str, str], Usage] = {}
    for one in usages:
        key = (one.service, one.model)
        found[key] = found[key] + one if key in found else one
    return tuple(found.values())


_COUNTED = "used"
_COUNTS = ("pages", "calls", "tokens_in", "tokens_out", "ms", "micros")


def usage_to_store(usages: Iterable[Usage]) -> list[dict[str, Any]]:
    """Return the form of a step's facts; zeros are omitted."""
    return [
        {"service": one.service, "model": one.model, **{name: n for name in _COUNTS if (n := getattr(one, name))}}
        for one in sum_usage(usages)
    ]


def usage_counts(usages: Iterable[Usage]) -> dict[str, float]:
    """Return the form of a slice's output, whose equal keys are added up."""
    return {
        f"{_COUNTED}|{one.service}|{one.model}|{name}": float(n)
        for one in sum_usage(usages)
        for name in _COUNTS
        if (n := getattr(one, name))
    }


def of_counts(found: Mapping[str, float]) -> tuple[Usage, ...]:
    """Return the usage of all slices; other counts are ignored."""
    used = []
    for name, n in sorted(found.items()):
        kind, _, rest = name.partition("|")
        if kind == _COUNTED:
            service, model, what = rest.split("|")
            used.append(Usage(service, model, **{what: int(n)}))
    return sum_usage(used)


def read_usage(rows: Iterable[Mapping[str, Any]]) -> tuple[Usage, ...]:
    return tuple(
        Usage(str(row["service"]), str(row["model"]), **{name: int(row[name]) for name in _COUNTS if row.get(name)})
        for row in rows
    )

"""Prices of usage, from the settings; local work is free."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from django.conf import settings

from projects.models.spec import EMBEDDED
from workflows.stages import usage
from workflows.stages.usage import LOCAL, Usage


def add_prices(used: Iterable[Usage]) -> list[dict[str, Any]]:
    """Add ``micros``, millionths of a dollar at current prices, as a step stores it; absent without a price."""
    rows = []
    for one, row in zip(summed := usage.sum_usage(used), usage.usage_to_store(summed), strict=True):
        micros = cost(one)
        rows.append(row if micros is None else {**row, "micros": micros})
    return rows


def cost(used: Usage) -> int | None:
    """Return millionths of a dollar; None if neither its model nor the price list has a price."""
    if used.service in {LOCAL, EMBEDDED}:
        return 0
    if used.micros is not None:
        return used.micros
    price = _price(used.service, used.model)
    if price is None:
        return None
    dollars = (
        used.pages * price.get("page", 0)
        + used.calls * price.get("call", 0)
        + used.ms / 60_000 * price.get("minute", 0)
        + used.tokens_in / 1_000_000 * price.get("million_in", 0)
        + used.tokens_out / 1_000_000 * price.get("million_out", 0)
    )
    return round(dollars * 1_000_000)


def _price(service: str, model: str) -> Mapping[str, float] | None:
    found = settings.PRICES.get(service, {})
    return next((price for pattern, price in found.items() if fnmatchcase(model, pattern)), None)

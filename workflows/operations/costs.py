"""Monthly usage and costs, summed over the shards of their rows; for pages and exports."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from config import table
from config.phrase import Figure
from config.table import InvalidKey
from projects.models.cost_words import money
from projects.web.days import month_of_year
from workflows.runs.items import COUNTS, Spending

_MOST = 1000  # rows of one Query: shards × services × models × projects of a month


@dataclass(frozen=True)
class Cost:
    """Its numbers are in the order of ``COUNTS``. ``service`` and ``model`` are empty in a total."""

    project_id: str
    service: str
    model: str
    steps: int = 0
    pages: int = 0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    ms: int = 0
    micros: int = 0
    unpriced: int = 0

    @property
    def money(self) -> str:
        return money(self.micros)

    @property
    def tokens(self) -> str:
        """Input and output tokens, for people."""
        return Figure(f"{self.tokens_in:,} / {self.tokens_out:,}")

    @property
    def seconds(self) -> float:
        return self.ms / 1000

    @property
    def took(self) -> str:
        """
        >>> Cost("p", "local", "m", ms=7_500).took, Cost("p", "local", "m", ms=5_400_000).took
        ('7.5 s', '1.5 h')
        """
        if self.seconds < 60:
            return Figure(f"{self.seconds:.1f} s")
        return Figure(f"{self.seconds / 60:.1f} min") if self.seconds < 3600 else Figure(f"{self.seconds / 3600:.1f} h")


@dataclass(frozen=True)
class Month:
    """``partial``: there are more rows than one page reads; the export has them all."""

    month: str
    rows: tuple[Cost, ...]
    partial: bool = False

    @property
    def words(self) -> str:
        return write_month(self.month)

    @property
    def total(self) -> Cost:
        return total_cost(self.rows)


def write_month(month: str) -> str:
    """Write ``2026-11`` as people do: ``November 2026``."""
    return month_of_year(dt.date.fromisoformat(f"{month}-01"))


def costs_of_month(site: str, which: str, *, project_id: str = "") -> Month:
    """Read a site's or a project's month: one Query."""
    try:
        prefix = table.SPENDING.sort_prefix(project_id=project_id) if project_id else table.SPENDING.sort_prefix()
        pk = table.SPENDING.partition_key(site, month=which)
    except InvalidKey:
        return Month(which, ())
    page = Spending.page(pk, sk=Spending.SK.startswith(prefix), limit=_MOST)
    return Month(which, sum_costs(page.rows), page.next is not None)


def whole_month(site: str, which: str) -> Month:
    """Read every row of a site's month, for the export: a Query for each thousand."""
    pk, prefix = table.SPENDING.partition_key(site, month=which), Spending.SK.startswith(table.SPENDING.sort_prefix())
    rows: list[Spending] = []
    cursor = None
    while True:
        page = Spending.page(pk, sk=prefix, limit=_MOST, cursor=cursor)
        rows += page.rows
        cursor = page.next
        if not cursor:
            return Month(which, sum_costs(rows))


def sum_costs(rows: Iterable[Spending]) -> tuple[Cost, ...]:
    """Sum by project, service and model, highest first."""
    found: dict[tuple[str, str, str], dict[str, int]] = {}
    for row in rows:
        sums = found.setdefault((row.project_id, row.service, row.model), dict.fromkeys(COUNTS, 0))
        for name in COUNTS:
            sums[name] += int(getattr(row, name))
    costs = [Cost(*names, *sums.values()) for names, sums in found.items()]
    return tuple(sorted(costs, key=lambda one: (-one.micros, one.project_id, one.service, one.model)))


def total_cost(rows: Iterable[Cost], project_id: str = "") -> Cost:
    held = list(rows)
    return Cost(project_id, "", "", *(sum(getattr(row, name) for row in held) for name in COUNTS))

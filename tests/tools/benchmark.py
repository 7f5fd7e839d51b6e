"""Every ratio that ``manage.py benchmark`` measures."""

from collections.abc import Iterator

from tests.tools import benchmark_dashboards, benchmark_machine, benchmark_pages
from tests.tools.measure import Ratio


def ratios(rounds: int, segments: int, only: str = "") -> Iterator[Ratio]:
    """``only``: pages, dashboards, rows or reading; empty: all of them."""
    if only in ("", "pages"):
        yield from benchmark_pages.pages(rounds)
    if only in ("", "dashboards"):
        yield from benchmark_dashboards.dashboards(rounds)
    if only in ("", "rows"):
        yield from benchmark_machine.segment_rows(max(rounds // 4, 3), segments)
    if only in ("", "reading"):
        yield from benchmark_machine.reading(max(rounds // 8, 3))

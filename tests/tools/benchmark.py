"""Every ratio that ``manage.py benchmark`` measures."""

from collections.abc import Iterator

from tests.tools import benchmark_machine, benchmark_pages
from tests.tools.measure import Ratio


def ratios(rounds: int, segments: int) -> Iterator[Ratio]:
    yield from benchmark_pages.pages(rounds)
    yield from benchmark_machine.segment_rows(max(rounds // 4, 3), segments)
    yield from benchmark_machine.ocr_pages(max(rounds // 8, 3))

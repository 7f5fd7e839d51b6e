"""Bar charts by day or week, in SVG units; the template draws them."""

import datetime as dt
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from config.phrase import Phrase
from projects.web.days import day_of_year, long_day_of_year

_LEFT, _TOP, _WIDTH, _HEIGHT = 46.0, 10.0, 504.0, 120.0
_LABELS = 6  # most days with a label


@dataclass(frozen=True)
class DayBars:
    """``text``: the day and its numbers in words; ``label``: below it, empty for most days."""

    text: str
    middle: str
    label: str
    bars: SafeString  # as elements: a template takes a third of the page's time to write their coordinates


@dataclass(frozen=True)
class Chart:
    """``series``: CSS class and label of each; ``ticks``: y, the baseline of its label, and the label."""

    title: str
    days: Sequence[DayBars]
    series: Sequence[tuple[str, str]]
    ticks: Sequence[tuple[float, float, str]]
    left: float = _LEFT
    right: float = _LEFT + _WIDTH
    words_right: float = _LEFT - 6
    height: float = _TOP + _HEIGHT + 22
    label_at: float = _TOP + _HEIGHT + 16


def draw_days(
    title: str,
    days: Sequence[tuple[dt.date, dt.date]],
    series: Sequence[tuple[str, Sequence[float | None]]],
    show: Callable[[float], str],
    *,
    whole: bool = False,
    tops: Sequence[float] = (),
) -> Chart | None:
    """Draw values by day, or by range of days, side by side; None if there are no values.

    ``whole``: for counts. ``tops``: permitted ends of the axis, instead of round numbers.
    """
    most = max((value for _, values in series for value in values if value), default=0.0)
    if not most:
        return None
    top = next((one for one in tops if one >= most), 0.0) or _round_up(most, whole=whole)
    slot = _WIDTH / len(days)
    width = min(slot * 0.8 / len(series), 28.0)
    every = math.ceil(len(days) / _LABELS)
    spoken = [(_say(words), values) for words, values in series]
    drawn = []
    for place, (day, last) in enumerate(days):
        middle = _LEFT + slot * (place + 0.5)
        start = middle - width * len(series) / 2
        bars = "".join(
            _bar(number + 1, start + width * number, width, value / top)
            for number, (_, values) in enumerate(series)
            if (value := values[place])
        )
        said = "; ".join(f"{words} {show(value)}" for words, values in spoken if (value := values[place]) is not None)
        label = day_of_year(day) if place % every == 0 else ""
        drawn.append(DayBars(f"{_name(day, last)}: {said}", f"{middle:.1f}", label, SafeString(bars)))
    named = [(f"s{number + 1}", words) for number, (words, _) in enumerate(series)]
    lines = [(_TOP + _HEIGHT * (1 - part), part) for part in (0.0, 0.5, 1.0)]
    ticks = [(y, y + 4, show(top * part) if part else "0") for y, part in lines]
    return Chart(title, drawn, named, ticks)


def _say(words: str) -> str:
    return words.translated() if isinstance(words, Phrase) else words


def _name(first: dt.date, last: dt.date) -> str:
    one = long_day_of_year(first)
    return one if first == last else f"{one} – {long_day_of_year(last)}"


def _bar(series: int, x: float, width: float, share: float) -> str:
    """Draw a bar, of numbers only."""
    height = max(_HEIGHT * share, 1.0)
    return (
        f'<rect class="s{series}" x="{x:.1f}" y="{_TOP + _HEIGHT - height:.1f}" width="{width * 0.9:.1f}" '
        f'height="{height:.1f}"/>'
    )


def _round_up(most: float, *, whole: bool) -> float:
    """Return a round end of the axis above ``most``.

    >>> _round_up(7, whole=True), _round_up(0.032, whole=False), _round_up(1, whole=True), _round_up(180, whole=False)
    (8.0, 0.04, 2.0, 200.0)
    """
    power: float = 10.0 ** math.floor(math.log10(most))
    steps = (2, 4, 6, 8, 10) if whole and most < 10 else (1, 2, 3, 4, 5, 6, 8, 10)
    return next(step * power for step in steps if most <= step * power * (1 + 1e-9))

"""A graph drawn for a narrow screen: its points in one column, top down, joined by arcs at their left."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.text import Truncator

WIDTH = 320  # SVG units, one pixel each on a phone
_ROW, _TOP = 34, 24
_POINTS = 92  # where the points are: arcs at their left, names at their right
_REACH = 84  # of the widest arc
_LETTERS = 27  # of a name that fit


@dataclass(frozen=True)
class Stop:
    """``key``: names it in lines. ``kind``: a document, or the type of a name."""

    key: str
    title: str
    kind: str
    url: str = ""


@dataclass(frozen=True)
class Placed:
    title: str
    words: str
    kind: str
    url: str
    y: int


@dataclass(frozen=True)
class Arcs:
    """``lines``: SVG paths, and whether each is strong."""

    stops: Sequence[Placed]
    lines: Sequence[tuple[str, bool]]
    height: int
    width: int = WIDTH
    points: int = _POINTS


def draw_arcs(stops: Sequence[Stop], lines: Iterable[tuple[str, str, bool]]) -> Arcs:
    """Draw the stops in their order, and a line for each pair of their keys; the longer, the wider its arc."""
    places = {one.key: _TOP + _ROW * number for number, one in enumerate(stops)}
    longest = max(_ROW * (len(stops) - 1), 1)
    placed = [
        Placed(one.title, Truncator(one.title).chars(_LETTERS), one.kind, one.url, places[one.key]) for one in stops
    ]
    paths = [
        (_arc(places[first], places[second], longest), strong)
        for first, second, strong in lines
        if first in places and second in places
    ]
    return Arcs(placed, paths, 2 * _TOP + _ROW * (len(stops) - 1))


def _arc(first: int, second: int, longest: int) -> str:
    # A cubic curve reaches three quarters of the way to its control points.
    away = _POINTS - round(4 / 3 * (14 + (_REACH - 14) * abs(second - first) / longest))
    return f"M{_POINTS} {first}C{away} {first} {away} {second} {_POINTS} {second}"

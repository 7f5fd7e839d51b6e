"""Diagrams of definitions: the steps in a column, with a line beside them for each jump. Pure functions.

A definition is drawn as boxes; beside the rows of a run's steps as rails, of which each row draws its own part.
"""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from config.phrase import Phrase, join_phrases
from workflows.definitions.blueprint import END, OTHERWISE, Definition, StepDefinition, tell_label
from workflows.definitions.composition import BETWEEN, NOT

WIDTH = 340  # SVG units, one pixel each if there is room; readable on a phone without zooming
_LEFT, _BOX, _HIGH, _GAP, _LANE = 4, 244, 46, 20, 15
_HEAD, _FOOT, _GROUP_ROOM = 15, 3, 18  # of a group: above and below its boxes; characters left of the arrow into it
LABELS = {
    "stage": Phrase("Stage"),
    "approval": Phrase("Approval"),
    "notification": Phrase("Notification"),
    "action": Phrase("Action"),
    "choice": Phrase("Choice"),
    "wait": Phrase("Wait"),
    "publish": Phrase("Publication"),
    "finish": Phrase("End"),
}
DEFAULT, SKIPPED, APPLIES = Phrase("otherwise"), Phrase("does not apply"), Phrase("applies")


@dataclass(frozen=True)
class StepState:
    """The state of one run at a step. ``tone``: done, now, warn, skipped or todo; ``words``: for the box.

    ``title``: the full text, if the box is too small.
    """

    tone: str
    words: str
    title: str = ""


@dataclass(frozen=True)
class Box:
    """A step, or the end. ``kind``: the step's type, or ``end``; ``optional``: some documents skip it.

    ``tone`` and ``told``: from the ``StepState`` of a run.
    """

    y: int
    kind: str
    title: str
    words: str = ""
    optional: bool = False
    tone: str = ""
    told: str = ""

    @property
    def title_y(self) -> int:
        return self.y + (19 if self.words else 28)

    @property
    def words_y(self) -> int:
        return self.y + 36


@dataclass(frozen=True)
class Group:
    """A column of steps taken from another workflow. ``words``: as much of ``title`` as fits."""

    y: int
    height: int
    title: str
    words: str

    @property
    def words_y(self) -> int:
        return self.y + 11


@dataclass(frozen=True)
class Drawing:
    """``lines``: SVG paths that end in an arrow."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    lines: tuple[str, ...]
    groups: tuple[Group, ...] = ()
    left: int = _LEFT
    box_width: int = _BOX
    box_height: int = _HIGH


def list_outcomes(step: StepDefinition) -> list[tuple[str, int]]:
    """List outcomes with their next step, named ones first; several others are merged under one label."""
    # The conditions of a composed step each have an outcome, and all of them skip it.
    named = dict.fromkeys((name_outcome(outcome), order) for outcome, order in step.next.items() if outcome)
    other = [(_name_default(step) if named else "", order) for outcome, order in step.next.items() if not outcome]
    return [*named, *other]


def name_way(choice: StepDefinition, result: str) -> str:
    """Name the way that a choice led, by what its transition records."""
    return _name_default(choice) if result == OTHERWISE else name_outcome(result)


def _name_default(step: StepDefinition) -> str:
    """Name the way of a choice if no case matches. Of a composed step, it says whether its conditions hold."""
    outcomes = [case.outcome for case in step.cases]
    if outcomes and all(name_outcome(one) == SKIPPED for one in outcomes):
        return APPLIES
    return SKIPPED if outcomes == ["applies"] else DEFAULT


def name_outcome(outcome: str) -> str:
    """Name the outcome of a choice or an approval for people."""
    return SKIPPED if outcome.removeprefix(NOT).isdigit() else OUTCOMES.get(outcome, outcome.replace("_", " "))


LEADS = Phrase("%(outcome)s → %(target)s")
OUTCOMES = {
    "review_required": Phrase("review required"),
    "approve": Phrase("approve"),
    "reject": Phrase("reject"),
    "small": Phrase("small"),
    "modest": Phrase("modest"),
    "applies": APPLIES,
}


def name_target(order: int) -> str:
    return Phrase("end") if order == END else str(order)


def draw_definition(definition: Definition, states: Mapping[str, StepState] | None = None) -> Drawing:
    """Draw a definition. ``states``: of one run's steps, by name; without them each box lists its outcomes."""
    places = _rows(definition)
    boxes = [_box(step, _top(places[step.order]), (states or {}).get(step.name)) for step in definition.steps]
    boxes.append(Box(_top(places[END]), "end", Phrase("End")))
    straight, far = _jumps(definition, places)
    lines = [f"M{_LEFT + _BOX // 2} {_top(row) + _HIGH}v{_GAP - 2}" for row in straight]
    lines += [_around(start, end, lane) for (start, end), lane in zip(far, _lanes(far), strict=True)]
    return Drawing(WIDTH, _top(len(boxes)), tuple(boxes), tuple(lines), tuple(_groups(definition)))


def _rows(definition: Definition) -> dict[int, int]:
    """Return the row of each step by order; the end has the last."""
    places = {step.order: row for row, step in enumerate(definition.steps)}
    return places | {END: len(definition.steps)}


def _jumps(definition: Definition, places: Mapping[int, int]) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the rows that lead to the next one, and the other jumps, short ones first."""
    jumps = {(row, places[order]) for row, step in enumerate(definition.steps) for order in step.next.values()}
    straight = sorted(start for start, end in jumps if end == start + 1)
    far = sorted(((start, end) for start, end in jumps if end > start + 1), key=lambda one: (one[1] - one[0], one))
    return straight, far


class RailLine(NamedTuple):
    """A line of an SVG without a view box: pixels, or ``100%`` for the lower edge of a row of any height."""

    x1: int
    y1: int
    x2: int
    y2: int | str
    arrow: bool = False


@dataclass(frozen=True)
class Rails:
    """``rows``: the lines beside each step, and beside the end. ``lanes``: of jumps, beside the straight way."""

    rows: tuple[tuple[RailLine, ...], ...]
    lanes: int


_BOTTOM = "100%"
_NODE_X, _NODE_Y = 14, 18  # the centre of a row's mark
_LEAVES, _ARRIVES = _NODE_Y + 3, _NODE_Y - 3
_RAIL, _MOST_RAILS = 8, 4


def draw_rails(definition: Definition) -> Rails:
    """Draw the ways between steps for rows of a table, whose heights only the browser knows."""
    places = _rows(definition)
    straight, far = _jumps(definition, places)
    lines: list[list[RailLine]] = [[] for _ in places]
    for row in straight:
        lines[row].append(RailLine(_NODE_X, _NODE_Y, _NODE_X, _BOTTOM))
        lines[row + 1].append(RailLine(_NODE_X, 0, _NODE_X, _NODE_Y))
    lanes = [min(lane, _MOST_RAILS - 1) for lane in _lanes(far)]
    for (start, end), lane in zip(far, lanes, strict=True):
        x = _NODE_X + 16 + lane * _RAIL
        lines[start] += [RailLine(_NODE_X, _LEAVES, x, _LEAVES), RailLine(x, _LEAVES, x, _BOTTOM)]
        for row in range(start + 1, end):
            lines[row].append(RailLine(x, 0, x, _BOTTOM))
        lines[end] += [RailLine(x, 0, x, _ARRIVES), RailLine(x, _ARRIVES, _NODE_X + 11, _ARRIVES, arrow=True)]
    return Rails(tuple(tuple(one) for one in lines), max(lanes) + 1 if lanes else 0)


def _groups(definition: Definition) -> Iterator[Group]:
    rows = enumerate(definition.steps)
    for part, taken in itertools.groupby(rows, key=lambda row: row[1].part):
        if part:
            places = [row for row, _ in taken]
            words = part if len(part) <= _GROUP_ROOM else f"{part[: _GROUP_ROOM - 1]}…"
            top = _top(places[0]) - _HEAD
            yield Group(top, _top(places[-1]) + _HIGH + _FOOT - top, part, words)


def _box(step: StepDefinition, y: int, state: StepState | None) -> Box:
    own = step.label.removeprefix(f"{step.part.rpartition(BETWEEN)[0]}: ") if step.part else step.label
    title = Phrase("%(number)s  %(label)s").fill(number=step.order, label=tell_label(own))
    if state:
        return Box(y, step.type, title, state.words, tone=state.tone, told=state.title)
    ways = [LEADS.fill(outcome=outcome, target=name_target(order)) for outcome, order in list_outcomes(step) if outcome]
    told = join_phrases(ways) if ways else ""
    return Box(y, step.type, title, told, bool(step.needs))


def _top(row: int) -> int:
    return 4 + row * (_HIGH + _GAP)


def _lanes(jumps: list[tuple[int, int]]) -> list[int]:
    """Assign each line the nearest free lane, short ones inside long ones, so that no two overlap."""
    taken: list[list[tuple[int, int]]] = []
    found = []
    for start, end in jumps:
        free = (lane for lane, used in enumerate(taken) if all(end <= a or b <= start for a, b in used))
        lane = next(free, len(taken))
        if lane == len(taken):
            taken.append([])
        taken[lane].append((start, end))
        found.append(lane)
    return found


def _around(start: int, end: int, lane: int) -> str:
    """Return the path from the lower right side of a box to the upper right side of another."""
    right, x = _LEFT + _BOX, _LEFT + _BOX + 14 + lane * _LANE
    down, up = _top(start) + _HIGH - 12, _top(end) + 12
    return f"M{right} {down}H{x}V{up}H{right + 3}"

"""A definition as a drawing: its steps one below the other, beside them a line for each way that skips some; pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from workflows.definitions.blueprint import END, Definition, StepDefinition

WIDTH = 340  # units, as many as pixels where there is room: it is read on a phone without zooming
_LEFT, _BOX, _HIGH, _GAP, _LANE = 4, 244, 46, 20, 15
LABELS = {
    "stage": "Stage",
    "approval": "Approval",
    "notification": "Notification",
    "action": "Action",
    "choice": "Choice",
    "publish": "Publication",
    "finish": "End",
}
OTHERWISE = "otherwise"


@dataclass(frozen=True)
class StepState:
    """How far one run is with a step. ``tone``: done, now, warn, skipped or todo; ``words``: for the box.

    ``title``: the whole of it, where the box has too little room.
    """

    tone: str
    words: str
    title: str = ""


@dataclass(frozen=True)
class Box:
    """A step, or the end. ``kind``: the step's type, or ``end``; ``optional``: some documents go past it.

    ``tone`` and ``told``: of a run's step, as its state has them.
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
class Drawing:
    """``lines``: SVG paths that end in an arrow."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    lines: tuple[str, ...]
    left: int = _LEFT
    box_width: int = _BOX
    box_height: int = _HIGH


def list_outcomes(step: StepDefinition) -> list[tuple[str, int]]:
    """Outcome and where it leads, the named ones first; one word for every other where there are several."""
    named = [(outcome.replace("_", " "), order) for outcome, order in step.next.items() if outcome]
    other = [(OTHERWISE if named else "", order) for outcome, order in step.next.items() if not outcome]
    return named + other


def name_target(order: int) -> str:
    return "end" if order == END else str(order)


def draw_definition(definition: Definition, states: Mapping[str, StepState] | None = None) -> Drawing:
    """``states``: of the steps of one run, by their names; without them each box says where its outcomes lead."""
    places = {step.order: row for row, step in enumerate(definition.steps)}
    places[END] = len(definition.steps)
    boxes = [_box(step, _top(places[step.order]), (states or {}).get(step.name)) for step in definition.steps]
    boxes.append(Box(_top(places[END]), "end", "End"))
    jumps = {(row, places[order]) for row, step in enumerate(definition.steps) for order in step.next.values()}
    straight = sorted(start for start, end in jumps if end == start + 1)
    far = sorted(((start, end) for start, end in jumps if end > start + 1), key=lambda one: (one[1] - one[0], one))
    lines = [f"M{_LEFT + _BOX // 2} {_top(row) + _HIGH}v{_GAP - 2}" for row in straight]
    lines += [_around(start, end, lane) for (start, end), lane in zip(far, _lanes(far), strict=True)]
    return Drawing(WIDTH, _top(len(boxes)), tuple(boxes), tuple(lines))


def _box(step: StepDefinition, y: int, state: StepState | None) -> Box:
    title = f"{step.order}  {step.label}"
    if state:
        return Box(y, step.type, title, state.words, tone=state.tone, told=state.title)
    told = ", ".join(f"{outcome} → {name_target(order)}" for outcome, order in list_outcomes(step) if outcome)
    return Box(y, step.type, title, told, bool(step.needs))


def _top(row: int) -> int:
    return 4 + row * (_HIGH + _GAP)


def _lanes(jumps: list[tuple[int, int]]) -> list[int]:
    """The nearest free lane for each, the short ones inside the long ones: no two lines lie on each other."""
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
    """Out of the lower part of a box's right side, and into the upper part of the other's."""
    right, x = _LEFT + _BOX, _LEFT + _BOX + 14 + lane * _LANE
    down, up = _top(start) + _HIGH - 12, _top(end) + 12
    return f"M{right} {down}H{x}V{up}H{right + 3}"

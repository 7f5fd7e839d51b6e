"""Where a run's time went: each step that worked, as a bar between the run's first moment and its last."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from config import clock
from workflows.definitions.blueprint import is_approval
from workflows.engine.items import Join
from workflows.runs.views.state_labels import StepRow

WIDTH = 100.0  # of the drawing, in its own units
_LEAST = 0.8  # what the shortest step is drawn with
_MOST_CELLS = 60  # beyond, a cell stands for several slices


@dataclass(frozen=True)
class Cell:
    """A slice, or some that lie side by side. ``tone``: done, now or todo."""

    x: float
    width: float
    tone: str


@dataclass(frozen=True)
class Bar:
    """``x`` and ``width``: in units of the drawing; none for a step that has not ended, or that a person decides.

    ``cells``: its slices where such do it, and ``slices`` says so in words.
    """

    step: StepRow
    x: float | None = None
    width: float | None = None
    cells: Sequence[Cell] = ()
    slices: str = ""


def bars_of(steps: Sequence[StepRow], joins: Mapping[str, Join] | None = None) -> list[Bar]:
    """Of the steps that have begun. A review may take days: beside it every other step would be a hair.

    ``joins``: how far the slices of a step are, by its name.
    """
    begun = [step for step in steps if step.started_at or step.error]
    drawn = [step for step in begun if step.seconds is not None and not is_approval(step.name)]
    total = sum(step.seconds or 0.0 for step in drawn) or 1.0
    bars, x = [], 0.0
    for step in sorted(begun, key=lambda one: clock.parse(one.started_at) if one.started_at else clock.now()):
        join = (joins or {}).get(step.name)
        slices = _describe_slices(join) if join else ""
        if step not in drawn:
            bars.append(Bar(step, cells=_cells(join, 0.0, WIDTH) if join else (), slices=slices))
            continue
        width = max(WIDTH * (step.seconds or 0.0) / total, _LEAST)
        begin = min(x, WIDTH - width)
        bars.append(Bar(step, begin, width, _cells(join, begin, width) if join else (), slices))
        x += WIDTH * (step.seconds or 0.0) / total
    return bars


def _describe_slices(join: Join) -> str:
    done, total, pages = len(join.done or ()), int(join.slices), int(join.planned)
    told = f"{done:,} of {total:,} parts of {pages:,} pages"
    failed = len(join.failed or ())
    return f"{told}, {failed:,} {'page' if failed == 1 else 'pages'} failed" if failed else told


def _cells(join: Join, x: float, width: float) -> list[Cell]:
    total, done, working = int(join.slices), set(join.done or ()), set(join.at_work.values())
    shown = min(total, _MOST_CELLS)
    cells = []
    for place in range(shown):
        mine = set(range(place * total // shown, (place + 1) * total // shown))
        tone = "done" if mine <= done else "now" if mine & working or mine & done else "todo"
        cells.append(Cell(round(x + width * place / shown, 3), round(max(width / shown * 0.86, 0.2), 3), tone))
    return cells

"""The steps of a run, each once: its place in the definition's diagram, its state, and its bar in the waterfall."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from config import clock
from config.phrase import Figure, Phrase, count_phrase, join_phrases
from workflows.definitions.blueprint import Definition, is_approval
from workflows.definitions.diagram import RailLine, draw_rails
from workflows.runs.items import Join
from workflows.runs.views.state_labels import StepRow
from workflows.runs.views.timeline import EventRow

WIDTH = 100.0  # of the drawing, in SVG units
_LEAST = 0.8  # the width of the shortest step
_MOST_CELLS = 60  # with more, a cell stands for several slices


@dataclass(frozen=True)
class Cell:
    """One or more adjacent slices. ``tone``: done, now or todo."""

    x: float
    width: float
    tone: str


@dataclass(frozen=True)
class Bar:
    """``x`` and ``width``: in SVG units; none for a step that has not ended, or a review.

    ``cells``: its slices, if there are any, and ``slices`` as text.
    """

    step: StepRow
    x: float | None = None
    width: float | None = None
    cells: Sequence[Cell] = ()
    slices: str = ""


@dataclass(frozen=True)
class StepLine:
    """A row of the table of steps.

    ``events``: this run's ends of the step, oldest first; the last one tells what it found. ``attempts``: as text, if
    there was more than one.
    """

    bar: Bar
    rails: Sequence[RailLine]
    events: Sequence[EventRow] = ()
    attempts: str = ""

    @property
    def found(self) -> str:
        step = self.bar.step
        if step.error or not self.events:
            return step.reason or ""
        last = self.events[-1]
        return last.beside_use if step.used else last.details or step.reason or ""

    @property
    def places(self) -> Sequence[tuple[str, str]]:
        """Where to find its file and work outside."""
        return [place for event in self.events for place in event.places]


@dataclass(frozen=True)
class StepTable:
    """``end``: the lines that lead to the end."""

    lines: Sequence[StepLine]
    end: Sequence[RailLine]
    lanes: int


def list_lines(
    definition: Definition,
    steps: Sequence[StepRow],
    joins: Mapping[str, Join],
    events: Sequence[EventRow],
) -> StepTable:
    """``events``: of this run only."""
    rails = draw_rails(definition)
    bars = {bar.step.name: bar for bar in bars_of(steps, joins)}
    lines = []
    for step, beside in zip(steps, rails.rows, strict=False):
        mine = [event for event in events if event.step == step.name]
        attempts = len(mine) + (1 if step.started_at and not step.ended_at else 0)
        told = count_phrase("%(count)s attempt", "%(count)s attempts", attempts) if attempts > 1 else ""
        lines.append(StepLine(bars.get(step.name, Bar(step)), beside, mine, told))
    return StepTable(lines, rails.rows[-1], rails.lanes)


def bars_of(steps: Sequence[StepRow], joins: Mapping[str, Join] | None = None) -> list[Bar]:
    """Draw the steps that have begun. Reviews have no bar: they may take days, and other steps would be invisible.

    ``joins``: the fan-outs by step name.
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
    said = Phrase("%(done)s of %(total)s parts of %(pages)s pages")
    told = said.fill(done=Figure(f"{done:,}"), total=Figure(f"{total:,}"), pages=Figure(f"{pages:,}"))
    failed = len(join.failed or ())
    return (
        join_phrases([told, count_phrase("%(count)s page failed", "%(count)s pages failed", failed)])
        if failed
        else told
    )


def _cells(join: Join, x: float, width: float) -> list[Cell]:
    total, done, working = int(join.slices), set(join.done or ()), set(join.at_work.values())
    shown = min(total, _MOST_CELLS)
    cells = []
    for place in range(shown):
        mine = set(range(place * total // shown, (place + 1) * total // shown))
        tone = "done" if mine <= done else "now" if mine & working or mine & done else "todo"
        cells.append(Cell(round(x + width * place / shown, 3), round(max(width / shown * 0.86, 0.2), 3), tone))
    return cells

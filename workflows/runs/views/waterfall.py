"""Where a run's time went: each step that worked, as a bar between the run's first moment and its last."""

from collections.abc import Sequence
from dataclasses import dataclass

from config import clock
from workflows.definitions.blueprint import is_approval
from workflows.runs.views.state_labels import StepRow

WIDTH = 100.0  # of the drawing, in its own units
_LEAST = 0.8  # what the shortest step is drawn with


@dataclass(frozen=True)
class Bar:
    """``x`` and ``width``: in units of the drawing; none for a step that has not ended, or that a person decides."""

    step: StepRow
    x: float | None = None
    width: float | None = None


def bars_of(steps: Sequence[StepRow]) -> list[Bar]:
    """Of the steps that have begun. A review may take days: beside it every other step would be a hair."""
    begun = [step for step in steps if step.started_at or step.error]
    drawn = [step for step in begun if step.seconds is not None and not is_approval(step.name)]
    total = sum(step.seconds or 0.0 for step in drawn) or 1.0
    bars, x = [], 0.0
    for step in sorted(begun, key=lambda one: clock.parse(one.started_at) if one.started_at else clock.now()):
        if step not in drawn:
            bars.append(Bar(step))
            continue
        width = max(WIDTH * (step.seconds or 0.0) / total, _LEAST)
        bars.append(Bar(step, min(x, WIDTH - width), width))
        x += WIDTH * (step.seconds or 0.0) / total
    return bars

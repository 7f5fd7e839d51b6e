"""CPU time of ours against CPU time of the least that could do the same, in one process and one run.

Times on shared machines are noise, ratios of CPU time within a run are not: both sides take turns, and the median of
the turns counts.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

Work = Callable[[], object]


@dataclass(frozen=True)
class Ratio:
    """``measured`` is ours / theirs; both are of one ``unit``, in ``of``."""

    name: str
    measured: float
    bound: float
    sense: Literal["at most", "at least"]
    ours: float
    theirs: float
    unit: str
    against: str
    of: str = "CPU-ms"

    @property
    def held(self) -> bool:
        return self.measured <= self.bound if self.sense == "at most" else self.measured >= self.bound


def cpu_ms(work: Work) -> float:
    """Of all threads of this process; what the emulator's process spends is not in it."""
    before = time.process_time()
    work()
    return (time.process_time() - before) * 1000


def turns(ours: Sequence[Work], theirs: Work) -> tuple[float, float]:
    """The median CPU milliseconds of each side, which take turns; the first turn warms up and is not counted."""
    taken = [(cpu_ms(work), cpu_ms(theirs)) for work in ours][1:]
    return median(own for own, _ in taken), median(other for _, other in taken)

"""The cost of a run, from its rows: of all attempts, or of the last execution of each step."""

from collections.abc import Mapping
from dataclasses import dataclass

from projects.models.cost_words import describe_sum
from workflows.runs.items import DocumentWorkflow, WorkflowSteps


@dataclass(frozen=True)
class RunCost:
    """``known`` is False if nothing was used."""

    micros: int = 0
    unpriced: bool = False
    known: bool = False

    def __add__(self, other: "RunCost") -> "RunCost":
        unpriced, known = self.unpriced or other.unpriced, self.known or other.known
        return RunCost(self.micros + other.micros, unpriced, known)

    def __str__(self) -> str:
        if not self.known:
            return ""
        return describe_sum(self.micros, unpriced=self.unpriced)


def of_link(link: DocumentWorkflow) -> RunCost:
    """Return the cost of a run with all retries."""
    return RunCost(int(link.micros or 0), bool(link.unpriced), link.micros is not None)


def of_board(board: WorkflowSteps) -> RunCost:
    """Return the cost of the last execution of each step."""
    steps = (step for step in board.data.as_dict().values() if isinstance(step, Mapping))
    used = [one for step in steps for one in step.get("used") or ()]
    micros = sum(int(one.get("micros") or 0) for one in used)
    return RunCost(micros, any("micros" not in one for one in used), bool(used))

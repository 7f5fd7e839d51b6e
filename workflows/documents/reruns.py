"""Rules of re-runs: from which steps, what is made again, and whether the run itself continues. Pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workflows.definitions.blueprint import Definition, StepDefinition
from workflows.runs.items import RESUMABLE, StepStatus
from workflows.runs.run_files import Layers
from workflows.stages.artifacts import ANALYSED, BUILT, MAKERS
from workflows.storage import files

_VISITED = (StepStatus.COMPLETED, StepStatus.FAILED)


@dataclass(frozen=True)
class EndedRun:
    """A run that has ended, as its rows say; ``steps``: name → its entry on the board."""

    definition: Definition
    outcome: str
    steps: Mapping[str, Mapping[str, Any]]
    layers: Layers = ()
    foreign: bool = False  # another system's run: its files are never overwritten

    def has_visited(self, step: StepDefinition) -> bool:
        return (self.steps.get(step.name) or {}).get("status") in _VISITED

    @property
    def offered(self) -> Sequence[StepDefinition]:
        """List the stages that it reached: the input of each is stored."""
        return [one for one in self.definition.steps if one.type == "stage" and self.has_visited(one)]

    def first(self, step: StepDefinition) -> StepDefinition:
        """Return the step at which a run starts that re-runs ``step``."""
        return self.definition.named(BUILT) if step.name == ANALYSED else step

    def anew(self, first: StepDefinition) -> frozenset[str]:
        """Return the artifact folders that ``first`` and all later steps write."""
        orders = {one.name: one.order for one in self.definition.steps}
        return frozenset(folder for folder, name in MAKERS.items() if orders.get(name, len(orders) + 1) >= first.order)

    def inherit_folders(self, first: StepDefinition) -> tuple[str, ...]:
        """Return the other folders."""
        return tuple(sorted(set(files.ARTIFACTS) - self.anew(first)))

    def goes_on(self, first: StepDefinition) -> bool:
        """Return True if the run itself may continue there.

        Not if it has a result, or if a person reviewed what would be made again: no decision is undone, and nobody is
        asked twice in one run. Nor if it would overwrite what it inherited from another run.
        """
        if self.foreign or self.outcome not in RESUMABLE:
            return False
        steps = self.definition.steps
        asked = any(one.type == "approval" and one.order > first.order and self.has_visited(one) for one in steps)
        taken = set(self.layers[0].inherits) if self.layers else set()
        return not asked and not (taken & self.anew(first))

    def behind_decision(self, first: StepDefinition) -> bool:
        """Return True if ``first`` comes after the reviews, so that an earlier decision still applies."""
        return any(one.type == "approval" and one.order < first.order for one in self.definition.steps)

    def behind(self, first: StepDefinition, name: str) -> bool:
        """Return True if ``first`` comes after the step of this name."""
        return any(one.name == name and one.order < first.order for one in self.definition.steps)

"""From which steps an ended run may be run again, what they make anew, and whether the run itself goes on; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workflows.definitions.blueprint import Definition, StepDefinition
from workflows.runs.items import RESUMABLE, StepStatus
from workflows.runs.run_files import Layers
from workflows.storage import files

ANALYSED = "segment_analyzer"
BUILT = "segment_builder"
# Who makes the artifacts of a folder. ``analysis/`` has the analyzer's and the summarizer's too: both write into what
# the builder made, so that an analysis done again begins with it.
MAKERS: Mapping[str, str] = {
    "preprocessed/": "segment_prep",
    "bda-output/": "bda_processor",
    "format-parser/": "format_parser",
    "paddleocr/": "paddleocr_processor",
    "transcribe/": "transcribe",
    "webcrawler/": "webcrawler",
    "analysis/": BUILT,
    "graph_work/": "graph_builder",
}
_VISITED = (StepStatus.COMPLETED, StepStatus.FAILED)


@dataclass(frozen=True)
class EndedRun:
    """A run that has ended, as its rows say; ``steps``: name → what its board keeps of it."""

    definition: Definition
    outcome: str
    steps: Mapping[str, Mapping[str, Any]]
    layers: Layers = ()
    foreign: bool = False  # another system's: its files are never written over

    def has_visited(self, step: StepDefinition) -> bool:
        return (self.steps.get(step.name) or {}).get("status") in _VISITED

    @property
    def offered(self) -> Sequence[StepDefinition]:
        """The stages that it came to: what each of them needs is stored."""
        return [one for one in self.definition.steps if one.type == "stage" and self.has_visited(one)]

    def first(self, step: StepDefinition) -> StepDefinition:
        """Where a run begins that is to do ``step`` again."""
        return self.definition.named(BUILT) if step.name == ANALYSED else step

    def anew(self, first: StepDefinition) -> frozenset[str]:
        """The folders whose artifacts ``first`` and what comes after it make."""
        orders = {one.name: one.order for one in self.definition.steps}
        return frozenset(folder for folder, name in MAKERS.items() if orders.get(name, len(orders) + 1) >= first.order)

    def inherit_folders(self, first: StepDefinition) -> tuple[str, ...]:
        """The other folders."""
        return tuple(sorted(set(files.ARTIFACTS) - self.anew(first)))

    def goes_on(self, first: StepDefinition) -> bool:
        """Whether the run itself may go on there.

        Not where it has a result or a person was asked about what is to be made again: nothing that was decided is
        undone, and no one is asked twice in one run. Nor where it would write over what it took from another.
        """
        if self.foreign or self.outcome not in RESUMABLE:
            return False
        steps = self.definition.steps
        asked = any(one.type == "approval" and one.order > first.order and self.has_visited(one) for one in steps)
        taken = set(self.layers[0].inherits) if self.layers else set()
        return not asked and not (taken & self.anew(first))

    def behind_decision(self, first: StepDefinition) -> bool:
        """Whether ``first`` comes behind where people are asked: a decision, if there was one, holds on."""
        return any(one.type == "approval" and one.order < first.order for one in self.definition.steps)

    def behind(self, first: StepDefinition, name: str) -> bool:
        """Whether ``first`` comes after the step of this name."""
        return any(one.name == name and one.order < first.order for one in self.definition.steps)

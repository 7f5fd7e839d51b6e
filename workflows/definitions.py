"""The blueprints of runs: ordered steps and where each leads; a published version never changes."""

from dataclasses import dataclass, field
from typing import Literal

from workflows.status import END

StepType = Literal["stage", "approval", "publish"]


@dataclass(frozen=True)
class StepDefinition:
    """One step. ``next``: outcome → order of the step that follows, ``END`` for none; ``""`` is any other outcome."""

    order: int
    name: str
    label: str
    type: StepType
    next: dict[str, int] = field(default_factory=dict)

    def after(self, outcome: str = "") -> int:
        return self.next.get(outcome, self.next.get("", END))


@dataclass(frozen=True)
class Definition:
    name: str
    version: int
    description: str
    steps: tuple[StepDefinition, ...]

    @property
    def id(self) -> str:
        """``document-analysis.v1``: what a run pins."""
        return f"{self.name}.v{self.version}"

    def step(self, order: int) -> StepDefinition:
        """Raises: KeyError."""
        return {step.order: step for step in self.steps}[order]

    def named(self, name: str) -> StepDefinition:
        """Raises: KeyError."""
        return {step.name: step for step in self.steps}[name]


REVIEW_REQUIRED = "review_required"
APPROVE = "approve"

DOCUMENT_ANALYSIS = Definition(
    name="document-analysis",
    version=1,
    description="Pages, text, OCR, fields, a person where the machine is not sure, and the published result.",
    steps=(
        StepDefinition(1, "segment_prep", "Segment Prep", "stage", {"": 2}),
        StepDefinition(2, "format_parser", "Format Parsing", "stage", {"": 3}),
        StepDefinition(3, "paddleocr_processor", "PaddleOCR Processing", "stage", {"": 4}),
        StepDefinition(4, "segment_builder", "Building Segments", "stage", {"": 5}),
        StepDefinition(5, "segment_analyzer", "Segment Analysis", "stage", {"": 6}),
        StepDefinition(6, "assess", "Assessment", "stage", {REVIEW_REQUIRED: 7, "": 8}),
        StepDefinition(7, "human_review", "Human Review", "approval", {APPROVE: 8, "": END}),
        StepDefinition(8, "publish", "Publishing", "publish", {"": END}),
    ),
)
DEFINITIONS: dict[str, Definition] = {DOCUMENT_ANALYSIS.id: DOCUMENT_ANALYSIS}


def active(family: str) -> Definition:
    """The newest version of a family; of an unknown one, the analysis that every document gets. Never raises."""
    versions = [one for one in DEFINITIONS.values() if one.name == family]
    return max(versions, key=lambda one: one.version) if versions else DOCUMENT_ANALYSIS

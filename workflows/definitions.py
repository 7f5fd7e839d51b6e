"""The blueprints of runs: ordered steps and where each leads; a published version never changes."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from workflows.stages import formats, kinds
from workflows.status import END

StepType = Literal["stage", "approval", "publish"]


@dataclass(frozen=True)
class Asked:
    """What is known of a document before anything runs on it."""

    file_type: str
    use_bda: bool = False


@dataclass(frozen=True)
class Need:
    """Which documents a step is for, and the sentence that says why it is left out for the others."""

    fits: Callable[[Asked], bool]
    otherwise: str


NEEDS: Mapping[str, Need] = {
    "bda": Need(lambda asked: asked.use_bda, "Bedrock Data Automation is not chosen for this project."),
    "text": Need(
        lambda asked: asked.file_type == kinds.PDF or kinds.has_text(asked.file_type),
        "Only PDFs and files of text carry text of their own.",
    ),
    "pages": Need(lambda asked: kinds.has_pages(asked.file_type), "Only pages are read by OCR; this file has none."),
    "sound": Need(lambda asked: kinds.has_sound(asked.file_type), "Only recordings are transcribed."),
    "web": Need(lambda asked: asked.file_type == formats.WEB_REQUEST, "Only requests for web pages are crawled."),
}


@dataclass(frozen=True)
class StepDefinition:
    """One step. ``next``: outcome → order of the step that follows, ``END`` for none; ``""`` is any other outcome.

    ``needs``: a word of ``NEEDS``; empty for a step of every document.
    """

    order: int
    name: str
    label: str
    type: StepType
    next: dict[str, int] = field(default_factory=dict)
    waits: bool = False  # its machine can wait for somebody else's job; without, the message comes back later
    needs: str = ""

    def after(self, outcome: str = "") -> int:
        return self.next.get(outcome, self.next.get("", END))

    @property
    def left_out(self) -> str:
        """Why it is left out, where it is."""
        return NEEDS[self.needs].otherwise if self.needs else ""


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

    def left_out(self, asked: Asked) -> frozenset[int]:
        """The steps that this document does not need: the run goes past them, without a message for each."""
        return frozenset(step.order for step in self.steps if step.needs and not NEEDS[step.needs].fits(asked))

    def after(self, step: StepDefinition, outcome: str, left_out: Collection[int]) -> int:
        """The next step that is not left out."""
        order = step.after(outcome)
        while order in left_out:
            order = self.step(order).after()
        return order

    def reachable(self, step: StepDefinition) -> set[int]:
        """What may follow on ``step``, whatever is left out."""
        found: set[int] = set()
        left = set(step.next.values())
        while left:
            order = left.pop()
            found.add(order)
            if order != END and self.step(order).needs:
                left |= set(self.step(order).next.values()) - found
        return found


REVIEW_REQUIRED = "review_required"
APPROVE = "approve"

# Its runs may still wait for a person.
FIRST_ANALYSIS = Definition(
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
DOCUMENT_ANALYSIS = Definition(
    name="document-analysis",
    version=2,
    description="Every kind of file: what it needs of ten stages, a person where the machine is not sure, the result.",
    steps=(
        StepDefinition(1, "segment_prep", "Segment Prep", "stage", {"": 2}),
        StepDefinition(2, "bda_processor", "BDA Processing", "stage", {"": 3}, waits=True, needs="bda"),
        StepDefinition(3, "format_parser", "Format Parsing", "stage", {"": 4}, needs="text"),
        StepDefinition(4, "paddleocr_processor", "PaddleOCR Processing", "stage", {"": 5}, waits=True, needs="pages"),
        StepDefinition(5, "transcribe", "Transcription", "stage", {"": 6}, waits=True, needs="sound"),
        StepDefinition(6, "webcrawler", "Web Crawling", "stage", {"": 7}, needs="web"),
        StepDefinition(7, "segment_builder", "Building Segments", "stage", {"": 8}),
        StepDefinition(8, "segment_analyzer", "Segment Analysis", "stage", {"": 9}, waits=True),
        StepDefinition(9, "assess", "Assessment", "stage", {REVIEW_REQUIRED: 10, "": 11}),
        StepDefinition(10, "human_review", "Human Review", "approval", {APPROVE: 11, "": END}),
        StepDefinition(11, "graph_builder", "Building Knowledge Graph", "stage", {"": 12}),
        StepDefinition(12, "document_summarizer", "Document Summary", "stage", {"": 13}, waits=True),
        StepDefinition(13, "publish", "Publishing", "publish", {"": END}),
    ),
)
DEFINITIONS: dict[str, Definition] = {one.id: one for one in (FIRST_ANALYSIS, DOCUMENT_ANALYSIS)}


def active(family: str) -> Definition:
    """The newest version of a family; of an unknown one, the analysis that every document gets. Never raises."""
    versions = [one for one in DEFINITIONS.values() if one.name == family]
    return max(versions, key=lambda one: one.version) if versions else DOCUMENT_ANALYSIS

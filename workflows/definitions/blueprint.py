"""The blueprints of runs: ordered steps and where each leads; a published version never changes."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from workflows.rules.routing import Condition, Operator, Source
from workflows.stages import formats, kinds

END = -1  # seed 003: the step order after the last one


class Outcome(StrEnum):
    """How a run ended. A rejection is a business outcome: the run is completed, not failed."""

    PUBLISHED = "published"
    REJECTED = "rejected"
    EXPIRED = "expired"
    FAILED = "failed"
    PARTIAL = "partial"  # pages failed, and the others wait for someone to say how to go on
    CANCELLED = "cancelled"


class DefinitionStatus(StrEnum):
    """Of a definition's version (seed 003), stored as written."""

    DRAFT = "draft"  # published, and no run gets it
    ACTIVE = "active"
    ARCHIVED = "archived"


# Seed 003's types; ``publish`` is the action that ends a run with a result.
ROUTED = "assess"  # the step whose result the rules are asked about
StepType = Literal["stage", "approval", "notification", "action", "choice", "publish"]


@dataclass(frozen=True)
class DocumentFacts:
    """What is known of a document before anything runs on it."""

    file_type: str
    use_bda: bool = False


@dataclass(frozen=True)
class StepNeed:
    """Which documents a step is for, and the sentence that says why it is left out for the others."""

    fits: Callable[[DocumentFacts], bool]
    otherwise: str


NEEDS: Mapping[str, StepNeed] = {
    "bda": StepNeed(lambda asked: asked.use_bda, "Bedrock Data Automation is not enabled for this project."),
    "text": StepNeed(
        lambda asked: asked.file_type == kinds.PDF or kinds.has_text(asked.file_type),
        "Only PDFs and text files have a text layer.",
    ),
    "pages": StepNeed(lambda asked: kinds.has_pages(asked.file_type), "OCR needs pages; this file has none."),
    "sound": StepNeed(lambda asked: kinds.has_sound(asked.file_type), "Only recordings are transcribed."),
    "web": StepNeed(lambda asked: asked.file_type == formats.WEB_REQUEST, "Only web page requests are crawled."),
}


@dataclass(frozen=True)
class Case:
    """A branch of a choice: taken where all ``conditions`` hold and those of no case before it do.

    Conditions ask for fields as they stand, a person's corrections included; ``document_type`` and
    ``classification`` are asked for like fields. A field that was not found meets none.
    """

    outcome: str
    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class StepDefinition:
    """One step. ``next``: outcome → order of the step that follows, ``END`` for none; ``""`` is any other outcome.

    ``needs``: a word of ``NEEDS``; empty for a step of every document. ``minutes``: how long it may take, or a person
    may; 0 for the desk's setting. ``retries``: how often the engine orders it again after an unexpected error.
    """

    order: int
    name: str
    label: str
    type: StepType
    next: dict[str, int] = field(default_factory=dict)
    waits: bool = False  # its machine can wait for someone else's job; without, the message comes back later
    needs: str = ""
    minutes: int = 0
    retries: int = 0
    cases: tuple[Case, ...] = ()  # of a choice
    does: str = ""  # of a notification or an action: a name of workflows.engine.step_actions
    parameters: tuple[tuple[str, str], ...] = ()  # of what it does
    asks: str = ""  # of an approval: why a person is asked whom the assessment did not ask for
    another: bool = False  # of an approval: no one may give it who gave the one before
    ends: Outcome | None = None  # how the run ends where this step is its last

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
    draft: bool = False  # its publication leaves it to an admin to activate it

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

    def left_out(self, asked: DocumentFacts) -> frozenset[int]:
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
    description="Pages, text, OCR, fields, review if needed, and the published result.",
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
    description="All file types: the required stages, review if needed, and the published result.",
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
# Two people for what costs much, none for what costs little. It is chosen by a rule.


def _below(amount: str) -> tuple[Condition, ...]:
    """Of either sign: a large credit note is as much money as a large bill."""
    under = Condition(Source.FIELD, Operator.LT, amount, "total")
    return (under, Condition(Source.FIELD, Operator.GT, f"-{amount}", "total"))


DOCUMENT_APPROVAL = Definition(
    name="document-approval",
    version=1,
    description="Analysis, then approval: one reviewer from 100, two from 1,000; the sender is notified.",
    steps=(
        *DOCUMENT_ANALYSIS.steps[:8],
        StepDefinition(9, "assess", "Assessment", "stage", {REVIEW_REQUIRED: 11, "": 10}),
        StepDefinition(
            10, "needs_approval", "Approval needed?", "choice", {"small": 14, "": 11}, minutes=60, retries=2,
            cases=(Case("small", _below("100")),),
        ),
        StepDefinition(
            11, "first_approval", "First Approval", "approval", {APPROVE: 12, "": 18},
            minutes=7 * 24 * 60, asks="Approval: its total is 100 or more, or was not found",
        ),
        StepDefinition(
            12, "needs_second", "Second approval needed?", "choice", {"modest": 14, "": 13}, minutes=60, retries=2,
            cases=(Case("modest", _below("1000")),),
        ),
        StepDefinition(
            13, "second_approval", "Second Approval", "approval", {APPROVE: 14, "": 18},
            minutes=3 * 24 * 60, another=True, asks="Second approval: its total is 1,000 or more, or was not found",
        ),
        StepDefinition(14, "graph_builder", "Building Knowledge Graph", "stage", {"": 15}),
        StepDefinition(15, "mark_accepted", "Tag", "action", {"": 16}, minutes=60, retries=3,
            does="tag", parameters=(("key", "approval"), ("value", "accepted"))),
        StepDefinition(16, "tell_accepted", "Announcement", "notification", {"": 17}, minutes=60, retries=3,
            does="event", parameters=(("type", "document.approved"),)),
        StepDefinition(17, "publish", "Publishing", "publish", {"": END}),
        StepDefinition(18, "tell_rejected", "Word to the Sender", "notification", {"": END}, minutes=24 * 60,
            retries=3, does="mail_sender", ends=Outcome.REJECTED),
    ),
)  # fmt: skip
DEFINITIONS: dict[str, Definition] = {one.id: one for one in (FIRST_ANALYSIS, DOCUMENT_ANALYSIS, DOCUMENT_APPROVAL)}
# Names of steps at which a run waits for a person, whatever its definition.
APPROVALS = frozenset(step.name for one in DEFINITIONS.values() for step in one.steps if step.type == "approval")


def newest_definition(family: str) -> Definition | None:
    """The newest version that is no draft; None of an unknown family."""
    versions = [one for one in DEFINITIONS.values() if one.name == family and not one.draft]
    return max(versions, key=lambda one: one.version) if versions else None

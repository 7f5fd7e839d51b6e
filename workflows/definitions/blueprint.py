"""The blueprints of runs: ordered steps and where each leads; a published version never changes.

A definition is data: rows of the table, and ``shipped.yaml`` for those that come with Countersign.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

import yaml

from workflows.rules.routing import Condition, to_plain
from workflows.rules.stored_rules import condition_from
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


# Seed 003's types; ``publish`` ends a run with a result, ``finish`` an execution without a document.
ROUTED = "assess"  # the step whose result the rules are asked about
StepType = Literal["stage", "approval", "notification", "action", "choice", "publish", "finish"]


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


# What steps do with a document, or with who sent it.
ABOUT_DOCUMENTS = frozenset({"mail_sender", "tag", "attribute"})


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
    another: bool = False  # of an approval: no one may give it who decided earlier in the run
    queue: str = ""  # of an approval: the name of the site's queue where it waits; empty for the run's own
    ends: Outcome | None = None  # how the run ends where this step is its last

    def after(self, outcome: str = "") -> int:
        return self.next.get(outcome, self.next.get("", END))

    @property
    def needs_document(self) -> bool:
        """Whether it cannot be done without one."""
        return self.type in ("stage", "publish") or self.does in ABOUT_DOCUMENTS

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

    @property
    def needs_document(self) -> bool:
        """Whether its runs are of documents; without, they are executions of whatever data starts them."""
        return not any(step.type == "finish" for step in self.steps)

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
_DEFAULT = "default"  # as data, the outcome that is the empty text here: a name of an entry may not be empty


# --- as data ---------------------------------------------------------------------
def step_config(step: StepDefinition) -> dict[str, Any]:
    """Seed 003's ``config``: all of a step but its order, name, type and timeout, which its row has beside it."""
    told: dict[str, Any] = {
        "stage": step.name,
        "next": {outcome or _DEFAULT: order for outcome, order in step.next.items()},
        "waits": step.waits,
        "needs": step.needs,
        "retries": step.retries,
        "cases": [
            {"outcome": case.outcome, "conditions": [to_plain(one) for one in case.conditions]} for case in step.cases
        ],
        "does": step.does,
        "parameters": dict(step.parameters),
        "asks": step.asks,
        "another": step.another,
        "queue": step.queue,
        "ends": step.ends.value if step.ends else "",
    }
    return {name: value for name, value in told.items() if value}


def step_from(order: int, label: str, kind: StepType, minutes: int, config: Mapping[str, Any]) -> StepDefinition:
    """A step from its row. Raises: KeyError, ValueError if it is none."""
    cases = (
        Case(one["outcome"], tuple(condition_from(each) for each in one["conditions"]))
        for one in config.get("cases", ())
    )
    return StepDefinition(
        order,
        config["stage"],
        label,
        kind,
        {"" if outcome == _DEFAULT else outcome: int(to) for outcome, to in config["next"].items()},
        waits=bool(config.get("waits")),
        needs=config.get("needs", ""),
        minutes=minutes,
        retries=int(config.get("retries", 0)),
        cases=tuple(cases),
        does=config.get("does", ""),
        parameters=tuple(config.get("parameters", {}).items()),
        asks=config.get("asks", ""),
        another=bool(config.get("another")),
        queue=config.get("queue", ""),
        ends=Outcome(config["ends"]) if config.get("ends") else None,
    )


def _read_shipped() -> Iterable[Definition]:
    for one in yaml.safe_load(Path(__file__).with_name("shipped.yaml").read_text()):
        steps = (
            step_from(order, step["label"], step["type"], step.get("minutes", 0), step)
            for order, step in enumerate(one["steps"], 1)
        )
        yield Definition(one["name"], one["version"], one["description"], tuple(steps))


SHIPPED: dict[str, Definition] = {one.id: one for one in _read_shipped()}
FIRST_ANALYSIS = SHIPPED["document-analysis.v1"]  # its runs may still wait for a person
DOCUMENT_ANALYSIS = SHIPPED["document-analysis.v2"]
DOCUMENT_APPROVAL = SHIPPED["document-approval.v1"]  # two people for what costs much; a rule chooses it
_SHIPPED_APPROVALS = frozenset(step.name for one in SHIPPED.values() for step in one.steps if step.type == "approval")
COMPOSED_APPROVAL = "approval_"  # how the names of all other approvals begin, and of nothing else


def is_approval(name: str) -> bool:
    """Whether a run waits for a person at a step of this name, whatever its definition."""
    return name in _SHIPPED_APPROVALS or name.startswith(COMPOSED_APPROVAL)


def label_of(name: str) -> str:
    """How lists over several definitions call a step: as those that are shipped do, else by its name."""
    return _LABELS.get(name, name.replace("_", " ").capitalize())


_LABELS = {step.name: step.label for one in SHIPPED.values() for step in one.steps}


def newest_definition(family: str) -> Definition | None:
    """The newest shipped version that is no draft; None of an unknown family."""
    versions = [one for one in SHIPPED.values() if one.name == family and not one.draft]
    return max(versions, key=lambda one: one.version) if versions else None

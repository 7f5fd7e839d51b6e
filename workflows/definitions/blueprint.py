"""Definitions as values: ordered steps and their transitions. A published version never changes.

A definition is data: rows of the table, and ``shipped.yaml`` for those that come with Countersign.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

import yaml

from config.phrase import Phrase
from workflows.definitions.rules import Condition, to_plain
from workflows.definitions.stored_rules import condition_from
from workflows.stages import file_kinds, formats

AGAIN = ", again"  # after the label of an approval's second and third step
END = -1  # seed 003: the step order after the last one
OTHERWISE = "otherwise"  # the result that a transition records of a choice if no case matched


class Outcome(StrEnum):
    """How a run ended. A rejection is a business outcome: the run is completed, not failed."""

    PUBLISHED = "published"
    REJECTED = "rejected"
    EXPIRED = "expired"
    FAILED = "failed"
    PARTIAL = "partial"  # pages failed, and a person has to retry them or continue without
    CANCELLED = "cancelled"


class DefinitionStatus(StrEnum):
    """The status of a definition's version (seed 003), stored as written."""

    DRAFT = "draft"  # published, but no run gets it
    ACTIVE = "active"
    ARCHIVED = "archived"


ROUTED = "assess"  # the step whose result the rules are evaluated on
# Seed 003's types; ``publish`` ends a run with a result, ``finish`` an execution without a document.
StepType = Literal["stage", "approval", "notification", "action", "choice", "wait", "publish", "finish"]


@dataclass(frozen=True)
class DocumentFacts:
    """What is known of a document before any step has run."""

    file_type: str
    use_bda: bool = False


@dataclass(frozen=True)
class StepNeed:
    """Which documents need a step, and the sentence that explains why the others skip it."""

    fits: Callable[[DocumentFacts], bool]
    otherwise: str


NEEDS: Mapping[str, StepNeed] = {
    "bda": StepNeed(lambda asked: asked.use_bda, Phrase("Bedrock Data Automation is not enabled for this project.")),
    "text": StepNeed(
        lambda asked: asked.file_type == file_kinds.PDF or file_kinds.has_text(asked.file_type),
        Phrase("Only PDFs and text files have a text layer."),
    ),
    "pages": StepNeed(
        lambda asked: file_kinds.has_pages(asked.file_type), Phrase("OCR needs pages; this file has none.")
    ),
    "sound": StepNeed(lambda asked: file_kinds.has_sound(asked.file_type), Phrase("Only recordings are transcribed.")),
    "web": StepNeed(
        lambda asked: asked.file_type == formats.WEB_REQUEST, Phrase("Only web page requests are crawled.")
    ),
}


# Step actions that need a document or its sender.
ABOUT_DOCUMENTS = frozenset({"mail_sender", "tag", "attribute"})


@dataclass(frozen=True)
class Case:
    """A branch of a choice, taken if all ``conditions`` hold and those of no earlier case do.

    Conditions read fields with a person's corrections. ``document_type`` and ``classification`` are read like fields. A
    field that was not found meets no condition.
    """

    outcome: str
    conditions: tuple[Condition, ...]


def tell_label(label: str) -> Phrase:
    """Return a step's label as pages show it: ours translated, and what composing adds to a person's."""
    named = label.removesuffix(AGAIN)
    return Phrase(label) if named == label else Phrase("%(label)s, again").fill(label=Phrase(named))


@dataclass(frozen=True)
class StepDefinition:
    """One step. ``next``: outcome → order of the next step, ``END`` for none; ``""`` is any other outcome.

    ``needs``: a key of ``NEEDS``; empty for a step of every document. ``minutes``: the timeout of the step or of its
    reviewer; 0 for the default. ``retries``: how often the engine retries it after an unexpected error.
    """

    order: int
    name: str
    label: str
    type: StepType
    next: dict[str, int] = field(default_factory=dict)
    waits: bool = False  # the state machine can wait for an external job; otherwise the message is redelivered
    needs: str = ""
    minutes: int = 0
    retries: int = 0
    cases: tuple[Case, ...] = ()  # for choices
    does: str = ""  # for notifications and actions: a name of workflows.engine.step_actions
    parameters: tuple[tuple[str, str], ...] = ()  # of the action; for waits ``hours``, or the date ``field``
    asks: str = ""  # for approvals: the reason, if the assessment did not ask for one
    another: bool = False  # for approvals: nobody who decided earlier in the run may give it
    queue: str = ""  # for approvals: the name of the site's queue; empty for the run's own
    ends: Outcome | None = None  # how the run ends if this is its last step
    corrects: tuple[str, ...] = ()  # for approvals without a document: entries of the data that may be corrected
    part: str = ""  # the workflow that it was taken from: the block's name and the version's id

    def after(self, outcome: str = "") -> int:
        return self.next.get(outcome, self.next.get("", END))

    @property
    def rests(self) -> bool:
        """Return True if no machine works on a run at this step."""
        return self.type in ("approval", "wait")

    @property
    def needs_document(self) -> bool:
        """Return True if the step needs a document."""
        return self.type in ("stage", "publish") or self.does in ABOUT_DOCUMENTS

    @property
    def left_out(self) -> str:
        """Return why the step is skipped."""
        return NEEDS[self.needs].otherwise if self.needs else ""


@dataclass(frozen=True)
class Definition:
    name: str
    version: int
    description: str
    steps: tuple[StepDefinition, ...]
    draft: bool = False  # an admin activates it; publishing does not

    @property
    def id(self) -> str:
        """``document-analysis.v1``: the id that runs pin."""
        return f"{self.name}.v{self.version}"

    @property
    def needs_document(self) -> bool:
        """Return True if it runs on documents, False if its executions start with arbitrary data."""
        return not any(step.type == "finish" for step in self.steps)

    def step(self, order: int) -> StepDefinition:
        """Raises: KeyError."""
        return {step.order: step for step in self.steps}[order]

    def named(self, name: str) -> StepDefinition:
        """Raises: KeyError."""
        return {step.name: step for step in self.steps}[name]

    def left_out(self, asked: DocumentFacts) -> frozenset[int]:
        """Return the steps that this document skips, without a message for each."""
        return frozenset(step.order for step in self.steps if step.needs and not NEEDS[step.needs].fits(asked))

    def after(self, step: StepDefinition, outcome: str, left_out: Collection[int]) -> int:
        """Return the next step that is not skipped."""
        order = step.after(outcome)
        while order in left_out:
            order = self.step(order).after()
        return order

    def reachable(self, step: StepDefinition) -> set[int]:
        """Return the steps that may follow ``step``, whichever are skipped."""
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
_DEFAULT = "default"  # the empty outcome as stored: an attribute name must not be empty


# --- as data ---------------------------------------------------------------------
def step_config(step: StepDefinition) -> dict[str, Any]:
    """Return seed 003's ``config``: the whole step but order, name, type and timeout, which its row has as columns."""
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
        "corrects": list(step.corrects),
        "part": step.part,
    }
    return {name: value for name, value in told.items() if value}


def step_from(order: int, label: str, kind: StepType, minutes: int, config: Mapping[str, Any]) -> StepDefinition:
    """Build a step from its row. Raises: KeyError, ValueError if the row is invalid."""
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
        corrects=tuple(config.get("corrects", ())),
        part=config.get("part", ""),
    )


def _read_shipped() -> Iterable[Definition]:
    for one in yaml.safe_load(Path(__file__).with_name("shipped.yaml").read_text()):
        steps = (
            step_from(order, step["label"], step["type"], step.get("minutes", 0), step)
            for order, step in enumerate(one["steps"], 1)
        )
        yield Definition(one["name"], one["version"], Phrase(one["description"]), tuple(steps))


SHIPPED: dict[str, Definition] = {one.id: one for one in _read_shipped()}
FIRST_ANALYSIS = SHIPPED["document-analysis.v1"]  # its runs may still be in review
DOCUMENT_ANALYSIS = SHIPPED["document-analysis.v2"]
DOCUMENT_APPROVAL = SHIPPED["document-approval.v1"]  # two approvals for high amounts; chosen by a rule
_SHIPPED_APPROVALS = frozenset(step.name for one in SHIPPED.values() for step in one.steps if step.type == "approval")
COMPOSED_APPROVAL = "approval_"  # the prefix of all other approvals' names, and of no other steps


def is_approval(name: str) -> bool:
    """Return True if a run waits for a person at a step of this name, in any definition."""
    return name in _SHIPPED_APPROVALS or name.startswith(COMPOSED_APPROVAL)


def label_of(name: str) -> str:
    """Return the label of a step in lists across definitions: the shipped definitions' label, else its name."""
    return _LABELS.get(name) or Phrase(name.replace("_", " ").capitalize())


_LABELS = {step.name: Phrase(step.label) for one in SHIPPED.values() for step in one.steps}


def newest_definition(family: str) -> Definition | None:
    """Return the newest shipped version that is not a draft; None for an unknown family."""
    versions = [one for one in SHIPPED.values() if one.name == family and not one.draft]
    return max(versions, key=lambda one: one.version) if versions else None

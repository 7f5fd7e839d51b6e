"""Definitions composed on a page: the blocks between assessment and publication, and their steps. Pure functions.

Every document is analysed, assessed and, below the review threshold, reviewed. A plan cannot let an uncertain value
skip the review. A plan without documents consists of its blocks only.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from config.phrase import Phrase
from workflows.definitions.blueprint import (
    AGAIN,
    APPROVE,
    COMPOSED_APPROVAL,
    DOCUMENT_ANALYSIS,
    END,
    REVIEW_REQUIRED,
    Case,
    Definition,
    Outcome,
    StepDefinition,
)
from workflows.definitions.rules import Condition, Operator, Source
from workflows.definitions.stored_rules import condition_from

APPROVAL, WAIT, PART = "approval", "wait", "workflow"
MOST_BLOCKS, MOST_APPROVERS, MOST_CONDITIONS, MOST_CORRECTED = 12, 3, 2, 10
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
LONGEST_NAME = 40  # characters; it is part of the names of the state machine and its executions
# Kinds of blocks: the name of the engine's step action → its label on the page.
KINDS: Mapping[str, str] = {
    APPROVAL: Phrase("Ask for approval"),
    "mail": Phrase("Send an email"),
    "mail_sender": Phrase("Email the sender"),
    "event": Phrase("Send an event"),
    "webhook": Phrase("Call a webhook"),
    "tag": Phrase("Set a tag"),
    "attribute": Phrase("Set an attribute"),
    WAIT: Phrase("Wait"),
    PART: Phrase("Run another workflow"),
}
MAY_ASK = (APPROVAL, PART)  # skipped only if a condition is known not to hold
# An approval is skipped only if a condition is known not to hold: a field that was not found asks a person.
OPPOSITES: Mapping[Operator, Operator] = {
    Operator.EQ: Operator.NE,
    Operator.NE: Operator.EQ,
    Operator.GT: Operator.LE,
    Operator.LE: Operator.GT,
    Operator.GE: Operator.LT,
    Operator.LT: Operator.GE,
}
NOT = "not_"  # before the number of a condition: the outcome of a choice if it is known not to hold
BETWEEN = " · "  # between a block's name and the version that it runs
_TELL = "tell_rejected"
_NOTIFIES = ("mail", "mail_sender", "event", "webhook")
_CHOICE_MINUTES, _ACTION_MINUTES, _RETRIES = 60, 24 * 60, 3


@dataclass(frozen=True)
class Block:
    """One thing that a run does if all ``conditions`` hold; always if there are none.

    ``approvers``: how many different people have to approve. ``queue``: the name of their queue, empty for the run's
    own. ``hours``: how long they have, 0 for the default. A wait has ``hours`` or a date ``field`` in its
    ``parameters``; another workflow has ``definition``, its version's id.
    """

    kind: str
    label: str
    conditions: tuple[Condition, ...] = ()
    approvers: int = 1
    queue: str = ""
    hours: int = 0
    parameters: Mapping[str, str] = field(default_factory=dict)
    corrects: tuple[str, ...] = ()  # paths of the data entries that approvers may correct; of a document, all fields


@dataclass(frozen=True)
class Plan:
    """The input of a composed definition.

    ``graph``, ``summary``: whether the knowledge graph and the document summary are made. ``tell_rejected``: whether
    the sender is notified of a rejection. ``documents``: whether it runs on documents; if not, it runs on the data that
    starts an execution, and the other three do not apply.
    """

    description: str = ""
    blocks: tuple[Block, ...] = ()
    graph: bool = True
    summary: bool = True
    tell_rejected: bool = False
    documents: bool = True

    @property
    def fields(self) -> list[str]:
        """Return the names of the fields that its conditions and waits read, each once."""
        read = (one.key for block in self.blocks for one in block.conditions if one.source == Source.FIELD)
        awaited = (block.parameters.get("field", "") for block in self.blocks if block.kind == WAIT)
        return [name for name in dict.fromkeys([*read, *awaited]) if name]

    @property
    def parts(self) -> frozenset[str]:
        """Return the ids of the other workflows' versions whose steps it takes."""
        return frozenset(one.parameters["definition"] for one in self.blocks if one.kind == PART)

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))


def read_plan(text: str | None) -> Plan:
    """Parse what ``to_json`` wrote; an empty plan if there is none."""
    data: dict[str, Any] = json.loads(text or "{}")
    blocks = (
        Block(
            **{
                **one,
                "conditions": tuple(condition_from(each) for each in one["conditions"]),
                "corrects": tuple(one.get("corrects", ())),
            }
        )
        for one in data.pop("blocks", ())
    )
    return Plan(**data, blocks=tuple(blocks))


def compose_definition(
    name: str, version: int, plan: Plan, parts: Mapping[str, Definition] | None = None
) -> Definition:
    """Build the definition of a plan, deterministically. It is a draft until someone activates it.

    ``parts``: id → version, for all ``plan.parts``. Each was published before, so there are no cycles.
    """
    laid = _Steps(plan, parts or {}, first=0 if plan.documents else 1)
    steps = laid.list_steps() if plan.documents else laid.list_own_steps()
    return Definition(name, version, plan.description, tuple(steps), draft=True)


class _Steps:
    """Lays out the steps of a plan: numbers them in order and links transitions to the start of a block."""

    def __init__(self, plan: Plan, parts: Mapping[str, Definition], first: int = 0) -> None:
        """``first``: the order of the first block; by default it follows the analysis and its review."""
        self.plan, self.parts = plan, parts
        analysis = DOCUMENT_ANALYSIS
        self.review = analysis.named("human_review").order
        self.begins = [first or self.review + 1]  # where each block begins, and last, the steps after them
        for block in plan.blocks:
            self.begins.append(self.begins[-1] + self._size(block))
        wanted = {"graph_builder": plan.graph, "document_summarizer": plan.summary}
        self.every = Phrase("every document") if plan.documents else Phrase("every execution")
        self.rest = [step for step in analysis.steps if step.order > self.review and wanted.get(step.name, True)]
        self.rejected = self.begins[-1] + len(self.rest) if plan.tell_rejected and plan.documents else END

    def list_steps(self) -> Iterator[StepDefinition]:
        for step in DOCUMENT_ANALYSIS.steps:
            if step.name == "assess":
                yield replace(step, next={REVIEW_REQUIRED: self.review, "": self.review + 1})
            elif step.order == self.review:
                yield replace(step, next={APPROVE: self.review + 1, "": self.rejected})
            elif step.order < self.review:
                yield step
        yield from self._blocks()
        for order, step in enumerate(self.rest, self.begins[-1]):
            yield replace(step, order=order, next={"": END if step.type == "publish" else order + 1})
        if self.plan.tell_rejected:
            yield StepDefinition(
                self.rejected, _TELL, Phrase("Email the sender"), "notification", {"": END},
                minutes=_ACTION_MINUTES, retries=_RETRIES, does="mail_sender", ends=Outcome.REJECTED,
            )  # fmt: skip

    def list_own_steps(self) -> Iterator[StepDefinition]:
        """Yield the blocks only, and the end of an execution without a document."""
        yield from self._blocks()
        yield StepDefinition(self.begins[-1], "finish", Phrase("Finish"), "finish", {"": END}, minutes=_CHOICE_MINUTES)

    def _blocks(self) -> Iterator[StepDefinition]:
        for block, start, end in zip(self.plan.blocks, self.begins, self.begins[1:], strict=False):
            yield from self._block(block, start, end)

    def _block(self, block: Block, start: int, end: int) -> Iterator[StepDefinition]:
        if block.conditions:
            yield _choice(block, start, end)
            start += 1
        if block.kind == APPROVAL:
            for order in range(start, end):
                yield self._approval(block, order, first=order == start)
        elif block.kind == PART:
            yield from self._part(block, start, end)
        elif block.kind == WAIT:
            yield StepDefinition(
                start, f"{WAIT}_{start}", block.label, "wait", {"": end},
                waits=True, minutes=_CHOICE_MINUTES, retries=2, parameters=tuple(block.parameters.items()),
            )  # fmt: skip
        else:
            kind = "notification" if block.kind in _NOTIFIES else "action"
            yield StepDefinition(
                start, f"{block.kind}_{start}", block.label, kind, {"": end},  # type: ignore[arg-type]
                minutes=_ACTION_MINUTES, retries=_RETRIES, does=block.kind, parameters=tuple(block.parameters.items()),
            )  # fmt: skip

    def _approval(self, block: Block, order: int, *, first: bool) -> StepDefinition:
        why = " and ".join(one.words for one in block.conditions) or self.every
        return StepDefinition(
            order,
            f"{COMPOSED_APPROVAL}{order}",
            block.label if first else f"{block.label}{AGAIN}",
            "approval",
            {APPROVE: order + 1, "": self.rejected},
            minutes=block.hours * 60,
            asks=f"{block.label}{'' if first else ', by one more person'}: {why}",
            another=True,
            queue=block.queue,
            corrects=block.corrects,
        )

    def _part(self, block: Block, start: int, end: int) -> Iterator[StepDefinition]:
        """Yield another workflow's own steps, renumbered: its end ends the block, its rejection rejects this run."""
        taken = _own_steps(self.parts[block.parameters["definition"]])
        orders = {step.order: order for order, step in enumerate(taken, start)}
        orders |= {step.order + 1: end for step in taken[-1:]}
        for step in taken:
            kind = step.name.rpartition("_")[0]
            yield replace(
                step,
                order=orders[step.order],
                name=f"{kind}_{orders[step.order]}",
                label=f"{block.label}: {step.label}",
                asks=f"{block.label}: {step.asks}" if step.asks else "",
                next={outcome: orders.get(to, self.rejected) for outcome, to in step.next.items()},
                part=f"{block.label}{BETWEEN}{block.parameters['definition']}",
            )

    def _size(self, block: Block) -> int:
        own = {APPROVAL: block.approvers}.get(block.kind, 1)
        if block.kind == PART:
            own = len(_own_steps(self.parts[block.parameters["definition"]]))
        return bool(block.conditions) + own


def _own_steps(definition: Definition) -> list[StepDefinition]:
    """Return the composed steps, without the analysis before them and the steps that end every run."""
    if not definition.needs_document:
        return [step for step in definition.steps if step.type != "finish"]
    review = DOCUMENT_ANALYSIS.named("human_review").order
    ends = {step.name for step in DOCUMENT_ANALYSIS.steps if step.order > review} | {_TELL}
    return [step for step in definition.steps if step.order > review and step.name not in ends]


def _choice(block: Block, start: int, end: int) -> StepDefinition:
    if block.kind in MAY_ASK:
        cases = tuple(
            Case(f"{NOT}{i}", (replace(one, operator=OPPOSITES[one.operator]),))
            for i, one in enumerate(block.conditions, 1)
        )
        ways = dict.fromkeys((case.outcome for case in cases), end) | {"": start + 1}
    else:
        cases, ways = (Case("applies", block.conditions),), {"applies": start + 1, "": end}
    return StepDefinition(
        start, f"choice_{start}", f"{block.label}?", "choice", ways, minutes=_CHOICE_MINUTES, retries=2, cases=cases
    )

"""A definition that is composed on a page: what stands between the assessment and the publication, and its steps; pure.

Every document is analysed, assessed and, if the machine is unsure, reviewed, whatever is composed: nothing that a plan
says lets a doubtful value pass without a person. A plan without documents is its blocks, and nothing else.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from workflows.definitions.blueprint import (
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
from workflows.rules.routing import Condition, Operator
from workflows.rules.stored_rules import condition_from

APPROVAL = "approval"
MOST_BLOCKS, MOST_APPROVERS, MOST_CONDITIONS = 12, 3, 2
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
LONGEST_NAME = 40  # characters; the machine's name and that of its executions hold it
# What a block does: its name among the engine's step actions → how the page calls it.
KINDS: Mapping[str, str] = {
    APPROVAL: "Ask for approval",
    "mail": "Send an email",
    "mail_sender": "Email the sender",
    "event": "Send an event",
    "webhook": "Call a webhook",
    "tag": "Set a tag",
    "attribute": "Set an attribute",
}
# An approval is left out only if a condition is known not to hold: a field that was not found asks a person.
OPPOSITES: Mapping[Operator, Operator] = {
    Operator.EQ: Operator.NE,
    Operator.NE: Operator.EQ,
    Operator.GT: Operator.LE,
    Operator.LE: Operator.GT,
    Operator.GE: Operator.LT,
    Operator.LT: Operator.GE,
}
_NOTIFIES = ("mail", "mail_sender", "event", "webhook")
_CHOICE_MINUTES, _ACTION_MINUTES, _RETRIES = 60, 24 * 60, 3


@dataclass(frozen=True)
class Block:
    """One thing that a run does, if all ``conditions`` hold; without any, always.

    ``approvers``: how many people have to approve, each another one; ``queue``: the name of the queue where they find
    it, empty for the run's own; ``hours``: how long they have, 0 for the desk's setting.
    """

    kind: str
    label: str
    conditions: tuple[Condition, ...] = ()
    approvers: int = 1
    queue: str = ""
    hours: int = 0
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """``graph``, ``summary``: whether the knowledge graph and the document summary are made. ``tell_rejected``: whether
    the sender hears of a rejection. ``documents``: whether it runs on them; without, on data that starts an execution,
    and none of the three is asked.
    """

    description: str = ""
    blocks: tuple[Block, ...] = ()
    graph: bool = True
    summary: bool = True
    tell_rejected: bool = False
    documents: bool = True

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))


def read_plan(text: str | None) -> Plan:
    """As ``to_json`` wrote it; an empty plan of none."""
    data: dict[str, Any] = json.loads(text or "{}")
    blocks = (
        Block(**{**one, "conditions": tuple(condition_from(each) for each in one["conditions"])})
        for one in data.pop("blocks", ())
    )
    return Plan(**data, blocks=tuple(blocks))


def compose_definition(name: str, version: int, plan: Plan) -> Definition:
    """The steps of a plan, the same for the same plan; a draft until someone activates it."""
    steps = _Steps(plan).list_steps() if plan.documents else _Steps(plan, first=1).list_own_steps()
    return Definition(name, version, plan.description, tuple(steps), draft=True)


class _Steps:
    """Lays the steps of a plan out: each is numbered as it comes, and ways lead to where a block begins."""

    def __init__(self, plan: Plan, first: int = 0) -> None:
        """``first``: the order of the first block; without, it follows the analysis and its review."""
        self.plan = plan
        analysis = DOCUMENT_ANALYSIS
        self.review = analysis.named("human_review").order
        self.begins = [first or self.review + 1]  # where each block begins, and at last the rest
        for block in plan.blocks:
            self.begins.append(self.begins[-1] + _size(block))
        wanted = {"graph_builder": plan.graph, "document_summarizer": plan.summary}
        self.every = "every document" if plan.documents else "every execution"
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
                self.rejected, "tell_rejected", "Email the sender", "notification", {"": END},
                minutes=_ACTION_MINUTES, retries=_RETRIES, does="mail_sender", ends=Outcome.REJECTED,
            )  # fmt: skip

    def list_own_steps(self) -> Iterator[StepDefinition]:
        """The blocks alone, and the end of an execution without a document."""
        yield from self._blocks()
        yield StepDefinition(self.begins[-1], "finish", "Finish", "finish", {"": END}, minutes=_CHOICE_MINUTES)

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
            block.label if first else f"{block.label}, again",
            "approval",
            {APPROVE: order + 1, "": self.rejected},
            minutes=block.hours * 60,
            asks=f"{block.label}{'' if first else ', by one more person'}: {why}",
            another=True,
            queue=block.queue,
        )


def _size(block: Block) -> int:
    return bool(block.conditions) + (block.approvers if block.kind == APPROVAL else 1)


def _choice(block: Block, start: int, end: int) -> StepDefinition:
    if block.kind == APPROVAL:
        cases = tuple(
            Case(f"not_{i}", (replace(one, operator=OPPOSITES[one.operator]),))
            for i, one in enumerate(block.conditions, 1)
        )
        ways = dict.fromkeys((case.outcome for case in cases), end) | {"": start + 1}
    else:
        cases, ways = (Case("applies", block.conditions),), {"applies": start + 1, "": end}
    return StepDefinition(
        start, f"choice_{start}", f"{block.label}?", "choice", ways, minutes=_CHOICE_MINUTES, retries=2, cases=cases
    )

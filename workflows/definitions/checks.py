"""Validation of definitions before a version is published. Pure functions."""

from collections.abc import Callable, Iterator, Mapping

from config.phrase import Phrase
from workflows.definitions.blueprint import (
    APPROVE,
    COMPOSED_APPROVAL,
    END,
    REVIEW_REQUIRED,
    ROUTED,
    Definition,
    StepDefinition,
    is_approval,
)
from workflows.definitions.rules import KNOWN, Source, When, is_comparable

_ASKED = (Source.FIELD, Source.CONTENT_TYPE)  # what a choice can read; only rules look up text and barcodes
MOST_STEPS = 90  # they are published in one transaction of at most 100 rows
_COMPARED = ("GT", "GE", "LT", "LE")


def definition_problems(definition: Definition) -> list[str]:
    """List the problems as sentences for the author; empty if the definition can be published."""
    orders = [step.order for step in definition.steps]
    if orders != list(range(1, len(orders) + 1)):
        return [Phrase("Steps must be numbered 1, 2, 3 … in order.")]
    if len({step.name for step in definition.steps}) < len(orders):
        return [Phrase("Two steps have the same name.")]
    if len(orders) > MOST_STEPS:
        return [
            Phrase("The workflow has %(steps)s steps, with those of the workflows in it. Use at most %(most)s.").fill(
                steps=len(orders), most=MOST_STEPS
            )
        ]
    found = [problem for step in definition.steps for problem in _of_step(step, len(orders))]
    found += _of_subject(definition)
    return found or [*_unreached_steps(definition), *_find_circles(definition), *_find_gaps(definition)]


def _of_step(step: StepDefinition, last: int) -> Iterator[str]:
    if not step.next or not all(order == END or 1 <= order <= last for order in step.next.values()):
        yield Phrase("%(step)s leads to a step that does not exist.").fill(step=step.name)
    if "" not in step.next:
        yield Phrase("%(step)s has no default outcome.").fill(step=step.name)
    if step.type == "approval" and APPROVE not in step.next:
        yield Phrase("%(step)s has no next step after approval.").fill(step=step.name)
    if is_approval(step.name) != (step.type == "approval"):
        yield Phrase("%(step)s: approvals, and nothing else, have names that begin with %(beginning)s.").fill(
            step=step.name, beginning=COMPOSED_APPROVAL
        )
    if step.type in ("notification", "action") and not step.does:
        yield Phrase("%(step)s does nothing.").fill(step=step.name)
    if step.type == "finish" and set(step.next.values()) != {END}:
        yield Phrase("%(step)s must be the last step.").fill(step=step.name)
    if step.type in ("stage", "choice", "wait") and END in step.next.values():
        yield Phrase("%(step)s cannot be the last step because it sets no outcome.").fill(step=step.name)
    if step.type in ("notification", "action") and (END in step.next.values()) != (step.ends is not None):
        yield Phrase("%(step)s must set the outcome if, and only if, it is the last step.").fill(step=step.name)
    if step.type in _OF_TYPE:
        yield from _OF_TYPE[step.type](step)


def _of_subject(definition: Definition) -> Iterator[str]:
    """Check that no step needs a document if the definition runs without one."""
    if not definition.needs_document:
        for step in definition.steps:
            if step.needs_document:
                yield Phrase("%(step)s needs a document. Remove it, or create a workflow that runs on documents.").fill(
                    step=step.label
                )


def _of_choice(step: StepDefinition) -> Iterator[str]:
    named = {case.outcome for case in step.cases}
    if named != set(step.next) - {""} or len(named) < len(step.cases):
        yield Phrase("%(step)s has cases without a next step, or outcomes without a case.").fill(step=step.name)
    for one in (condition for case in step.cases for condition in case.conditions):
        if one.source not in _ASKED or one.source not in KNOWN[When.ANALYSIS]:
            yield Phrase("%(step)s uses a value that is not available: %(value)s.").fill(
                step=step.name, value=one.words
            )
        if one.operator in _COMPARED and not is_comparable(one.value):
            yield Phrase("%(step)s compares with a value that is not a number or date: %(value)s.").fill(
                step=step.name, value=one.words
            )


def _of_wait(step: StepDefinition) -> Iterator[str]:
    if not step.waits:
        yield Phrase("%(step)s cannot be ordered again when its time has come.").fill(step=step.name)
    if set(dict(step.parameters)) not in ({"hours"}, {"field"}):
        yield Phrase("%(step)s: enter the hours to wait, or the date field to wait for.").fill(step=step.label)


_OF_TYPE: Mapping[str, Callable[[StepDefinition], Iterator[str]]] = {"choice": _of_choice, "wait": _of_wait}


def _unreached_steps(definition: Definition) -> Iterator[str]:
    seen, left = set(), [definition.steps[0].order]
    while left:
        order = left.pop()
        if order != END and order not in seen:
            seen.add(order)
            left += definition.step(order).next.values()
    for step in definition.steps:
        if step.order not in seen:
            yield Phrase("No step leads to %(step)s.").fill(step=step.name)


def _find_circles(definition: Definition) -> Iterator[str]:
    """Find loops. A run leaves a step once: transitions, reviews and repairs are keyed by the step's number."""
    for step in definition.steps:
        back = sorted(order for order in step.next.values() if order != END and order <= step.order)
        if back:
            yield Phrase("%(step)s leads back to step %(other)s. Start a new run instead.").fill(
                step=step.name, other=back[0]
            )


def _find_gaps(definition: Definition) -> Iterator[str]:
    """Find paths on which a result below the review threshold would skip the review."""
    for step in definition.steps:
        if step.name == ROUTED and (
            REVIEW_REQUIRED not in step.next or definition.step(step.next[REVIEW_REQUIRED]).type != "approval"
        ):
            yield Phrase("What needs a review must lead to an approval.")

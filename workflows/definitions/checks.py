"""Whether a definition can be run: what is looked at before a version is published; pure."""

from collections.abc import Iterator

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
from workflows.rules.routing import KNOWN, Source, When, is_comparable

_ASKED = (Source.FIELD, Source.CONTENT_TYPE)  # what a choice knows; texts and barcodes are the rules' to look up
_COMPARED = ("GT", "GE", "LT", "LE")


def definition_problems(definition: Definition) -> list[str]:
    """Sentences for who wrote it; empty if it can be published."""
    orders = [step.order for step in definition.steps]
    if orders != list(range(1, len(orders) + 1)):
        return ["Steps must be numbered 1, 2, 3 … in order."]
    if len({step.name for step in definition.steps}) < len(orders):
        return ["Two steps have the same name."]
    found = [problem for step in definition.steps for problem in _of_step(step, len(orders))]
    found += _of_subject(definition)
    return found or [*_unreached_steps(definition), *_find_circles(definition), *_find_gaps(definition)]


def _of_step(step: StepDefinition, last: int) -> Iterator[str]:
    if not step.next or not all(order == END or 1 <= order <= last for order in step.next.values()):
        yield f"{step.name} leads to a step that does not exist."
    if "" not in step.next:
        yield f"{step.name} has no default outcome."
    if step.type == "approval" and APPROVE not in step.next:
        yield f"{step.name} has no next step after approval."
    if is_approval(step.name) != (step.type == "approval"):
        yield f"{step.name}: approvals, and nothing else, have names that begin with {COMPOSED_APPROVAL}."
    if step.type in ("notification", "action") and not step.does:
        yield f"{step.name} does nothing."
    if step.type == "finish" and set(step.next.values()) != {END}:
        yield f"{step.name} must be the last step."
    if step.type in ("stage", "choice") and END in step.next.values():
        yield f"{step.name} cannot be the last step because it sets no outcome."
    if step.type in ("notification", "action") and (END in step.next.values()) != (step.ends is not None):
        yield f"{step.name} must set the outcome if, and only if, it is the last step."
    if step.type == "choice":
        yield from _of_choice(step)


def _of_subject(definition: Definition) -> Iterator[str]:
    """An execution that finishes without a result has no document to work on."""
    if not definition.needs_document:
        for step in definition.steps:
            if step.needs_document:
                yield f"{step.label} needs a document. Remove it, or create a workflow that runs on documents."


def _of_choice(step: StepDefinition) -> Iterator[str]:
    named = {case.outcome for case in step.cases}
    if named != set(step.next) - {""} or len(named) < len(step.cases):
        yield f"{step.name} has cases without a next step, or outcomes without a case."
    for one in (condition for case in step.cases for condition in case.conditions):
        if one.source not in _ASKED or one.source not in KNOWN[When.ANALYSIS]:
            yield f"{step.name} uses a value that is not available: {one.words}."
        if one.operator in _COMPARED and not is_comparable(one.value):
            yield f"{step.name} compares with a value that is not a number or date: {one.words}."


def _unreached_steps(definition: Definition) -> Iterator[str]:
    seen, left = set(), [definition.steps[0].order]
    while left:
        order = left.pop()
        if order != END and order not in seen:
            seen.add(order)
            left += definition.step(order).next.values()
    for step in definition.steps:
        if step.order not in seen:
            yield f"No step leads to {step.name}."


def _find_circles(definition: Definition) -> Iterator[str]:
    """A run leaves a step once: its transitions, reviews and repairs go by the step's number."""
    for step in definition.steps:
        back = sorted(order for order in step.next.values() if order != END and order <= step.order)
        if back:
            yield f"{step.name} leads back to step {back[0]}. Start a new run instead."


def _find_gaps(definition: Definition) -> Iterator[str]:
    """What the machine is unsure of goes to a person, whatever a definition does besides."""
    for step in definition.steps:
        if step.name == ROUTED and (
            REVIEW_REQUIRED not in step.next or definition.step(step.next[REVIEW_REQUIRED]).type != "approval"
        ):
            yield "What needs a review must lead to an approval."

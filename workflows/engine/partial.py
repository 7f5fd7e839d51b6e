"""The end of a run with failed pages: it becomes partial after the assessment."""

from collections.abc import Mapping, Sequence
from typing import Any

from pynamodb.expressions.update import Action

from config.phrase import count_sentence
from workflows.engine.step_work import StepWork, hand_on
from workflows.runs import events
from workflows.runs.actions.advance import Advance
from workflows.runs.items import END, Outcome
from workflows.stages.slices import name_pages

SHOWN = 10  # pages listed in a sentence


def end_partial(work: StepWork, facts: Mapping[str, Any], pinned: Sequence[Action]) -> Mapping[str, Any]:
    """End the run as partial, without review or publication; a person decides how it continues.

    Raises: Conflict if someone else was first.
    """
    missing = sorted(int(index) for index in work.execution.failed or ())
    sentence = count_sentence(
        "%(count)s of %(total)s pages failed: page %(pages)s.",
        "%(count)s of %(total)s pages failed: pages %(pages)s.",
        len(missing),
        total=facts.get("pages", 0),
        pages=name_pages(missing, SHOWN),
    )
    move = Advance(
        work.step,
        END,
        work.order.attempt,
        result=Outcome.PARTIAL,
        reason=sentence,
        outcome=Outcome.PARTIAL,
        facts=facts,
        pinned=pinned,
        execution=work.execution,
    )
    detail = {"step": work.step.name, "error": "Partial", "reason": sentence, "outcome": Outcome.PARTIAL.value}
    event = events.lineage(work.run, "PARTIAL", facts={"reason": sentence}, bus_type=events.FAILED, bus_detail=detail)
    return hand_on(work, move, event=event)

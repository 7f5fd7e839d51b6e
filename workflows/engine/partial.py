"""A run of which pages failed ends as partial, after assess."""

from collections.abc import Mapping, Sequence
from typing import Any

from pynamodb.expressions.update import Action

from workflows.engine.step_work import StepWork, hand_on
from workflows.runs import events
from workflows.runs.actions.advance import Advance
from workflows.runs.items import END, Outcome

PARTIAL_AT = "assess"  # the last step before a person is asked or something is published
SHOWN = 10  # pages that a sentence names


def end_partial(work: StepWork, facts: Mapping[str, Any], pinned: Sequence[Action]) -> Mapping[str, Any]:
    """Pages failed: no one is asked and nothing is published; a person says how it goes on.

    Raises: Conflict if someone else was first.
    """
    missing = sorted(int(index) for index in work.execution.failed or ())
    named = ", ".join(str(index + 1) for index in missing[:SHOWN]) + (" and more" if len(missing) > SHOWN else "")
    sentence = (
        f"{len(missing)} of {facts.get('pages', 0)} pages failed: {'page' if len(missing) == 1 else 'pages'} {named}."
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

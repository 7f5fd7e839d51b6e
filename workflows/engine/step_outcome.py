"""Leaving a step: the write that advances the run, and the stored answer for redeliveries."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from pynamodb.expressions.update import Action

from config import clock
from config.errors import StaleAttempt
from workflows.definitions import states
from workflows.definitions.blueprint import REVIEW_REQUIRED, StepDefinition
from workflows.engine import actions
from workflows.engine.partial import end_partial
from workflows.engine.step_work import Busy, StepOrder, StepOutcome, StepWork, hand_on
from workflows.runs import events, prices, queries
from workflows.runs.actions import spending
from workflows.runs.actions.advance import Advance
from workflows.runs.items import END, PARTIAL_AT, DocumentWorkflow, Execution, Run, RunStatus, StepStatus
from workflows.runs.preprocess import take_crawl_request
from workflows.stages.base import StageResult


def earlier_answer(order: StepOrder) -> Mapping[str, Any]:
    """Return the stored answer of a step that was advanced already, for a redelivered message.

    Raises:
        Busy: another worker does it.
        StaleAttempt: a newer attempt drives the run, or it ended elsewhere.

    """
    execution = queries.execution(order.run)
    if int(execution.engine_attempt) > order.attempt:
        raise StaleAttempt("A newer attempt has taken over this run.")
    here = int(execution.currentStep) == order.step and execution.status == RunStatus.RUNNING
    if here:
        until = clock.parse(execution.lease_until) if execution.lease_until else clock.now()
        raise Busy(max(1.0, (until - clock.now()).total_seconds()))
    done = queries.transition_from(order.run, order.step)
    if done is None:
        raise StaleAttempt("The run has moved on without this step.")
    to = int(done.toStep)
    return {"next": to, "last": str(done.SK).rsplit("#", 1)[-1], **mark_passed(execution, to), **_facts_of(done.data)}


def mark_passed(execution: Execution, to: int) -> dict[str, bool]:
    """Mark the answer of a redelivered step if what follows was ordered: nobody has to be notified."""
    handed = execution.handed is not None and execution.handed == execution.last_transition
    return {states.PASSED: True} if handed or int(execution.currentStep) != to else {}


def _facts_of(data: object) -> dict[str, Any]:
    facts = dict(data.as_dict()) if data is not None else {}  # type: ignore[attr-defined]
    facts.pop("used", None)  # nothing continues with it
    return facts


def conclude(work: StepWork, result: StageResult) -> Mapping[str, Any]:
    """Advance the run out of a step with its stage's result. Raises: Conflict if someone else was first."""
    request, facts = take_crawl_request(result.facts)
    facts |= {"failed_segments": len(result.failed)} if result.failed else {}
    pinned: list[Action] = []
    if "result_sha256" in facts:
        pinned.append(Execution.result_sha256.set(facts["result_sha256"]))
    if "routing_sha256" in facts:
        pinned.append(Execution.routing_sha256.set(facts["routing_sha256"]))
    if isinstance(count := facts.get("segment_count"), int):
        pinned.append(Execution.pages.set(count))
    if result.failed:
        pinned.append(Execution.failed.add(set(result.failed)))
    if work.step.name == PARTIAL_AT and work.execution.failed:
        return end_partial(work, facts, pinned)
    used = prices.add_prices(result.used)
    move = Advance(
        work.step,
        work.after(REVIEW_REQUIRED if facts.get(REVIEW_REQUIRED) else ""),
        work.order.attempt,
        result=result.status,
        status=StepStatus(result.status),
        reason=result.reason,
        facts=facts,
        pinned=pinned,
        used=used,
        link=_count_segments(work.step, facts),
        request=request,
        execution=work.execution,
    )
    return hand_on(work, move, also=spending.of_step(work.run, used))


def leave(work: StepWork, left: StepOutcome) -> Mapping[str, Any]:
    """Advance the run out of a step that is not a stage; if it is the last one, the run ends as the step says.

    Raises: Conflict if someone else was first.
    """
    step = work.step
    to = work.after(left.outcome)
    ends = step.ends if to == END else None
    move = Advance(
        step, to, work.order.attempt, result=left.result, reason=left.reason, outcome=ends, facts=left.facts,
        execution=work.execution,
    )  # fmt: skip
    bus_type, detail = left.bus_type or None, left.bus_detail
    if ends:
        bus_type, detail = events.FAILED, {"outcome": ends.value, "step": step.name, "error": ends.value.capitalize()}
    kind = f"{step.name.upper()}_COMPLETED"
    facts = {**left.facts, "reason": left.reason}
    event = events.lineage(work.run, kind, by=events.SYSTEM, facts=facts, bus_type=bus_type, bus_detail=detail)
    return hand_on(work, move, event=event)


def _count_segments(step: StepDefinition, facts: Mapping[str, Any]) -> list[Action]:
    """Set the number of segments, whose rows were written before this advance."""
    if step.name != "segment_builder":
        return []
    return [DocumentWorkflow.data["total_segments"].set(int(facts.get("segment_count", 0)))]


def heartbeat(run: Run, owner: str, keep: Callable[[], None]) -> Callable[[], None]:
    """Return a rate-limited heartbeat that renews the lease and the message's visibility."""

    def beat() -> None:
        actions.renew_step(run, owner=owner)
        keep()

    return seldom(beat)


def seldom(beat: Callable[[], None]) -> Callable[[], None]:
    """Return ``beat``, called at most every third of a lease's length."""
    due = time.monotonic() + settings.STEP_LEASE_SECONDS / 3

    def beat_seldom() -> None:
        nonlocal due
        if time.monotonic() >= due:
            beat()
            due = time.monotonic() + settings.STEP_LEASE_SECONDS / 3

    return beat_seldom

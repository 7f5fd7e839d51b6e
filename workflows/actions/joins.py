"""The slices of a stage meet: each counts itself once, whatever is delivered twice."""

from decimal import Decimal
from typing import Any

from django.conf import settings
from pynamodb.expressions.update import Action

from config import clock, table
from config.errors import Conflict, NotFound
from config.item import Item
from config.table import Key
from config.transaction import NEW
from workflows import tokens
from workflows.frozen import Run
from workflows.items.joins import Join
from workflows.stages.base import SliceResult


def join_key(run: Run, stage: str, attempt: int) -> Key:
    return table.JOIN.key(run.site, workflow_id=run.workflow_id, stage=stage, attempt=attempt)


def begin(
    run: Run, stage: str, *, step: int, attempt: int, slices: int, planned: int, token: str | None
) -> bool:  # fmt: skip
    """The join that the slices are to meet at; False where it is there already, since the order came twice."""
    now = clock.iso(clock.now())
    due = table.due(table.JOIN, _next_look(), workflow_id=run.workflow_id)
    actions: list[Action] = [
        Join.project_id.set(run.project_id),
        Join.document_id.set(run.document_id),
        Join.workflow_id.set(run.workflow_id),
        Join.step.set(step),
        Join.attempt.set(attempt),
        Join.slices.set(slices),
        Join.planned.set(planned),
        Join.counts.set({}),
        Join.seen.set(0),
        Join.stalls.set(0),
        Join.created_at.set(now),
        Join.GSI2PK.set(due["GSI2PK"]),
        Join.GSI2SK.set(due["GSI2SK"]),
    ]
    if token:
        actions += tokens.attributes(token, attempt=attempt, entered=now)
    try:
        Join.change(join_key(run, stage, attempt), actions, NEW)
    except Conflict:
        return False
    return True


def count(key: Key, number: int, result: SliceResult) -> Join:
    """Count a slice as done, with what failed in it; of one that was counted before, the join as it is.

    Raises: NotFound, where the run was purged.
    """
    actions: list[Action] = [Join.done.add({number})]
    if result.failed:
        actions += [
            Join.failed.add(set(result.failed)),
            Join.error.set(Join.error | next(iter(result.failed.values()))),
        ]
    for name, amount in result.counts.items():
        actions.append(Join.counts[name].set((Join.counts[name] | 0) + _number(amount)))
    try:
        return Join.change(key, actions, Item.PK.exists() & ~Join.done.contains(number))
    except Conflict:
        return Join.load(key)


def _number(amount: float) -> Any:
    return int(amount) if float(amount).is_integer() else float(Decimal(str(amount)))


def wait(key: Key, *, until: str) -> None:
    """A service did not answer a slice, which comes back by itself. Raises: Conflict, where the join is gone."""
    Join.change(key, [Join.waits_until.set(until)], Item.PK.exists())


def load(run: Run, stage: str, attempt: int) -> Join | None:
    try:
        return Join.load(join_key(run, stage, attempt))
    except NotFound:
        return None


def is_complete(join: Join) -> bool:
    return len(join.done or ()) >= int(join.slices)


def look_again(join: Join, *, stalls: int) -> None:
    """The sweeper has looked: the next look, and what was done by now. Raises: Conflict, where another has looked."""
    due = table.due(table.JOIN, _next_look(), workflow_id=join.workflow_id)
    actions = [Join.GSI2SK.set(due["GSI2SK"]), Join.seen.set(len(join.done or ())), Join.stalls.set(stalls)]
    Join.change(join.key, actions, Join.GSI2SK == join.GSI2SK)


def close(join: Join) -> None:
    """Nothing is under way here any more: out of the due index, and one day out of the table."""
    kept_until = int(clock.in_seconds(settings.JOIN_KEPT_SECONDS).timestamp())
    actions = [Join.GSI2PK.remove(), Join.GSI2SK.remove(), Join.TimeToLive.set(kept_until)]
    Join.change(join.key, actions, Join.GSI2SK == join.GSI2SK)


def _next_look() -> str:
    return clock.iso(clock.in_seconds(settings.JOIN_CHECK_SECONDS))

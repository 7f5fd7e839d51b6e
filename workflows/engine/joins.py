"""The join of a fan-out: each slice is counted once, whatever is redelivered, and its lane takes the next one."""

from contextlib import suppress
from decimal import Decimal
from typing import Any

from django.conf import settings
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock, table
from config.due import actions as due_work
from config.errors import Conflict, NotFound
from config.item import Item
from config.table import Key
from config.transaction import NEW
from workflows.engine import tokens
from workflows.runs.items import Join, Run
from workflows.stages.base import SliceResult


def join_key(run: Run, stage: str, attempt: int) -> Key:
    return table.JOIN.key(run.site, workflow_id=run.workflow_id, stage=stage, attempt=attempt)


def begin(
    run: Run, stage: str, *, step: int, attempt: int, slices: int, planned: int, slots: int, token: str | None
) -> bool:  # fmt: skip
    """Create the join, with the first slices in its lanes.

    Return False if it exists, because the message was redelivered.
    """
    now, width = clock.iso(clock.now()), min(slots, slices)
    listed = {}
    if width < slices:  # other fan-outs count those that want more slots
        listed = table.JOIN.gsi1(run.site, workflow_id=run.workflow_id, stage=stage, attempt=attempt)
    actions: list[Action] = [
        Join.project_id.set(run.project_id),
        Join.document_id.set(run.document_id),
        Join.workflow_id.set(run.workflow_id),
        Join.step.set(step),
        Join.attempt.set(attempt),
        Join.slices.set(slices),
        Join.planned.set(planned),
        Join.sent.set(width),
        Join.lanes.set({str(lane): lane for lane in range(width)}),
        Join.counts.set({}),
        Join.seen.set(0),
        Join.stalls.set(0),
        Join.created_at.set(now),
        *due_work.schedule_actions(Join, _next_look(), workflow_id=run.workflow_id),
        *(getattr(Join, name).set(value) for name, value in listed.items()),
    ]
    if token:
        actions += tokens.attributes(token, attempt=attempt, entered=now)
    try:
        Join.change(join_key(run, stage, attempt), actions, NEW)
    except Conflict:
        return False
    return True


def count(join: Join, lane: int, number: int, result: SliceResult, *, slots: int) -> Join:
    """Count a slice as done, with its failures, and let its lane take the next one within ``slots``.

    If it was counted already, return the join unchanged. ``join``: as it was when the work began.

    Raises:
        NotFound: the run was purged.

    """
    counts = _counts(number, result)
    holds: Condition = Join.lanes[str(lane)] == number
    if join.has_more and lane < slots:
        with suppress(Conflict):
            return Join.change(join.key, [*counts, *_next_slice(lane)], holds & (Join.sent < Join.slices))
    rests: list[Action] = [Join.lanes[str(lane)].remove()]
    if lane < slots or not join.has_more:  # the last one was sent: its slots go to others; idempotent
        rests += [Join.GSI1PK.remove(), Join.GSI1SK.remove()]
    try:
        return Join.change(join.key, [*counts, *rests], holds)
    except Conflict:
        return Join.load(join.key)


def take(join: Join, lane: int) -> Join:
    """Take the next slice into a free lane. Raises: Conflict if the lane is taken or no slice is left."""
    free: Condition = Join.lanes[str(lane)].does_not_exist()
    return Join.change(join.key, _next_slice(lane), free & (Join.sent < Join.slices))


def _next_slice(lane: int) -> list[Action]:
    # In an update expression, the right-hand side reads the value before the update.
    return [Join.lanes[str(lane)].set(Join.sent), Join.sent.set(Join.sent + 1)]


def _counts(number: int, result: SliceResult) -> list[Action]:
    actions: list[Action] = [Join.done.add({number})]
    if result.failed:
        actions += [
            Join.failed.add(set(result.failed)),
            Join.error.set(Join.error | next(iter(result.failed.values()))),
        ]
    for name, amount in result.counts.items():
        actions.append(Join.counts[name].set((Join.counts[name] | 0) + _number(amount)))
    return actions


def _number(amount: float) -> Any:
    return int(amount) if float(amount).is_integer() else float(Decimal(str(amount)))


def wait(key: Key, *, until: str) -> None:
    """Record that a service does not answer a slice, which is retried later. Raises: Conflict if the join is gone."""
    Join.change(key, [Join.waits_until.set(until)], Item.PK.exists())


def load(run: Run, stage: str, attempt: int) -> Join | None:
    try:
        return Join.load(join_key(run, stage, attempt))
    except NotFound:
        return None


def is_complete(join: Join) -> bool:
    return len(join.done or ()) >= int(join.slices)


def check_again(join: Join, *, stalls: int) -> None:
    """Schedule the sweeper's next check and store the progress. Raises: Conflict if another sweep did."""
    seen = [Join.seen.set(len(join.done or ())), Join.stalls.set(stalls)]
    due_work.postpone(join, at=_next_look(), also=seen)


def close(join: Join) -> None:
    """Remove a finished join from the indexes, and let it expire by TTL."""
    kept_until = int(clock.in_seconds(settings.JOIN_KEPT_SECONDS).timestamp())
    also = [Join.GSI1PK.remove(), Join.GSI1SK.remove(), Join.TimeToLive.set(kept_until)]
    due_work.finish(join, also=also)


def _next_look() -> str:
    return clock.iso(clock.in_seconds(settings.JOIN_CHECK_SECONDS))

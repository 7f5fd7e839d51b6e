"""Writes of batches, including the concurrency slots: a lane takes the next line and returns its slot when it is done.

A slot and its line are taken in one write of the batch's row, so a worker that dies leaves them visible to the sweeper.
There is no audit event for each line: a document has its own lineage, and a failed line has a row with the reason.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from django.conf import settings
from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition, size
from pynamodb.expressions.update import Action

from config import clock, table
from config.due import actions as due_work
from config.errors import Conflict, Refused
from config.phrase import Phrase, Sentence
from config.table import Key
from config.transaction import Change, Delete, Put, Update, transact
from projects.audit.events import Actor, entity_event
from workflows.batches.items import (
    HALTED,
    RETRIABLE,
    UNDER_WAY,
    ActiveBatch,
    Batch,
    BatchLine,
    BatchStatus,
    LineOutcome,
)
from workflows.runs import events
from workflows.runs.items import DocumentEvent

MACHINE = Actor("batches", Phrase("Batches"))
_SHORT = 300  # characters of a sentence
_DEADLY = Sentence(
    "The manifest could not be read after %(tries)s attempts. Split it and create a batch for each part."
)
UNEXPECTED = Phrase(
    "An unexpected error stopped this batch before its first line. Its files are still in the bucket. Retry; if it "
    "fails again, ask an administrator to check the log."
)
_GONE_ON = Phrase("The batch has changed. Nothing was changed; reload the page.")


@dataclass(frozen=True)
class BatchDraft:
    """The input of a new batch.

    ``manifest`` is the object's key. ``percent`` is the share of all lines that may fail before no more are started.
    """

    name: str
    project_id: str
    project_name: str
    manifest: str
    form: str
    slots: int
    percent: int


def key_of(site: str, batch_id: str) -> Key:
    return table.BATCH.key(site, batch_id=batch_id)


def next_look() -> str:
    return clock.iso(clock.in_seconds(settings.BATCH_CHECK_SECONDS))


def create_batch(site: str, draft: BatchDraft, *, by: Actor, batch_id: str) -> Batch:
    """Create a batch. Raises: Conflict if the form was sent twice and the batch exists."""
    now = clock.iso(clock.now())
    key, index = key_of(site, batch_id), table.BATCH.gsi1(site, batch_id=batch_id)
    batch = Batch(
        key.pk,
        key.sk,
        **index,
        **Batch.due_keys(next_look(), batch_id=batch_id),
        name=draft.name,
        status=BatchStatus.READING,
        project_id=draft.project_id,
        project_name=draft.project_name,
        manifest=draft.manifest,
        form=draft.form,
        lanes={},
        slots=draft.slots,
        share=draft.slots,
        percent=draft.percent,
        userId=by.id,
        user_name=by.name,
        created_at=now,
        updated_at=now,
    )
    payload = {"name": draft.name, "project": draft.project_id, "slots": draft.slots}
    transact([Put(batch)], entity_event(site, "batch", batch_id, "created", by=by, payload=payload))
    return batch


def change_slots(site: str, batch: Batch, slots: int, *, by: Actor) -> None:
    """Change the concurrency limit. Raises: Refused, Conflict.

    A higher limit takes effect at once, a lower one as current lines finish.
    """
    if not 1 <= slots <= settings.BATCH_MOST_SLOTS:
        raise Refused(
            gettext("The concurrency limit must be from 1 to %(batch_most_slots)s.")
            % {"batch_most_slots": settings.BATCH_MOST_SLOTS}
        )
    _move(site, batch, "slots changed", [Batch.slots.set(slots)], by=by, when=UNDER_WAY, payload={"slots": slots})


def cancel_batch(site: str, batch: Batch, *, by: Actor) -> None:
    """Start no more lines; current runs continue and are counted. Raises: Conflict."""
    left = int(batch.planned) - int(batch.taken) if int(batch.attempt) > 1 else 0
    actions = [Batch.status.set(BatchStatus.CANCELLED), Batch.failed.set(Batch.failed + left)]
    _move(site, batch, "cancelled", actions, by=by, when=UNDER_WAY, also=[_release_share(site, batch)])


def go_on(site: str, batch: Batch, *, by: Actor) -> None:
    """Start the remaining lines of a batch that was cancelled or stopped; failures no longer stop it.

    Raises:
        Refused: no lines remain.
        Conflict: someone else changed the batch first.

    """
    if not batch.has_rest:
        raise Refused(gettext("All lines of this batch were started. There is nothing to continue."))
    status = _where_it_was(batch)
    also = [_take_share(site, batch)] if status == BatchStatus.RUNNING else []
    left = int(batch.planned) - int(batch.taken)
    # ``cancel_batch`` counts the remaining lines of a retry as failed, which is what they were before it.
    again = left if batch.status == BatchStatus.CANCELLED and int(batch.attempt) > 1 else 0
    actions: list[Action] = [
        Batch.status.set(status),
        Batch.allowed.set(int(batch.total)),
        Batch.failed.set(Batch.failed - again),
        *_clear_lease(),
        *_schedule(batch.id),
    ]
    unmoved = Batch.taken == int(batch.taken)
    payload = {"lines": left}
    _move(site, batch, "went on", actions, by=by, when=HALTED, also=also, payload=payload, more=unmoved)


def _where_it_was(batch: Batch) -> BatchStatus:
    if not int(batch.parts):
        return BatchStatus.READING
    return BatchStatus.CHECKING if any(True for _ in batch.missing_parts()) else BatchStatus.RUNNING


def retry_batch(site: str, batch: Batch, *, by: Actor) -> int:
    """Start a new attempt for the failed lines only; a batch that stopped before its first line is read again.

    Return the number of the new attempt.

    Raises: Refused, Conflict.
    """
    if batch.can_be_read_again:
        _read_again(site, batch, by=by)
        return int(batch.attempt)
    if not int(batch.failed):
        raise Refused(gettext("This batch has no failed lines to retry."))
    if batch.at_work:
        raise Refused(gettext("Some of its runs are still in progress. Try again when they have ended."))
    actions: list[Action] = [
        Batch.status.set(BatchStatus.READING),
        Batch.attempt.set(Batch.attempt + 1),
        Batch.failed.set(0),
        Batch.taken.set(0),
        Batch.planned.set(0),
        Batch.parts.set(0),
        Batch.opened.remove(),
        Batch.message.remove(),
        *_clear_lease(),
        *_schedule(batch.id),
    ]
    _move(site, batch, "tried again", actions, by=by, when=RETRIABLE, payload={"lines": int(batch.failed)})
    return int(batch.attempt) + 1


def _read_again(site: str, batch: Batch, *, by: Actor) -> None:
    """Nothing of this attempt has started; the outcomes of earlier attempts stay."""
    actions: list[Action] = [
        Batch.status.set(BatchStatus.READING),
        Batch.failed.set(0),
        Batch.planned.set(0),
        Batch.parts.set(0),
        Batch.opened.remove(),
        Batch.message.remove(),
        Batch.again.remove(),
        *_clear_lease(),
        *_schedule(batch.id),
    ]
    if int(batch.attempt) == 1:
        actions += [Batch.total.set(0), Batch.bad.set(0)]
    _move(site, batch, "tried again", actions, by=by, when=(BatchStatus.REFUSED,))


def record_manifest(site: str, batch: Batch, *, total: int, bad: int, planned: int, parts: int, allowed: int) -> None:
    """Record that the manifest was read and its files are being checked.

    Raises: Conflict if another worker was first.
    """
    actions: list[Action] = [
        Batch.status.set(BatchStatus.CHECKING),
        Batch.total.set(total),
        Batch.bad.set(bad),
        Batch.planned.set(planned),
        Batch.parts.set(parts),
        Batch.allowed.set(allowed),
        *_clear_lease(),
        *_schedule(batch.id),
    ]
    payload = {"lines": total, "bad": bad, "attempt": int(batch.attempt)}
    _move(site, batch, "read", actions, by=MACHINE, when=(BatchStatus.READING,), payload=payload)


def claim_batch(batch: Batch, *, owner: str) -> Batch:
    """Claim the batch to read its manifest. Raises: Conflict as ``due_work.claim``, or if it was read already."""
    return due_work.claim(batch, owner=owner, when=_if_reading(batch))


def renew_batch_lease(batch: Batch) -> None:
    """Renew the lease of the worker that reads the manifest. Raises: Conflict if it was read already."""
    due_work.renew(batch, when=_if_reading(batch))


def give_up(site: str, batch: Batch, *, owner: str) -> None:
    """Refuse a manifest that killed every worker that read it. Raises: Conflict if it is being read, or was read."""
    sentence, unmoved = _DEADLY.fill(tries=int(batch.tries)), due_work.not_begun_since(batch, owner=owner)
    refuse_batch(site, batch, sentence, total=int(batch.total), bad=int(batch.bad), when=unmoved, again=True)


def stop_batch(site: str, batch: Batch) -> None:
    """Stop a batch that kept raising an error before its first line. Raises: Conflict."""
    total, bad = int(batch.total), int(batch.bad)
    refuse_batch(site, batch, UNEXPECTED, total=total, bad=bad, at=BatchStatus(batch.status), again=True)


def refuse_batch(
    site: str, batch: Batch, sentence: str, *, total: int = 0, bad: int = 0, when: Condition | None = None,
    at: BatchStatus = BatchStatus.READING, again: bool = False,
) -> None:  # fmt: skip
    """Refuse the manifest, with a reason. Raises: Conflict.

    ``at`` is the state the batch was in. ``again``: the same manifest may be read again.
    """
    actions: list[Action] = [
        Batch.status.set(BatchStatus.REFUSED),
        Batch.message.set(sentence[:_SHORT]),
        Batch.total.set(total),
        Batch.bad.set(bad),
        Batch.again.set(again),
        *_clear_lease(),
        *due_work.finish_actions(),
    ]
    payload = {"why": sentence[:_SHORT]}
    _move(site, batch, "refused", actions, by=MACHINE, when=(at,), payload=payload, more=when)


def begin_lines(site: str, batch: Batch) -> None:
    """Let lines take slots, now that the files were checked. Raises: Conflict."""
    actions = [Batch.status.set(BatchStatus.RUNNING), *_schedule(batch.id)]
    payload = {"lines": int(batch.planned)}
    also = [_take_share(site, batch)]
    _move(site, batch, "started", actions, by=MACHINE, when=(BatchStatus.CHECKING,), also=also, payload=payload)


def finish_batch(site: str, batch: Batch, status: BatchStatus) -> None:
    """Finish a batch, publish its event and release its share of the slots. Raises: Conflict."""
    counts = batch_summary(batch)
    actions = [Batch.status.set(status), *due_work.finish_actions()]
    settled = Batch.lanes == {}
    event = events.of_batch(site, batch.id, events.BATCH_FINISHED, counts | {"status": status.value})
    done = _move(
        site, batch, status.value, actions, by=MACHINE, when=(BatchStatus.RUNNING,), payload=counts, more=settled,
        also=[_release_share(site, batch)], event=event,
    )  # fmt: skip
    events.publish_soon(done)


def release_slots(batch: Batch) -> None:
    """Finish the due work of a cancelled batch once no lane is in use. Raises: Conflict."""
    due_work.finish(batch, when=(Batch.status == BatchStatus.CANCELLED) & (Batch.lanes == {}))


def batch_summary(batch: Batch) -> dict[str, int | str]:
    names = ("total", "bad", "published", "rejected", "waiting", "unpacked", "failed", "attempt")
    return {"name": str(batch.name), "projectId": batch.project_id} | {one: int(getattr(batch, one)) for one in names}


def _take_share(site: str, batch: Batch) -> Change:
    """Let the batch share the site's slots from now on."""
    key = table.ACTIVE_BATCH.key(site, batch_id=batch.id)
    return Put(
        ActiveBatch(*key, project_id=batch.project_id, created_at=clock.iso(clock.now())), overwrite=True
    )  # fmt: skip


def _release_share(site: str, batch: Batch) -> Change:
    return Delete(table.ACTIVE_BATCH.key(site, batch_id=batch.id))


def _schedule(batch_id: str) -> list[Action]:
    return due_work.schedule_actions(Batch, next_look(), batch_id=batch_id)


def _if_reading(batch: Batch) -> Condition:
    here: Condition = (Batch.status == BatchStatus.READING) & (Batch.attempt == int(batch.attempt))
    return here


def _clear_lease() -> list[Action]:
    """End the lease and reset the number of tries."""
    return [Batch.tries.set(0), *due_work.release_actions()]


def _move(
    site: str, batch: Batch, word: str, actions: Sequence[Action], *, by: Actor, when: Sequence[BatchStatus],
    also: Sequence[Change] = (), payload: Mapping[str, int | str] | None = None, more: Condition | None = None,
    event: events.EventAt | None = None,
) -> DocumentEvent:  # fmt: skip
    """Move the batch out of one of the states ``when``, within the attempt that was read. Raises: Conflict."""
    condition: Condition = Batch.status.is_in(*when) & (Batch.attempt == int(batch.attempt))
    if more is not None:
        condition = condition & more
    changes = [Update(batch.key, [*actions, Batch.updated_at.set(clock.iso(clock.now()))], condition), *also]
    told = entity_event(site, "batch", batch.id, word, by=by, payload=payload or {})
    try:
        written = transact(changes, *([event] if event else []), told)
    except Conflict as error:
        raise Conflict(_GONE_ON, failed=error.failed) from error
    return written[0]  # type: ignore[return-value]  # with ``event``, which is what its caller asks for


_KINDS = 20  # of skipped files; the last archive may add a few more


class Place(NamedTuple):
    """A lane of a batch and the position of its line, counted from 0 within the attempt."""

    site: str
    batch_id: str
    attempt: int
    lane: int
    position: int

    def mark(self) -> str:
        """Return the text by which a run refers to its slot."""
        return f"{self.batch_id}.{self.attempt}.{self.lane}.{self.position}"


def place_of(site: str, mark: str) -> Place:
    """Parse the text that ``Place.mark`` returned.

    >>> place_of("acme", Place("acme", "01H", 1, 3, 17).mark())
    Place(site='acme', batch_id='01H', attempt=1, lane=3, position=17)
    """
    batch_id, *numbers = mark.split(".")
    attempt, lane, position = map(int, numbers)
    return Place(site, batch_id, attempt, lane, position)


def claim_lane(site: str, batch: Batch, lane: int) -> Place | None:
    """Take the next line into a free lane. Return None if no line is left or the lane no longer exists."""
    free: Condition = Batch.lanes[str(lane)].does_not_exist()
    try:
        found = Batch.change(batch.key, _next_line(lane), _may_take(int(batch.attempt), lane) & free)
    except Conflict:
        return None
    return _place(site, found, lane)


def settle_lane(place: Place, became: LineOutcome | None, *, skipped: int = 0) -> tuple[Batch, Place | None]:
    """Count the outcome of a lane's line once and take the next line. The place is None if the lane is free now.

    ``became`` is None for a line that was counted when its file was checked. ``skipped`` is the number of files that
    could not be extracted.

    Raises:
        Conflict: it was settled before.

    """
    key = key_of(place.site, place.batch_id)
    holds: Condition = (Batch.lanes[str(place.lane)] == place.position) & (Batch.attempt == place.attempt)
    counts = [_more(one) for one in ([became] if became else [])]
    if skipped:
        counts.append(Batch.skipped.add(skipped))
    with suppress(Conflict):
        goes_on = _may_take(place.attempt, place.lane, failed=became == LineOutcome.FAILED) & holds
        found = Batch.change(key, [*_next_line(place.lane), *counts], goes_on)
        return found, _place(place.site, found, place.lane)
    return Batch.change(key, [Batch.lanes[str(place.lane)].remove(), *counts], holds), None


def name_skipped(place: Place, kinds: set[str]) -> None:
    """Add the file extensions of skipped files to the batch; best effort, with a limited number of them.

    Their number is counted elsewhere, exactly once.
    """
    few = Batch.skipped_kinds.does_not_exist() | (size(Batch.skipped_kinds) < _KINDS)  # type: ignore[no-untyped-call]
    with suppress(Conflict):
        Batch.change(key_of(place.site, place.batch_id), [Batch.skipped_kinds.add(kinds)], few)


def _more(became: LineOutcome) -> Action:
    number = getattr(Batch, became.value)
    action: Action = number.set(number + 1)
    return action


def _next_line(lane: int) -> list[Action]:
    # In an update expression, the right-hand side reads the value before the update.
    return [Batch.lanes[str(lane)].set(Batch.taken), Batch.taken.set(Batch.taken + 1)]


def _may_take(attempt: int, lane: int, *, failed: bool = False) -> Condition:
    """Return the condition under which a lane may take the next line.

    ``failed``: the same write counts one more failure, which the condition does not see yet.
    """
    tolerated: Condition = Batch.failed < Batch.allowed if failed else Batch.failed <= Batch.allowed
    lines: Condition = (Batch.taken < Batch.planned) & tolerated
    slots: Condition = (Batch.slots > lane) & (Batch.share > lane)
    here: Condition = (Batch.status == BatchStatus.RUNNING) & (Batch.attempt == attempt) & lines & slots
    return here


def _place(site: str, batch: Batch, lane: int) -> Place:
    return Place(site, batch.id, int(batch.attempt), lane, batch.at_work[lane])


def explain_line(
    site: str, batch_id: str, number: int, message: str, *, attempt: int, key: str, name: str = "",
    project_id: str = "", document_id: str = "", again: bool,
) -> BatchLine:  # fmt: skip
    """Build the row of an invalid or failed line. It replaces the row of an earlier attempt."""
    return BatchLine(
        *line_key(site, batch_id, number),
        number=number,
        s3_key=key or None,
        name=name or None,
        project_id=project_id or None,
        document_id=document_id or None,
        message=message[:_SHORT],
        again=again,
        attempt=attempt,
        updated_at=clock.iso(clock.now()),
    )


def store_line(line: BatchLine) -> None:
    transact([Put(line, overwrite=True)])


def delete_line(site: str, batch_id: str, number: int) -> None:
    """Delete the row of a line that failed in an earlier attempt and succeeded now. Idempotent."""
    transact([Delete(line_key(site, batch_id, number))])


def line_key(site: str, batch_id: str, number: int) -> table.Key:
    return table.BATCH_LINE.key(site, batch_id=batch_id, number=number)

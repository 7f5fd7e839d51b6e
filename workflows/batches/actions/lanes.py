"""The slots of a batch: a lane takes the next line, and gives its slot back with what became of it.

A slot and its line are taken in one write of the batch's row, so a worker that dies leaves them where everybody sees
them. No event for each: what happens to a document is in its own lineage, and what fails has a row with the reason.
"""

from contextlib import suppress
from typing import NamedTuple

from pynamodb.expressions.condition import Condition, size
from pynamodb.expressions.update import Action

from config import clock, table
from config.errors import Conflict
from config.transaction import Delete, Put, transact
from workflows.batches.actions import batches
from workflows.batches.items import Batch, BatchLine, BatchStatus, LineOutcome

_KINDS = 20  # of skipped files; with the last archive's a few more
_SHORT = 300  # letters of a sentence


class Place(NamedTuple):
    """A lane of a batch and the line it works on, counted from 0 within the attempt."""

    site: str
    batch_id: str
    attempt: int
    lane: int
    position: int

    def mark(self) -> str:
        """As a run keeps it: whose slot it holds."""
        return f"{self.batch_id}.{self.attempt}.{self.lane}.{self.position}"


def place_of(site: str, mark: str) -> Place:
    """What ``Place.mark`` was made of.

    >>> place_of("acme", Place("acme", "01H", 1, 3, 17).mark())
    Place(site='acme', batch_id='01H', attempt=1, lane=3, position=17)
    """
    batch_id, *numbers = mark.split(".")
    attempt, lane, position = map(int, numbers)
    return Place(site, batch_id, attempt, lane, position)


def claim_lane(site: str, batch: Batch, lane: int) -> Place | None:
    """The next line, into a lane that is free; None if there is no line, or no such lane any more."""
    free: Condition = Batch.lanes[str(lane)].does_not_exist()
    try:
        found = Batch.change(batch.key, _next_line(lane), _may_take(int(batch.attempt), lane) & free)
    except Conflict:
        return None
    return _place(site, found, lane)


def settle_lane(place: Place, became: LineOutcome | None, *, skipped: int = 0) -> tuple[Batch, Place | None]:
    """Count what became of a lane's line, once, and take the next one into the lane; None if it is free now.

    ``became``: None for a line that was counted when its file was looked at. ``skipped``: files that did not come out.

    Raises:
        Conflict: it was settled before.

    """
    key = batches.key_of(place.site, place.batch_id)
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
    """Beside their number, which is counted once: what is lost here is a word. The row has no room for any number."""
    few = Batch.skipped_kinds.does_not_exist() | (size(Batch.skipped_kinds) < _KINDS)  # type: ignore[no-untyped-call]
    with suppress(Conflict):
        Batch.change(batches.key_of(place.site, place.batch_id), [Batch.skipped_kinds.add(kinds)], few)


def _more(became: LineOutcome) -> Action:
    number = getattr(Batch, became.value)
    action: Action = number.set(number + 1)
    return action


def _next_line(lane: int) -> list[Action]:
    # What is right of the equals sign is what was there before.
    return [Batch.lanes[str(lane)].set(Batch.taken), Batch.taken.set(Batch.taken + 1)]


def _may_take(attempt: int, lane: int, *, failed: bool = False) -> Condition:
    """``failed``: the same write counts one more, which the condition does not see yet."""
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
    """The row of a line that is wrong or failed; written over that of an earlier attempt."""
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
    """It failed in an earlier attempt, and no more. Of what is not there, nothing."""
    transact([Delete(line_key(site, batch_id, number))])


def line_key(site: str, batch_id: str, number: int) -> table.Key:
    return table.BATCH_LINE.key(site, batch_id=batch_id, number=number)

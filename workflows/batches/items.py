"""Batches: many files that someone names in one manifest."""

from collections.abc import Iterator
from enum import StrEnum

from pynamodb.attributes import (
    BooleanAttribute,
    NumberAttribute,
    NumberSetAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
)

from config import table
from config.due.items import CountedWork
from config.item import Item, map_attribute


class BatchStatus(StrEnum):
    READING = "reading"  # the manifest, line by line
    CHECKING = "checking"  # the files that it names
    RUNNING = "running"
    FINISHED = "finished"
    STOPPED = "stopped"  # too much failed
    CANCELLED = "cancelled"
    REFUSED = "refused"  # nothing can be made of the manifest


UNDER_WAY = (BatchStatus.READING, BatchStatus.CHECKING, BatchStatus.RUNNING)
RETRIABLE = (BatchStatus.FINISHED, BatchStatus.STOPPED, BatchStatus.CANCELLED)


HALTED = (BatchStatus.STOPPED, BatchStatus.CANCELLED)


class LineOutcome(StrEnum):
    """What becomes of a line; each is a number of the batch."""

    PUBLISHED = "published"
    REJECTED = "rejected"
    WAITING = "waiting"  # handed to a person: no one waits for the decision here
    UNPACKED = "unpacked"  # a mail or an archive: its documents have runs of their own
    FAILED = "failed"


class Batch(CountedWork):
    """Where a batch stands. Access: by id; a site's, the newest first, in GSI1; due for a look in GSI2.

    ``lanes`` holds, for each slot that is taken, which of the attempt's lines it works on; ``taken`` is the next one.
    Taking a slot and a line is one write of this row, so nothing leaks between the two. What changes with every line
    is in no index. ``tries`` and the lease are of who reads the manifest.
    """

    due_entity = table.BATCH
    name = UnicodeAttribute(null=True)  # as the list shows it; absent only in index rows of nothing else
    status = UnicodeAttribute()
    project_id = UnicodeAttribute()
    project_name = UnicodeAttribute(null=True)
    manifest = UnicodeAttribute(null=True)  # the object's key
    form = UnicodeAttribute(null=True)  # csv, json or list
    attempt = NumberAttribute(default=1)
    total = NumberAttribute(default=0)  # lines of the manifest
    bad = NumberAttribute(default=0)  # of these, lines that nothing can be made of as they are
    planned = NumberAttribute(default=0)  # lines that this attempt is about
    parts = NumberAttribute(default=0)
    opened = NumberSetAttribute(null=True)  # parts whose files were looked at
    taken = NumberAttribute(default=0)  # lines that got a slot so far: the position of the next one
    lanes = map_attribute(null=True)
    slots = NumberAttribute(default=1)  # as someone wants
    share = NumberAttribute(default=1)  # as many as the site's other batches leave to it
    percent = NumberAttribute(default=100)  # of all lines that may fail
    allowed = NumberAttribute(default=0)  # the same as a number of lines
    published = NumberAttribute(default=0)
    rejected = NumberAttribute(default=0)
    waiting = NumberAttribute(default=0)
    unpacked = NumberAttribute(default=0)
    failed = NumberAttribute(default=0)
    skipped = NumberAttribute(default=0)  # files that did not come out of what was unpacked
    skipped_kinds = UnicodeSetAttribute(null=True)  # their endings; of many different ones, some
    message = UnicodeAttribute(null=True)
    again = BooleanAttribute(null=True)  # it was refused, and reading it again may help, without another manifest
    userId = UnicodeAttribute(null=True)  # noqa: N815 - seed 002's name
    user_name = UnicodeAttribute(null=True)
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()

    @property
    def id(self) -> str:
        return self.PK.rpartition("#")[2]

    @property
    def at_work(self) -> dict[int, int]:
        """Slot → the line it works on, counted from 0 within the attempt."""
        return {int(lane): int(line) for lane, line in (self.lanes.as_dict() if self.lanes else {}).items()}

    @property
    def width(self) -> int:
        return min(int(self.slots), int(self.share))

    @property
    def done(self) -> int:
        """Lines of all attempts that need nothing more."""
        return sum(int(getattr(self, one.value)) for one in LineOutcome) + int(self.bad)

    @property
    def can_be_read_again(self) -> bool:
        return self.status == BatchStatus.REFUSED and bool(self.again)

    @property
    def has_rest(self) -> bool:
        """It was halted before all of its lines were begun, or before they were read."""
        return self.status in HALTED and (not int(self.parts) or int(self.taken) < int(self.planned))

    def missing_parts(self) -> Iterator[int]:
        opened = {int(part) for part in self.opened or ()}
        return (part for part in range(int(self.parts)) if part not in opened)


class BatchLine(Item):
    """A line that is wrong or failed, and why. ``number``: as people count, from 1."""

    number = NumberAttribute()
    s3_key = UnicodeAttribute(null=True)
    name = UnicodeAttribute(null=True)
    project_id = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)
    message = UnicodeAttribute()
    again = BooleanAttribute(default=False)  # trying it again may help, without another manifest
    attempt = NumberAttribute()
    updated_at = UnicodeAttribute()


class ActiveBatch(Item):
    project_id = UnicodeAttribute()
    created_at = UnicodeAttribute()

    @property
    def id(self) -> str:
        return self.SK.rpartition("#")[2]

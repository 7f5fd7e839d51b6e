"""Rows of batches: the batch itself, and a row for each invalid or failed line."""

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
    CHECKING = "checking"  # the files that it lists
    RUNNING = "running"
    FINISHED = "finished"
    STOPPED = "stopped"  # too many lines failed
    CANCELLED = "cancelled"
    REFUSED = "refused"  # the manifest is invalid


UNDER_WAY = (BatchStatus.READING, BatchStatus.CHECKING, BatchStatus.RUNNING)
RETRIABLE = (BatchStatus.FINISHED, BatchStatus.STOPPED, BatchStatus.CANCELLED)


HALTED = (BatchStatus.STOPPED, BatchStatus.CANCELLED)


class LineOutcome(StrEnum):
    """The outcome of a line; the batch counts each."""

    PUBLISHED = "published"
    REJECTED = "rejected"
    WAITING = "waiting"  # in review; the batch does not wait for the decision
    UNPACKED = "unpacked"  # an email or an archive: its documents have their own runs
    FAILED = "failed"


class Batch(CountedWork):
    """A batch and its progress. Access: by id; a site's batches, newest first, in GSI1; due work in GSI2.

    ``lanes`` maps each taken slot to the line of the attempt that it processes; ``taken`` is the position of the next
    line. A slot and a line are taken in one write of this row, so no slot leaks between two writes. Attributes that
    change with every line are in no index. ``tries`` and the lease belong to the worker that reads the manifest.
    """

    due_entity = table.BATCH
    name = UnicodeAttribute(null=True)  # for the list; absent only in rows read from another index
    status = UnicodeAttribute()
    project_id = UnicodeAttribute()
    project_name = UnicodeAttribute(null=True)
    manifest = UnicodeAttribute(null=True)  # the object's key
    form = UnicodeAttribute(null=True)  # csv, json or list
    attempt = NumberAttribute(default=1)
    total = NumberAttribute(default=0)  # lines of the manifest
    bad = NumberAttribute(default=0)  # of these, invalid lines
    planned = NumberAttribute(default=0)  # lines of this attempt
    parts = NumberAttribute(default=0)
    opened = NumberSetAttribute(null=True)  # parts whose files were checked
    taken = NumberAttribute(default=0)  # lines that have had a slot; the position of the next line
    lanes = map_attribute(null=True)
    slots = NumberAttribute(default=1)  # the requested limit
    share = NumberAttribute(default=1)  # its share beside the site's other batches
    percent = NumberAttribute(default=100)  # percent of all lines that may fail
    allowed = NumberAttribute(default=0)  # the same as a number of lines
    published = NumberAttribute(default=0)
    rejected = NumberAttribute(default=0)
    waiting = NumberAttribute(default=0)
    unpacked = NumberAttribute(default=0)
    failed = NumberAttribute(default=0)
    skipped = NumberAttribute(default=0)  # files that could not be extracted from emails and archives
    skipped_kinds = UnicodeSetAttribute(null=True)  # their extensions, up to a limit
    message = UnicodeAttribute(null=True)
    again = BooleanAttribute(null=True)  # refused, but reading the same manifest again may help
    userId = UnicodeAttribute(null=True)  # noqa: N815 - seed 002's name
    user_name = UnicodeAttribute(null=True)
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()

    @property
    def id(self) -> str:
        return self.PK.rpartition("#")[2]

    @property
    def at_work(self) -> dict[int, int]:
        """Map each slot to the position of its line, counted from 0 within the attempt."""
        return {int(lane): int(line) for lane, line in (self.lanes.as_dict() if self.lanes else {}).items()}

    @property
    def width(self) -> int:
        return min(int(self.slots), int(self.share))

    @property
    def done(self) -> int:
        """Count the lines of all attempts that need nothing more."""
        return sum(int(getattr(self, one.value)) for one in LineOutcome) + int(self.bad)

    @property
    def can_be_read_again(self) -> bool:
        return self.status == BatchStatus.REFUSED and bool(self.again)

    @property
    def has_rest(self) -> bool:
        """Return True if the batch was halted before all of its lines had started, or before they were read."""
        return self.status in HALTED and (not int(self.parts) or int(self.taken) < int(self.planned))

    def missing_parts(self) -> Iterator[int]:
        opened = {int(part) for part in self.opened or ()}
        return (part for part in range(int(self.parts)) if part not in opened)


class BatchLine(Item):
    """A line that is invalid or failed, and why. ``number`` counts from 1."""

    number = NumberAttribute()
    s3_key = UnicodeAttribute(null=True)
    name = UnicodeAttribute(null=True)
    project_id = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)
    message = UnicodeAttribute()
    again = BooleanAttribute(default=False)  # a retry may help, with the same manifest
    attempt = NumberAttribute()
    updated_at = UnicodeAttribute()


class ActiveBatch(Item):
    project_id = UnicodeAttribute()
    created_at = UnicodeAttribute()

    @property
    def id(self) -> str:
        return self.SK.rpartition("#")[2]

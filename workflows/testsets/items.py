"""Rows of test sets: the head and its versions; the cases of a version are an object in S3."""

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config import clock
from config.item import Item

BUILDING, READY, FAILED = "building", "ready", "failed"
LONGEST_SECONDS = 1800  # of the task that adds documents


class StoredTestSet(Item):
    """Access: all of a project, one Query. ``version`` 0 until its first documents are there.

    ``tuning`` and ``held_back``: documents in each half. ``message``: what became of the last order, for its author;
    ``asked_at``: when it was given.
    """

    testset_id = UnicodeAttribute()
    name = UnicodeAttribute()
    status = UnicodeAttribute()
    version = NumberAttribute()
    sha256 = UnicodeAttribute(null=True)
    tuning = NumberAttribute(default=0)
    held_back = NumberAttribute(default=0)
    seed_share = NumberAttribute(default=0)  # 0–1, of the project's reviews that bring one of its documents along
    message = UnicodeAttribute(null=True)
    asked_at = UnicodeAttribute()
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()
    updated_by = UnicodeAttribute()

    @property
    def documents(self) -> int:
        return int(self.tuning) + int(self.held_back)

    @property
    def is_building(self) -> bool:
        return self.status == BUILDING and not self.is_lost

    @property
    def is_lost(self) -> bool:
        """Return True if its worker can no longer be at it: the task's time limit has ended it."""
        return self.status == BUILDING and clock.parse(self.asked_at) < clock.in_seconds(-LONGEST_SECONDS)


class StoredTestSetVersion(Item):
    """Written once. ``sha256``: of the list of its cases."""

    version = NumberAttribute()
    sha256 = UnicodeAttribute()
    tuning = NumberAttribute()
    held_back = NumberAttribute()
    note = UnicodeAttribute(null=True)
    created_at = UnicodeAttribute()
    created_by = UnicodeAttribute()
    user_name = UnicodeAttribute()

    @property
    def documents(self) -> int:
        return int(self.tuning) + int(self.held_back)

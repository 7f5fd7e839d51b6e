"""Rows of test sets: the head and its versions; the cases of a version are an object in S3."""

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config import clock
from config.item import Item

BUILDING, READY, FAILED = "building", "ready", "failed"
LONGEST_SECONDS = 1800  # time limit of the task that adds documents


class StoredTestSet(Item):
    """Access: all of a project, one Query. ``version`` is 0 until it has documents.

    ``tuning`` and ``held_back``: documents in each half. ``message``: the outcome of the last order; ``asked_at``: its
    time.
    """

    testset_id = UnicodeAttribute()
    name = UnicodeAttribute()
    status = UnicodeAttribute()
    version = NumberAttribute()
    sha256 = UnicodeAttribute(null=True)
    tuning = NumberAttribute(default=0)
    held_back = NumberAttribute(default=0)
    seed_share = NumberAttribute(default=0)  # 0–1, share of the project's reviews with a seeded check
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
        """Return True if its worker must be gone: the task's time limit has passed."""
        return self.status == BUILDING and clock.parse(self.asked_at) < clock.in_seconds(-LONGEST_SECONDS)


class StoredTestSetVersion(Item):
    """Immutable. ``sha256``: of the list of its cases."""

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

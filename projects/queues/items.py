"""Items of queues, where documents and reviews wait for certain groups."""

from pynamodb.attributes import ListAttribute, NumberAttribute, UnicodeAttribute

from config.item import Item

DEFAULT_QUEUE = "review"  # of a site whose projects name none; stored with the review, never shown
_CHECKS = "checks."
ACTIVE, ARCHIVED = "active", "archived"


def checks_of(queue: str) -> str:
    """How second reviews of what a queue decided are stored: a list of their own. ``queue``: as a review stores it.

    >>> checks_of(DEFAULT_QUEUE), queue_of_admission(checks_of(DEFAULT_QUEUE)), queue_of_admission(checks_of("01H"))
    ('checks.review', '', '01H')
    """
    return f"{_CHECKS}{queue}"


def is_checks(queue_id: str) -> bool:
    return queue_id.startswith(_CHECKS)


def queue_of_admission(queue_id: str) -> str:
    """The id of the queue whose groups are let into this list; empty for the site's own queue."""
    queue = queue_id.removeprefix(_CHECKS)
    return "" if queue == DEFAULT_QUEUE else queue


class Queue(Item):
    """Seed 002's row with our additions: admitted groups (none: all reviewers), status and version.

    Access: by id; all of a site by name (GSI1, which carries neither groups nor version).
    """

    documentId = UnicodeAttribute(null=True)  # noqa: N815 - the seed's name, as stored; null only in index rows
    name = UnicodeAttribute()
    groups: ListAttribute[str] = ListAttribute(null=True)
    status = UnicodeAttribute(default=ACTIVE)  # a queue of an older writer has none
    version = NumberAttribute(default=0)
    created_by = UnicodeAttribute(null=True)
    updated_by = UnicodeAttribute(null=True)
    created_at = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute(null=True)

    @property
    def id(self) -> str:
        return self.PK.rpartition("#")[2]

    @property
    def is_archived(self) -> bool:
        return self.status == ARCHIVED

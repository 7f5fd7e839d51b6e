"""How many there are: one shard of a counter, changed in the transaction that changes what it counts."""

from pynamodb.attributes import NumberAttribute

from config.item import Item


class Counter(Item):
    """Of a site or a project: documents by status. Of a classification: ``documents``. Of a queue: ``waiting``,
    and ``postponed``, which are not among the waiting.

    Access: all shards of one counter, or all counters of a kind (the partition). A shard may be below zero: the number
    of shards may have grown between a document's coming and its going.
    """

    in_progress = NumberAttribute(null=True)
    waiting = NumberAttribute(null=True)
    published = NumberAttribute(null=True)
    rejected = NumberAttribute(null=True)
    expired = NumberAttribute(null=True)
    failed = NumberAttribute(null=True)
    partial = NumberAttribute(null=True)
    cancelled = NumberAttribute(null=True)
    unpacked = NumberAttribute(null=True)
    documents = NumberAttribute(null=True)
    postponed = NumberAttribute(null=True)

    @property
    def counted(self) -> str:
        return self.SK.split("#")[1]

    @property
    def shard(self) -> int:
        return int(self.SK.split("#")[2])

    @property
    def numbers(self) -> dict[str, int]:
        """What is counted, without what is zero."""
        return {name: int(number) for name in NAMES if (number := getattr(self, name))}


NAMES = (
    "in_progress",
    "waiting",
    "published",
    "rejected",
    "expired",
    "failed",
    "partial",
    "cancelled",
    "unpacked",
    "documents",
    "postponed",
)

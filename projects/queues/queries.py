"""Reads of queues: one Query or one GetItem each."""

from collections.abc import Sequence

from config.errors import NotFound
from config.phrase import Phrase
from config.table import QUEUE, InvalidKey
from projects.queues.items import Queue

MISSING = Phrase("Queue not found.")
MOST = 100  # queues that one choice offers, as many as one BatchGetItem reads


def list_queues(site: str, cursor: str | None = None) -> tuple[Sequence[Queue], str | None]:
    """The site's queues by name, each whole, and the cursor of the next page: one Query and one batch read.

    Raises:
        NotFound: the cursor belongs to another list.

    """
    page = Queue.page(QUEUE.gsi1_partition(site), index="GSI1", cursor=cursor)
    return _whole(page.rows), page.next


def all_queues(site: str) -> Sequence[Queue]:
    """The first hundred by name, archived ones too, without their groups: what a form offers."""
    return Queue.page(QUEUE.gsi1_partition(site), index="GSI1", limit=MOST).rows


def first_queues(site: str) -> Sequence[Queue]:
    """The same with their groups: one call more."""
    return _whole(all_queues(site))


def _whole(rows: Sequence[Queue]) -> list[Queue]:
    found = {queue.key: queue for queue in Queue.load_many([row.key for row in rows])}
    return [found[row.key] for row in rows if row.key in found]


def get_queue(site: str, queue_id: str) -> Queue:
    """A strong read of one queue.

    Raises:
        NotFound: no such queue on this site.

    """
    try:
        return Queue.load(QUEUE.key(site, document_id=queue_id))
    except (NotFound, InvalidKey) as error:
        raise NotFound(MISSING) from error

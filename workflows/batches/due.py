"""What is done with a batch that is due."""

from workflows.batches import orders
from workflows.batches.actions import batches
from workflows.batches.items import Batch


def look_at_batch(site: str, due: Batch) -> None:
    """A worker does it; until its message is taken it is not due again."""
    batches.look_again(due)
    orders.look(site, due.id)

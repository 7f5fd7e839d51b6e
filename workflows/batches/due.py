"""What is done with a batch that is due."""

from config.due import actions as due_work
from config.due.registry import due
from workflows.batches import actions, orders
from workflows.batches.items import Batch


@due("batch", Batch)
def look_at_batch(site: str, row: Batch) -> None:
    """A worker does it; until its message is taken it is not due again."""
    due_work.postpone(row, at=actions.next_look())
    orders.order_drive(site, row.id)

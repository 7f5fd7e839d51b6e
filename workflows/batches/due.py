"""The handler of due batches."""

from config.due import actions as due_work
from config.due.registry import due
from workflows.batches import actions, orders
from workflows.batches.items import Batch


@due("batch", Batch)
def look_at_batch(site: str, row: Batch) -> None:
    """Hand the batch to a worker. It is not due again until the worker has taken the message."""
    due_work.postpone(row, at=actions.next_look())
    orders.order_drive(site, row.id)

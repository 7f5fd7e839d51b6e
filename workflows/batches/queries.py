"""Reads of batches: one call each."""

from collections.abc import Iterator

from django.conf import settings
from django.utils.translation import gettext

from config import table
from config.errors import NotFound
from config.item import Page
from config.table import InvalidKey
from workflows.batches import actions
from workflows.batches.items import ActiveBatch, Batch, BatchLine

_A_REPORT_PAGE = 200


def get_batch(site: str, batch_id: str, *, consistent: bool = True) -> Batch:
    """Raises: NotFound."""
    try:
        return Batch.load(actions.key_of(site, batch_id), consistent=consistent)
    except (NotFound, InvalidKey) as error:
        raise NotFound(gettext("Batch not found.")) from error


def list_batches(site: str, *, cursor: str | None = None) -> Page[Batch]:
    """List the batches of a site, newest first: one Query, and one BatchGetItem for what no index carries."""
    page = Batch.page(table.BATCH.gsi1_partition(site), index="GSI1", newest_first=True, cursor=cursor)
    found = {row.key: row for row in Batch.load_many([row.key for row in page.rows], consistent=False)}
    return Page([found[row.key] for row in page.rows if row.key in found], page.next)


def list_failed_lines(
    site: str, batch_id: str, *, cursor: str | None = None, limit: int = settings.PAGE_SIZE
) -> Page[BatchLine]:
    """List the invalid and failed lines in manifest order."""
    pk = table.BATCH_LINE.partition_key(site, batch_id=batch_id)
    prefix = BatchLine.SK.startswith(table.BATCH_LINE.sort_prefix())
    return BatchLine.page(pk, sk=prefix, cursor=cursor, limit=limit, consistent=True)


def every_line(site: str, batch_id: str) -> Iterator[BatchLine]:
    """Iterate over the invalid and failed lines page by page, for the report and for retries."""
    cursor: str | None = None
    while True:
        page = list_failed_lines(site, batch_id, cursor=cursor, limit=_A_REPORT_PAGE)
        yield from page.rows
        cursor = page.next
        if cursor is None:
            return


def list_active_batches(site: str) -> list[ActiveBatch]:
    """List the batches of a site that use slots, oldest first."""
    pk = table.ACTIVE_BATCH.partition_key(site)
    prefix = ActiveBatch.SK.startswith(table.ACTIVE_BATCH.sort_prefix())
    return list(ActiveBatch.page(pk, sk=prefix, limit=1000, consistent=True).rows)

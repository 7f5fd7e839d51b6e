"""Expiry of a document's closed reviews and checkpoint, after a number of days set by the deployment.

DynamoDB deletes them by TTL. During a legal hold nothing expires: the TTL is parked in ``kept_until`` until the hold is
released.
"""

import datetime as dt
from collections.abc import Iterator
from contextlib import suppress

from django.conf import settings
from pynamodb.attributes import NumberAttribute
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock, table
from config.errors import Conflict
from config.item import Item
from projects.documents.items import Document


class ExpiringRow(Item):
    """A row that may expire. ``kept_until``: its parked TTL, in epoch seconds, during a legal hold."""

    kept_until = NumberAttribute(null=True)


# In the transaction that closes a review, whose TTL it writes.
NOT_HELD: Condition = Document.hold_at.does_not_exist()


def does_expire() -> bool:
    return bool(settings.REVIEW_DAYS)


def expire_later(*, held: bool) -> list[Action]:
    """Plan the expiry of a row closed now; nothing if reviews are kept forever. ``held``: on legal hold."""
    if not does_expire():
        return []
    until = int((clock.now() + dt.timedelta(days=settings.REVIEW_DAYS)).timestamp())
    return [ExpiringRow.kept_until.set(until) if held else ExpiringRow.TimeToLive.set(until)]


def suspend(site: str, document_id: str) -> None:
    """Stop all expiry of the document; idempotent."""
    for row in _rows(site, document_id):
        if row.TimeToLive:
            actions = [ExpiringRow.kept_until.set(int(row.TimeToLive)), ExpiringRow.TimeToLive.remove()]
            with suppress(Conflict):  # written anew or gone meanwhile
                ExpiringRow.change(row.key, actions, ExpiringRow.TimeToLive == row.TimeToLive)


def resume(site: str, document_id: str) -> None:
    """Resume expiry with the original TTLs; idempotent."""
    for row in _rows(site, document_id):
        if row.kept_until:
            actions = [ExpiringRow.TimeToLive.set(int(row.kept_until)), ExpiringRow.kept_until.remove()]
            with suppress(Conflict):
                ExpiringRow.change(row.key, actions, ExpiringRow.kept_until == row.kept_until)


def _rows(site: str, document_id: str) -> Iterator[ExpiringRow]:
    """Return its reviews with dependent rows, and its checkpoint."""
    reviews = ExpiringRow.SK.startswith(table.REVIEW.sort_prefix())
    yield from ExpiringRow.every(table.REVIEW.partition_key(site, document_id=document_id), sk=reviews, consistent=True)
    yield from ExpiringRow.load_many([table.REVIEW_CHECKPOINT.key(site, document_id=document_id)])

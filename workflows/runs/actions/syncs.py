"""Records of where a document was sent and whether it arrived: one row for each delivery."""

import datetime as dt
import json
import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from pynamodb.expressions.condition import Condition

from config import clock, logs, table
from config.errors import Conflict, CountersignError
from config.transaction import EXISTS, Check, Put, transact
from workflows.runs.items import DocumentSync, SyncService, SyncStatus

log = logging.getLogger(__name__)
# Events of a removal: a restored document is as before, and a purged one has no page.
_UNLISTED = ("document.deleted", "document.restored", "document.purged")


@dataclass(frozen=True)
class Sending:
    """``type``: of the event; ``target``: a webhook's address; ``content``: what was sent, ids only."""

    document_id: str
    service: SyncService
    type: str
    message: str = ""
    target: str = ""
    content: Mapping[str, Any] = field(default_factory=dict)


def record_sync(site: str, sending: Sending, *, arrived: bool) -> None:
    """Record a delivery while the document exists. If this fails, the delivery must not be repeated."""
    if sending.type in _UNLISTED:
        return
    now = clock.iso(clock.now())
    status = SyncStatus.COMPLETE if arrived else SyncStatus.FAILED
    ids = {"document_id": sending.document_id, "datetime": now}
    key = table.DOCUMENT_SYNC.key(site, **ids)
    index = {} if arrived else index_of(site, sending.service, sending.type, now, sending.document_id)
    row = DocumentSync(
        key.pk,
        key.sk,
        **index,
        documentId=sending.document_id,
        service=sending.service,
        syncDate=now,
        userId="system",
        status=status,
        type=sending.type,
        message=sending.message or None,
        target=sending.target or None,
        content=json.dumps(dict(sending.content)) if sending.content else None,
        TimeToLive=keep_until() if arrived else None,
    )
    there = Check(table.DOCUMENT.key(site, document_id=sending.document_id), EXISTS)
    try:
        transact([there, Put(row)])
    except CountersignError as error:
        log.info("sync not recorded", extra={"document": sending.document_id, "error": logs.place_of(error)})
        return
    if arrived:
        try:
            settle_attempts(site, row)
        except CountersignError as error:
            log.info("attempts not settled", extra={"document": sending.document_id, "error": logs.place_of(error)})


def settle_attempts(site: str, arrived: DocumentSync) -> None:
    """Mark failed attempts of the same delivery: it has arrived, and there is nothing to send again. Idempotent."""
    if arrived.service != SyncService.WEBHOOK:  # of nothing else is a failed attempt recorded
        return
    pk = table.DOCUMENT_SYNC.partition_key(site, document_id=str(arrived.documentId))
    failed: Condition = DocumentSync.status == SyncStatus.FAILED
    same = failed & (DocumentSync.service == arrived.service) & (DocumentSync.content == arrived.content)
    same &= DocumentSync.target == arrived.target if arrived.target else DocumentSync.target.does_not_exist()
    actions = [
        DocumentSync.delivered_at.set(clock.iso(clock.now())),
        DocumentSync.GSI1PK.remove(),
        DocumentSync.GSI1SK.remove(),
        DocumentSync.TimeToLive.set(keep_until()),
    ]
    prefix = DocumentSync.SK.startswith(table.DOCUMENT_SYNC.sort_prefix())
    for row in DocumentSync.every(pk, sk=prefix, consistent=True):
        if _is_attempt(row, arrived):
            with suppress(Conflict):  # someone has asked for it to be sent again
                DocumentSync.change(row.key, actions, same)


def _is_attempt(row: DocumentSync, arrived: DocumentSync) -> bool:
    mine = (row.service, row.target, row.content) == (arrived.service, arrived.target, arrived.content)
    return mine and row.status == SyncStatus.FAILED and not row.delivered_at


def keep_until() -> int:
    """Return the TTL of delivered ones, the same as of a webhook's log. Epoch seconds."""
    return int((clock.now() + dt.timedelta(days=settings.WEBHOOK_LOG_DAYS)).timestamp())


def index_of(site: str, service: str, kind: str, at: str, document_id: str) -> dict[str, Any]:
    """Return the index keys among undelivered ones."""
    parts = {"service": service, "status": SyncStatus.FAILED.value, "type": kind}
    return table.DOCUMENT_SYNC.gsi1(site, **parts, datetime=at, document_id=document_id)

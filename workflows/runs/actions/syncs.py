"""Records of where a document was sent and whether it arrived: one row for each delivery."""

import datetime as dt
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from config import clock, logs, table
from config.errors import CountersignError
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


def keep_until() -> int:
    """Return the TTL of delivered ones, the same as of a webhook's log. Epoch seconds."""
    return int((clock.now() + dt.timedelta(days=settings.WEBHOOK_LOG_DAYS)).timestamp())


def index_of(site: str, service: str, kind: str, at: str, document_id: str) -> dict[str, Any]:
    """Return the index keys among undelivered ones."""
    parts = {"service": service, "status": SyncStatus.FAILED.value, "type": kind}
    return table.DOCUMENT_SYNC.gsi1(site, **parts, datetime=at, document_id=document_id)

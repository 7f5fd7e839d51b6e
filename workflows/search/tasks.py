"""The Celery task that the event bus sends to update the search index."""

import logging
from typing import Any

from celery import shared_task

from config import clock
from config.brokers import visibility
from workflows.runs import events
from workflows.runs.actions.syncs import Sending, record_sync
from workflows.runs.items import SyncService
from workflows.search.content import DocumentRef
from workflows.search.indexing import bring_up_to_date

log = logging.getLogger(__name__)


@shared_task(bind=True, name=events.INDEX, time_limit=3600)
def index_document(self: Any, *, site: str, project_id: str, document_id: str, at: str) -> None:
    """Index the current state of a document after an event; ``at``: the event's instant."""
    bring_up_to_date(DocumentRef(site, project_id, document_id), visibility.keeper(self.request))
    record_sync(site, Sending(document_id, SyncService.SEARCH, "document.indexed"), arrived=True)
    lag = (clock.now() - clock.parse(at)).total_seconds()
    log.info("search index follows", extra={"document": document_id, "seconds": round(lag, 1)})

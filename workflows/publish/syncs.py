"""Resending a document to a receiver: ordered by a person, done by a worker."""

import json
from contextlib import suppress

from django.conf import settings

from config import clock, table
from config.brokers import queues
from config.errors import ActionFailed, Conflict, NotFound, Unavailable
from config.phrase import Phrase, Sentence
from config.transaction import Update, transact
from projects.audit.events import Actor, entity_event
from projects.documents.queries import get_document
from workflows.publish import webhooks
from workflows.publish.webhooks import Delivery
from workflows.runs import events, queries
from workflows.runs.actions.syncs import index_of, keep_until, settle_attempts
from workflows.runs.items import DocumentEvent, DocumentSync, SyncService, SyncStatus

_ARRIVED = Phrase("This attempt failed, but a later one arrived. Send the delivered one again if it is needed twice.")
_AGAIN = Phrase("It is being sent again already. Reload to see whether it arrived.")


def ask_again(site: str, document_id: str, at: str, *, by: Actor) -> DocumentSync:
    """Mark it to be sent again. Raises: NotFound; Conflict if someone else was first, or a later attempt arrived."""
    sync = queries.get_sync(site, document_id, at)
    actions = [
        DocumentSync.status.set(SyncStatus.PENDING),
        DocumentSync.userId.set(by.id),
        DocumentSync.message.remove(),
        DocumentSync.GSI1PK.remove(),
        DocumentSync.GSI1SK.remove(),
        DocumentSync.TimeToLive.remove(),
    ]
    waiting = (DocumentSync.status == sync.status) & (DocumentSync.status != SyncStatus.PENDING)
    waiting &= DocumentSync.delivered_at.does_not_exist()
    payload = {"service": str(sync.service), "type": str(sync.type)}
    told = entity_event(site, "document", document_id, "resent", by=by, payload=payload)
    try:
        transact([Update(sync.key, actions, waiting, of=DocumentSync)], told)
    except Conflict as conflict:
        raise Conflict(_ARRIVED if queries.get_sync(site, document_id, at).delivered_at else _AGAIN) from conflict
    return sync


def send_again(site: str, document_id: str, at: str) -> None:
    """Send it if it is still marked. Receivers can detect duplicates by the id."""
    sync = queries.get_sync(site, document_id, at)
    if sync.status != SyncStatus.PENDING:
        return
    try:
        message, arrived = _send(site, sync), True
    except (ActionFailed, NotFound, Unavailable) as error:
        message, arrived = str(error), False
    index = index_of(site, str(sync.service), str(sync.type), at, document_id)
    status = SyncStatus.COMPLETE if arrived else SyncStatus.FAILED
    actions = [DocumentSync.status.set(status), DocumentSync.syncDate.set(clock.iso(clock.now()))]
    actions.append(DocumentSync.message.set(message))
    if arrived:
        actions.append(DocumentSync.TimeToLive.set(keep_until()))
    else:
        actions += [DocumentSync.GSI1PK.set(index["GSI1PK"]), DocumentSync.GSI1SK.set(index["GSI1SK"])]
    with suppress(Conflict):  # a concurrent redelivery was faster
        DocumentSync.change(sync.key, actions, DocumentSync.status == SyncStatus.PENDING)
        if arrived:
            settle_attempts(site, sync)


def _send(site: str, sync: DocumentSync) -> str:
    """Return a message for people. Raises: ActionFailed, NotFound, Unavailable."""
    content = json.loads(sync.content or "{}")
    document_id = str(sync.documentId)
    if sync.service == SyncService.WEBHOOK:
        sent = webhooks.call_webhook(Delivery(site, str(content.get("id") or ""), str(sync.target), content))
        return Sentence("The receiver returned %(sent)s.").fill(sent=sent)
    if sync.service == SyncService.EVENTBRIDGE:
        pk = table.DOCUMENT_EVENT.partition_key(site, document_id=document_id)
        events.send(DocumentEvent.load(table.Key(pk, content["event"])))
        return Phrase("Sent again.")
    project_id = get_document(site, document_id).project_id
    which = {"site": site, "project_id": project_id, "document_id": document_id, "at": clock.iso(clock.now())}
    queues.enqueue(events.INDEX, settings.SEARCH_QUEUE, which)
    return Phrase("Search indexing was requested again.")

"""The API of what happened to a document: who viewed and changed it, and where it was sent."""

from typing import Any

from ninja import Router, Schema, Status

from projects.documents import queries as document_queries
from projects.documents.page import list_activity
from projects.queues import visibility
from projects.sites import access
from projects.web.api import (
    FAILURES,
    REFUSALS,
    ApiRequest,
)
from workflows.publish import syncs
from workflows.publish.tasks import enqueue_sending
from workflows.publish.views import name_target
from workflows.runs import queries
from workflows.runs.items import DocumentSync

router = Router()


class ChangeShape(Schema):
    """``before`` and ``after``: null if there was or is none; ••• for personal data that the key may not see."""

    what: str
    before: str | None = None
    after: str | None = None


class ActivityShape(Schema):
    """``type``: CREATE, VIEW, REVEAL, DENY, MODIFY, SOFT_DELETE or RESTORE."""

    type: str
    at: str
    by: str
    changes: list[ChangeShape]


class ActivityList(Schema):
    items: list[ActivityShape]
    next: str | None


@router.get(
    "/documents/{document_id}/activity",
    response={200: ActivityList, **FAILURES},
    operation_id="list_activity",
    summary="List a document's activity",
)
def show_activity(request: ApiRequest, document_id: str, after: str | None = None) -> ActivityList:
    """Who viewed and changed it, newest first. Requires READ."""
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    document_queries.get_document(request.site, document_id)
    page = list_activity(request, document_id, after)
    return ActivityList(
        items=[
            ActivityShape(
                type=row.type,
                at=row.inserteddate,
                by=row.user_name,
                changes=[
                    ChangeShape(**{one: change.get(one) for one in ChangeShape.model_fields})
                    for change in row.changes or ()
                ],
            )
            for row in page.rows
        ],
        next=page.next,
    )


class SyncShape(Schema):
    """``service``: WEBHOOK, EVENTBRIDGE or SEARCH; ``status``: COMPLETE, FAILED, or PENDING while it is retried.

    ``id`` is used to send it again. ``target``: the service, for webhooks with the host.
    """

    id: str
    service: str
    target: str
    type: str
    status: str
    message: str | None
    at: str


class SyncList(Schema):
    items: list[SyncShape]
    next: str | None


@router.get(
    "/documents/{document_id}/deliveries",
    response={200: SyncList, **FAILURES},
    operation_id="list_document_deliveries",
    summary="List a document's deliveries",
)
def list_document_deliveries(request: ApiRequest, document_id: str, after: str | None = None) -> SyncList:
    """Where the document was sent and whether it arrived, newest first. Requires READ."""
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    document_queries.get_document(request.site, document_id)
    page = queries.list_syncs(request.site, document_id, cursor=after)
    return SyncList(items=[_shape_sync(one) for one in page.rows], next=page.next)


@router.post(
    "/documents/{document_id}/deliveries/{delivery_id}/again",
    response={202: SyncShape, **REFUSALS},
    operation_id="send_document_again",
    summary="Send a document again",
)
def send_document_again(request: ApiRequest, document_id: str, delivery_id: str) -> Any:
    """Sends to the same target again, by a worker. 409 while it is being sent. Requires WRITE."""
    access.check_can_upload(request)
    visibility.check_document(request, document_id)
    document_queries.get_document(request.site, document_id)
    syncs.ask_again(request.site, document_id, delivery_id, by=request.auth.actor)
    enqueue_sending(request.site, document_id, delivery_id)
    return Status(202, _shape_sync(queries.get_sync(request.site, document_id, delivery_id)))


def _shape_sync(sync: DocumentSync) -> SyncShape:
    return SyncShape(
        id=sync.at,
        service=str(sync.service),
        target=name_target(sync),
        type=str(sync.type),
        status=sync.status,
        message=sync.message,
        at=str(sync.syncDate),
    )

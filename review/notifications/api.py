"""The API of what a person was told, for their own tokens."""

from typing import Any

from ninja import Router, Schema, Status

from config.errors import NotAllowed
from projects.sites import access
from projects.web.api import FAILURES, ApiRequest, Problem
from review.notifications import actions, queries
from review.notifications.views import list_told

router = Router(tags=["notifications"])


class NotificationShape(Schema):
    """``kind``: assigned, asked, answered, mentioned, deadline or export. ``url``: null if what it is about is gone."""

    id: str
    kind: str
    text: str
    url: str | None
    read: bool
    created_at: str


class NotificationList(Schema):
    items: list[NotificationShape]
    next: str | None


@router.get(
    "", response={200: NotificationList, 422: Problem, **FAILURES}, operation_id="list_notifications",
    summary="List notifications",
)  # fmt: skip
def list_notifications(request: ApiRequest, after: str | None = None) -> Any:
    """Newest first, of the person whose token this is. Requires READ."""
    access.check_can_view(request)
    inbox = queries.list_inbox(request.site, _person(request), cursor=after)
    items = [
        NotificationShape(
            id=str(one.row.notification_id),
            kind=str(one.row.kind),
            text=one.words,
            url=one.url or None,
            read=one.row.read_at is not None,
            created_at=str(one.row.created_at),
        )
        for one in list_told(request, inbox.rows)
    ]
    return NotificationList(items=items, next=inbox.next)


@router.post(
    "/{notification_id}/read", response={204: None, 422: Problem, **FAILURES}, operation_id="read_notification",
    summary="Mark a notification as read",
)  # fmt: skip
def read_notification(request: ApiRequest, notification_id: str) -> Status[None]:
    """Read or gone already is fine. Requires READ."""
    access.check_can_view(request)
    actions.mark_read(request.site, _person(request), [notification_id])
    return Status(204, None)


def _person(request: ApiRequest) -> str:
    """Raises: NotAllowed."""
    user_id = str(request.auth.actor.id)
    if not user_id.isdigit():
        raise NotAllowed("An API key has no notifications. Use a personal API token.")
    return user_id

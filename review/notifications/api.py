"""The API of notifications: inbox and preferences, with personal tokens, and the site's chat webhook."""

from typing import Any, Literal
from urllib.parse import urlsplit

from ninja import Field, Router, Schema, Status

from config.errors import NotAllowed, NotFound, Refused
from projects.sites import access
from projects.web.api import FAILURES, ApiRequest, Body, Problem, with_example
from review.notifications import actions, queries
from review.notifications.forms import ChatForm
from review.notifications.inbox import list_told
from review.notifications.items import WEB_KINDS

router = Router(tags=["notifications"])


class NotificationShape(Schema):
    """``kind``: assigned, asked, answered, mentioned, deadline, export, access, admitted or paused.

    ``url``: null if its subject is gone.
    """

    id: str
    kind: str
    text: str
    url: str | None
    read: bool
    created_at: str


class NotificationList(Schema):
    items: list[NotificationShape]
    next: str | None


WebKind = Literal["assigned", "asked", "answered", "mentioned", "deadline", "export", "access", "admitted", "paused"]
MailKind = Literal[
    "assigned", "asked", "answered", "mentioned", "deadline", "export", "access", "admitted", "paused", "digest"
]
ChatKind = Literal["assigned", "asked", "answered", "mentioned", "deadline"]


class NotificationChoices(Body):
    """``email``: kinds sent by mail; digest is one mail a day. ``web``: kinds in the list."""

    model_config = with_example(email=["assigned", "digest"], web=["assigned", "asked"])

    email: list[MailKind] = Field(max_length=20)
    web: list[WebKind] = Field(max_length=20)


class ChatWish(Body):
    """``url``: the chat tool's incoming webhook; a secret, never returned."""

    model_config = with_example(url="https://chat.example.org/hooks/reviews", kinds=["assigned", "deadline"])

    url: str = Field(min_length=1, max_length=500)
    kinds: list[ChatKind] = Field(max_length=20)


class ChatShape(Schema):
    """``host``: of the webhook's address."""

    host: str
    kinds: list[str]
    updated_at: str


@router.get(
    "", response={200: NotificationList, 422: Problem, **FAILURES}, operation_id="list_notifications",
    summary="List notifications",
)  # fmt: skip
def list_notifications(request: ApiRequest, after: str | None = None) -> Any:
    """Notifications of the person whose token this is, newest first. Requires READ."""
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
    """Idempotent. Requires READ."""
    access.check_can_view(request)
    actions.mark_read(request.site, _person(request), [notification_id])
    return Status(204, None)


@router.get(
    "/choices", response={200: NotificationChoices, 422: Problem, **FAILURES}, operation_id="show_notification_choices",
    summary="Get notification preferences",
)  # fmt: skip
def show_notification_choices(request: ApiRequest) -> NotificationChoices:
    """The preferences of the person whose token this is, on this site. Requires READ."""
    access.check_can_view(request)
    return _choices(request.site, _person(request))


@router.put(
    "/choices", response={200: NotificationChoices, 422: Problem, **FAILURES}, operation_id="choose_notifications",
    summary="Set notification preferences",
)  # fmt: skip
def choose_notifications(request: ApiRequest, wish: NotificationChoices) -> NotificationChoices:
    """Replaces the previous choice. Requires READ."""
    access.check_can_view(request)
    person = _person(request)
    off = {str(one) for one in WEB_KINDS} - set(wish.web)
    actions.save_choice(request.site, wish.email, by=request.auth.actor, web_off=off)
    return _choices(request.site, person)


def _choices(site: str, person: str) -> NotificationChoices:
    email, web = queries.list_chosen_kinds(site, person), queries.list_web_kinds(site, person)
    return NotificationChoices(email=sorted(map(str, email)), web=sorted(map(str, web)))  # type: ignore[arg-type]


@router.get(
    "/chat", response={200: ChatShape, 422: Problem, **FAILURES}, operation_id="show_chat_webhook",
    summary="Get the chat webhook",
)  # fmt: skip
def show_chat_webhook(request: ApiRequest) -> ChatShape:
    """404 if none is set up. Requires ADMIN."""
    access.check_can_configure(request)
    return _chat(request.site)


@router.put(
    "/chat", response={200: ChatShape, 422: Problem, **FAILURES}, operation_id="save_chat_webhook",
    summary="Set up a chat webhook",
)  # fmt: skip
def save_chat_webhook(request: ApiRequest, wish: ChatWish) -> ChatShape:
    """Replaces the previous webhook. 422 if the address is not allowed. Requires ADMIN."""
    access.check_can_configure(request)
    form = ChatForm({"url": wish.url, "kinds": wish.kinds})
    if not form.is_valid():
        name, (text, *_) = next(iter(form.errors.items()))
        raise Refused(str(text), field=name)
    actions.save_chat_webhook(request.site, form.cleaned_data["url"], wish.kinds, by=request.auth.actor)
    return _chat(request.site)


@router.delete(
    "/chat", response={204: None, 422: Problem, **FAILURES}, operation_id="remove_chat_webhook",
    summary="Remove the chat webhook",
)  # fmt: skip
def remove_chat_webhook(request: ApiRequest) -> Status[None]:
    """Idempotent. Requires ADMIN."""
    access.check_can_configure(request)
    if queries.find_chat_webhook(request.site):
        actions.save_chat_webhook(request.site, "", (), by=request.auth.actor)
    return Status(204, None)


def _chat(site: str) -> ChatShape:
    stored = queries.find_chat_webhook(site)
    if stored is None:
        raise NotFound("No chat tool is told. Set one up first.")
    return ChatShape(
        host=urlsplit(stored.url).hostname or "", kinds=sorted(stored.kinds or ()), updated_at=stored.updated_at
    )


def _person(request: ApiRequest) -> str:
    """Raises: NotAllowed."""
    user_id = str(request.auth.actor.id)
    if not user_id.isdigit():
        raise NotAllowed("An API key has no notifications. Use a personal API token.")
    return user_id

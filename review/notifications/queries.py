"""Reads of notification preferences and notifications."""

from collections.abc import Sequence
from dataclasses import dataclass

from config import table
from config.errors import NotFound
from projects.sites import directory
from review.notifications.items import DEFAULTS, WEB_KINDS, ChatWebhook, InboxRow, NotificationChoice

MOST_UNREAD = 50  # counted by the app bar
_A_PAGE = 25


def list_chosen_kinds(site: str, user_id: str) -> frozenset[str]:
    """Return the kinds of mail that this person chose on a site, else the defaults."""
    try:
        found = NotificationChoice.load(table.NOTIFICATION_CHOICE.key(site, user_id=user_id))
    except NotFound:
        return frozenset(DEFAULTS)
    return frozenset(found.kinds or ())


def find_chat_webhook(site: str) -> ChatWebhook | None:
    try:
        return ChatWebhook.load(table.CHAT_WEBHOOK.key(site))
    except NotFound:
        return None


@dataclass(frozen=True)
class Inbox:
    """A page of a person's notifications, newest first, without the kinds they hid."""

    rows: Sequence[InboxRow]
    next: str | None = None


def list_inbox(site: str, user_id: str, *, cursor: str | None = None, limit: int = _A_PAGE) -> Inbox:
    """One Query, since the preferences sort last in the first page; later pages need one read more."""
    pk = table.NOTIFICATION.partition_key(site, user_id=user_id)
    between = InboxRow.SK.between(table.NOTIFICATION.sort_prefix(), table.NOTIFICATION_CHOICE.sort_prefix())
    page = InboxRow.page(pk, sk=between, newest_first=True, cursor=cursor, limit=limit)
    choice = table.NOTIFICATION_CHOICE.key(site, user_id=user_id)
    found = page.rows if cursor is None else [*page.rows, *InboxRow.load_many([choice])]
    off = next((set(row.web_off or ()) for row in found if row.key == choice), set())
    shown = set(WEB_KINDS) - off
    return Inbox([row for row in page.rows if row.kind in shown], page.next)


def count_unread(site: str, user_id: str) -> int:
    """Count the unread among the newest; cached for a few seconds."""

    def read() -> int:
        return sum(row.read_at is None for row in list_inbox(site, user_id, limit=MOST_UNREAD).rows)

    return directory.remember(directory.UNREAD, f"{site}/{user_id}", read)


def list_web_kinds(site: str, user_id: str) -> frozenset[str]:
    """Return the kinds that this person's inbox shows."""
    try:
        found = NotificationChoice.load(table.NOTIFICATION_CHOICE.key(site, user_id=user_id))
    except NotFound:
        return frozenset(WEB_KINDS)
    return frozenset(WEB_KINDS) - set(found.web_off or ())

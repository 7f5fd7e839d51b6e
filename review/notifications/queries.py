"""Reads of what people want to be told, and of what they were told."""

from collections.abc import Sequence
from dataclasses import dataclass

from config import table
from config.errors import NotFound
from projects.sites import directory
from review.notifications.items import DEFAULTS, WEB_KINDS, ChatWebhook, InboxRow, NotificationChoice

MOST_UNREAD = 50  # that the bar counts
_A_PAGE = 25


def list_chosen_kinds(site: str, user_id: str) -> frozenset[str]:
    """The kinds of mail that this person wants from a site; the defaults of one who never chose."""
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
    """A page of what a person was told, the newest first, without the kinds that they left out."""

    rows: Sequence[InboxRow]
    next: str | None = None


def list_inbox(site: str, user_id: str, *, cursor: str | None = None, limit: int = _A_PAGE) -> Inbox:
    """One Query: the person's choice lies at the end of what is read; after the first page one read more."""
    pk = table.NOTIFICATION.partition_key(site, user_id=user_id)
    between = InboxRow.SK.between(table.NOTIFICATION.sort_prefix(), table.NOTIFICATION_CHOICE.sort_prefix())
    page = InboxRow.page(pk, sk=between, newest_first=True, cursor=cursor, limit=limit)
    choice = table.NOTIFICATION_CHOICE.key(site, user_id=user_id)
    found = page.rows if cursor is None else [*page.rows, *InboxRow.load_many([choice])]
    off = next((set(row.web_off or ()) for row in found if row.key == choice), set())
    shown = set(WEB_KINDS) - off
    return Inbox([row for row in page.rows if row.kind in shown], page.next)


def count_unread(site: str, user_id: str) -> int:
    """Of the newest, remembered for a few seconds."""

    def read() -> int:
        return sum(row.read_at is None for row in list_inbox(site, user_id, limit=MOST_UNREAD).rows)

    return directory.remember(directory.UNREAD, f"{site}/{user_id}", read)


def list_web_kinds(site: str, user_id: str) -> frozenset[str]:
    """The kinds that the list in the page shows this person."""
    try:
        found = NotificationChoice.load(table.NOTIFICATION_CHOICE.key(site, user_id=user_id))
    except NotFound:
        return frozenset(WEB_KINDS)
    return frozenset(WEB_KINDS) - set(found.web_off or ())

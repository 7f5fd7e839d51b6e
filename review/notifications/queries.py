"""Reads of what people want to be told."""

from config import table
from config.errors import NotFound
from review.notifications.items import DEFAULTS, ChatWebhook, NotificationChoice


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

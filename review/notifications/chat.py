"""Calls of a site's chat webhook: how they are made, a test of it, and how the last one went."""

from collections.abc import Mapping

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext

from config import clock
from review.notifications.items import ChatWebhook
from review.notifications.queries import find_chat_webhook
from workflows.publish.items import WebhookDelivery
from workflows.publish.webhooks import Delivery, deliver_webhook, find_last_call

MESSAGE, TEST = "chat.message", "chat.test"


def chat_delivery(site: str, delivery_id: str, url: str, content: Mapping[str, str], kind: str = MESSAGE) -> Delivery:
    """Return a call whose records never show the address, since whoever knows it may post there."""
    return Delivery(site, delivery_id, url, content, has_secret_url=True, kind=kind)


def send_chat_test(site: str, *, by_name: str) -> int | None:
    """Post a test message, and return the response's status; None if the site has no chat webhook.

    Raises: ActionFailed, Unavailable: as a message would fail.
    """
    webhook = find_chat_webhook(site)
    if webhook is None:
        return None
    with translation.override(settings.MAIL_LANGUAGE):
        text = gettext("Test message from Countersign, sent by %(name)s.") % {"name": by_name}
    return deliver_webhook(chat_delivery(site, clock.new_ulid(), webhook.url, {"text": text}, TEST))


def find_last_message(site: str, webhook: ChatWebhook) -> WebhookDelivery | None:
    """Return the last call of this address, to tell whether messages arrive: one Query."""
    shown = chat_delivery(site, "", webhook.url, {}).shown_url
    return find_last_call(site, {MESSAGE, TEST}, shown)

"""Webhook calls: signed, only to public addresses, with short timeouts, and logged.

A receiver verifies ``Countersign-Signature: t=<seconds>,v1=<hex>``: v1 is the HMAC-SHA256 of ``<t>.<body>`` with the
secret on its rule's page. ``Countersign-Delivery`` is the same for all attempts of one delivery.
"""

import contextlib
import datetime as dt
import hashlib
import hmac
import http.client
import json
import logging
import ssl
import time
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.utils.translation import gettext

from config import clock, table
from config.errors import ActionFailed, CountersignError, Unavailable
from config.internet import PORTS, Connection, is_public, resolve_host
from config.item import Page
from config.phrase import Sentence
from config.transaction import Put, transact
from workflows.publish.items import WebhookDelivery
from workflows.runs.actions.syncs import Sending, record_sync
from workflows.runs.items import SyncService

log = logging.getLogger(__name__)
TEST = "webhook.test"
_WORTH_A_RETRY = frozenset({408, 425, 429})
_SEARCHED = 100  # newest calls, of rules too
_READ = 4_096  # bytes of a response that are read and discarded


@dataclass(frozen=True)
class Delivery:
    """``id`` identifies it for the receiver, who may get it twice.

    ``has_secret_url``: whoever knows the address may post there, so records name only its host. ``kind``: what the
    list of calls names it, if its content has no type.
    """

    site: str
    id: str
    url: str
    content: Mapping[str, Any]
    has_secret_url: bool = False
    kind: str = ""

    @property
    def shown_kind(self) -> str:
        return str(self.content.get("type") or self.kind)

    @property
    def shown_url(self) -> str:
        if not self.has_secret_url:
            return self.url
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.hostname}/…"


def webhook_secret(site: str, url: str) -> str:
    """Return the signing key of a host, derived from the deployment's secret, so that none is stored."""
    host = (urlsplit(url).hostname or "").lower()
    return hmac.new(settings.SECRET_KEY.encode(), f"webhook {site} {host}".encode(), hashlib.sha256).hexdigest()


def sign_webhook(key: str, seconds: int, body: bytes) -> str:
    made = hmac.new(key.encode(), f"{seconds}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={seconds},v1={made}"


def deliver_webhook(delivery: Delivery) -> int:
    """Call it as ``call_webhook`` and record the result on the document's page.

    Raises: as ``call_webhook``.
    """
    try:
        status = call_webhook(delivery)
    except (ActionFailed, Unavailable) as error:
        _record_sync(delivery, str(error), arrived=False)
        raise
    _record_sync(delivery, Sentence("The receiver returned %(status)s.").fill(status=status), arrived=True)
    return status


def call_webhook(delivery: Delivery) -> int:
    """POST it and return the status, which is 2xx; every call is logged.

    Raises:
        ActionFailed: the address is not public, or the receiver rejects it.
        Unavailable: timeout, or the receiver asks for a retry; a later try may help.

    """
    began, status = time.monotonic(), None
    try:
        status = _call(delivery)
        _check_status(status)
    except (ActionFailed, Unavailable) as error:
        _record(delivery, status, str(error), time.monotonic() - began)
        raise
    _record(
        delivery, status, Sentence("The receiver returned %(status)s.").fill(status=status), time.monotonic() - began
    )
    return status


def _record_sync(delivery: Delivery, message: str, *, arrived: bool) -> None:
    """Record it on the document's page, if it is about one."""
    if document_id := delivery.content.get("documentId"):
        kind = str(delivery.content.get("type") or "")
        sending = Sending(document_id, SyncService.WEBHOOK, kind, message, delivery.url, delivery.content)
        record_sync(delivery.site, sending, arrived=arrived)


def send_test(site: str, url: str) -> int:
    """Send a test event in the same way. Raises: as ``deliver_webhook``."""
    delivery_id = clock.new_ulid()
    content = {"id": delivery_id, "type": TEST, "siteId": site}
    return deliver_webhook(Delivery(site, delivery_id, url, content))


def list_deliveries(site: str, *, cursor: str | None = None) -> Page[WebhookDelivery]:
    """List deliveries, latest first: one Query."""
    return WebhookDelivery.page(table.WEBHOOK_DELIVERY.partition_key(site), newest_first=True, cursor=cursor)


def find_last_call(site: str, kinds: Container[str], url: str) -> WebhookDelivery | None:
    """Return the latest call of these kinds among the site's newest: one Query. ``url``: as lists show it."""
    page = WebhookDelivery.page(table.WEBHOOK_DELIVERY.partition_key(site), newest_first=True, limit=_SEARCHED)
    return next((one for one in page.rows if one.kind in kinds and one.url == url), None)


def _call(delivery: Delivery) -> int:
    parts = _parts(delivery.url)
    body = json.dumps(dict(delivery.content), ensure_ascii=False, sort_keys=True).encode()
    seconds = int(clock.now().timestamp())
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Countersign",
        "Countersign-Delivery": delivery.id,
        "Countersign-Signature": sign_webhook(webhook_secret(delivery.site, delivery.url), seconds, body),
    }
    return _post(parts, body, headers)


def _check_status(status: int) -> None:
    """Raises: ActionFailed, Unavailable."""
    if 200 <= status < 300:
        return
    if status >= 500 or status in _WORTH_A_RETRY:
        raise Unavailable(gettext("The receiver returned %(status)s.") % {"status": status})
    if 300 <= status < 400:
        raise ActionFailed(
            gettext("The receiver returned %(status)s (redirect). Enter the address that it redirects to.")
            % {"status": status}
        )
    raise ActionFailed(gettext("The receiver returned %(status)s and rejected the event.") % {"status": status})


def _record(delivery: Delivery, status: int | None, message: str, seconds: float) -> None:
    """Log the call. A failed write must not repeat the call."""
    now = clock.now()
    parts = {"datetime_us": table.datetime_us(now), "delivery_id": delivery.id}
    key = table.WEBHOOK_DELIVERY.key(delivery.site, **parts)
    row = WebhookDelivery(
        key.pk,
        key.sk,
        delivery_id=delivery.id,
        url=delivery.shown_url,
        kind=delivery.shown_kind,
        status=status,
        message=message,
        seconds=round(seconds, 3),
        document_id=delivery.content.get("documentId"),
        workflow_id=delivery.content.get("workflowId"),
        created_at=clock.iso(now),
        TimeToLive=int((now + dt.timedelta(days=settings.WEBHOOK_LOG_DAYS)).timestamp()),
    )
    try:
        transact([Put(row, overwrite=True)])
    except CountersignError as error:
        log.warning("webhook call not logged", extra={"error": type(error).__name__})


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ActionFailed(gettext("The webhook address is invalid.")) from error
    schemes = {"https", "http"} if settings.WEBHOOK_PRIVATE_ADDRESSES else {"https"}
    if parts.scheme not in schemes or not parts.hostname or port == 0:
        raise ActionFailed(gettext("The webhook address must begin with https://."))
    return parts


def _post(parts: SplitResult, body: bytes, headers: Mapping[str, str]) -> int:
    connection = _connection(parts)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        with connection.in_time(settings.WEBHOOK_TIMEOUT_SECONDS):
            connection.request("POST", target, body=body, headers=dict(headers))
            response = connection.getresponse()
            with contextlib.suppress(OSError, http.client.HTTPException):  # the status has been received
                response.read(_READ)
            return response.status
    except ssl.SSLCertVerificationError as error:
        raise ActionFailed(gettext("The receiver's certificate is not valid for its address.")) from error
    except (OSError, http.client.HTTPException) as error:
        raise Unavailable(
            gettext("The receiver is not responding: %(name)s.") % {"name": type(error).__name__}
        ) from error


def _connection(parts: SplitResult) -> Connection:
    host, secure = str(parts.hostname), parts.scheme == "https"
    port = parts.port or PORTS[parts.scheme]
    address = check_address(host, port)
    return Connection(host, port, address, secure=secure, seconds=settings.WEBHOOK_TIMEOUT_SECONDS)


def check_address(host: str, port: int) -> str:
    """Return one address of the host, all of whose addresses are public.

    Raises:
        ActionFailed: one of them is private, local or reserved.
        Unavailable: the name does not resolve now.

    """
    try:
        addresses = resolve_host(host, port)
    except (OSError, UnicodeError) as error:
        raise Unavailable(gettext("The receiver's name cannot be resolved.")) from error
    if not settings.WEBHOOK_PRIVATE_ADDRESSES and not all(map(is_public, addresses)):
        raise ActionFailed(gettext("The receiver's address is private or reserved. Use a public address."))
    return addresses[0]

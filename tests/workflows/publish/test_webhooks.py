"""Webhooks: signed, to the outside only, and each answer read as what it means."""

import contextlib
import hashlib
import hmac
import json
import socket
import threading
import time

import pytest

from config import internet
from config.errors import ActionFailed, Refused, Unavailable
from config.internet import is_public
from tests.aws_faults import fail
from tests.each import each
from tests.workflows.follow_ups import receiver
from workflows.publish import webhooks
from workflows.publish.webhooks import Delivery

pytestmark = pytest.mark.usefixtures("table")


@pytest.fixture
def inside(settings):
    settings.WEBHOOK_PRIVATE_ADDRESSES = True


def delivery(url):
    return Delivery("default", "d1", url, {"type": "document.published", "name": "Grüße"})


def test_a_call_is_signed_so_that_the_receiver_can_tell(inside):
    with receiver() as outside:
        assert webhooks.deliver_webhook(delivery(outside.url)) == 200
    ((headers, body),) = outside.got
    assert json.loads(body) == {"type": "document.published", "name": "Grüße"}
    seconds, made = (part.partition("=")[2] for part in headers["Countersign-Signature"].split(","))
    key = webhooks.webhook_secret("default", outside.url)
    assert made == hmac.new(key.encode(), f"{seconds}.".encode() + body, hashlib.sha256).hexdigest()
    assert headers["Countersign-Delivery"] == "d1"


def test_secrets_differ_by_site_and_host_and_not_by_path():
    one = webhooks.webhook_secret("default", "https://a.example.org/x")
    assert one == webhooks.webhook_secret("default", "https://A.example.org/y?z=1")
    others = {
        webhooks.webhook_secret("acme", "https://a.example.org/x"),
        webhooks.webhook_secret("default", "https://b.example.org/x"),
    }
    assert one not in others
    assert len(one) == 64


@each("status", [400, 401, 404, 410, 301, 307])
def test_what_the_receiver_does_not_want_is_not_tried_again(inside, status):
    with receiver(status) as outside, pytest.raises(ActionFailed, match=str(status)):
        webhooks.deliver_webhook(delivery(outside.url))
    assert len(outside.got) == 1  # a redirect is not followed: it could lead anywhere


@each("status", [500, 502, 503, 429, 408])
def test_what_may_work_later_is_tried_later(inside, status):
    with receiver(status) as outside, pytest.raises(Unavailable, match=str(status)):
        webhooks.deliver_webhook(delivery(outside.url))


def test_nobody_there_is_tried_later(inside):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(Unavailable, match="is not responding"):
        webhooks.deliver_webhook(delivery(f"http://127.0.0.1:{port}/"))


@pytest.mark.wide
def test_who_never_answers_is_waited_for_no_longer_than_the_setting_says(inside, settings):
    settings.WEBHOOK_TIMEOUT_SECONDS = 1
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(Unavailable, match="is not responding"):
            webhooks.deliver_webhook(delivery(f"http://127.0.0.1:{silent.getsockname()[1]}/"))


@pytest.mark.wide
@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\n", b""])
def test_a_receiver_that_sends_a_byte_at_a_time_is_left_in_time(inside, settings, head):
    """Each byte begins the wait for the next one anew; the call as a whole has its time."""
    settings.WEBHOOK_TIMEOUT_SECONDS = 1
    with socket.socket() as dripping:
        dripping.bind(("127.0.0.1", 0))
        dripping.listen()

        def drip():
            line, _ = dripping.accept()
            with line, contextlib.suppress(OSError):
                line.sendall(head)
                for _ in range(100):
                    line.sendall(b"x")
                    time.sleep(0.1)

        threading.Thread(target=drip, daemon=True).start()
        began = time.monotonic()
        call = delivery(f"http://127.0.0.1:{dripping.getsockname()[1]}/")
        if head:  # it has taken the call, whatever else it has to say
            assert webhooks.deliver_webhook(call) == 200
        else:
            with pytest.raises(Unavailable, match="is not responding"):
                webhooks.deliver_webhook(call)
        assert time.monotonic() - began < 4


def test_a_redirect_is_not_followed(inside):
    with receiver(302, 200) as outside:
        with pytest.raises(ActionFailed, match="Enter the address that it redirects to"):
            webhooks.deliver_webhook(delivery(outside.url))
        assert len(outside.got) == 1


@each(
    "url",
    [
        "https://127.0.0.1/",
        "https://localhost/",
        "https://10.1.2.3/",
        "https://169.254.169.254/latest/meta-data/",
        "https://[::1]/",
        "https://[fd00::1]/",
        "https://100.64.0.1/",
        "https://0.0.0.0/",
        "https://2130706433/",  # 127.0.0.1 as one number
        "http://93.184.216.34/",  # not encrypted
        "ftp://93.184.216.34/",
        "https://[",
        "https://93.184.216.34:0/",
        "/hook",
    ],
)
def test_nothing_is_sent_into_ones_own_network_or_in_the_clear(url):
    with pytest.raises(ActionFailed):
        webhooks.deliver_webhook(delivery(url))


def test_a_name_that_leads_inside_is_refused_whatever_else_it_leads_to(monkeypatch):
    found = [(2, 1, 6, "", ("93.184.216.34", 443)), (2, 1, 6, "", ("192.168.1.1", 443))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_kwargs: found)
    with pytest.raises(ActionFailed, match="private or reserved"):
        webhooks.deliver_webhook(delivery("https://hooks.example.org/"))


def test_the_address_that_was_checked_is_the_one_that_is_called(monkeypatch):
    """A name server that answers differently the second time must not matter."""
    answers = iter([[(2, 1, 6, "", ("93.184.216.34", 443))]])
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_kwargs: next(answers))
    called = []

    def connect(address, *_args):
        called.append(address)
        raise OSError

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(Unavailable):
        webhooks.deliver_webhook(delivery("https://hooks.example.org/"))
    assert called == [("93.184.216.34", 443)]


def test_a_name_that_is_not_known_is_tried_later(monkeypatch):
    def unknown(*_args, **_kwargs):
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(Unavailable, match="cannot be resolved"):
        webhooks.deliver_webhook(delivery("https://nobody.example/"))


@each(
    ("address", "outside"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
        ("224.0.0.1", False),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::10.0.0.1", False),
        ("2002:0a00:0001::", False),
        ("fe80::1%eth0", False),
        ("192.0.2.1", False),
        ("::127.0.0.1", False),
        ("::ffff:0:127.0.0.1", False),
        ("fec0::1", False),
        ("5f00::1", False),
        ("192.0.0.192", False),  # the metadata of Oracle's machines
        ("168.63.129.16", False),  # of Azure's
    ],
)
def test_only_the_public_internet_is_outside(address, outside):
    assert is_public(address) is outside


def test_each_call_is_in_the_log_however_it_went(inside, monkeypatch):
    with receiver(410) as outside, pytest.raises(ActionFailed):
        webhooks.deliver_webhook(delivery(outside.url))
    with pytest.raises(Unavailable):
        webhooks.deliver_webhook(delivery(outside.url))  # no one listens any more
    with receiver() as outside:
        assert webhooks.send_test("default", outside.url) == 200
    ((_, body),) = outside.got
    assert json.loads(body)["type"] == "webhook.test"
    rows = webhooks.list_deliveries("default").rows
    assert [row.status for row in rows] == [200, None, 410]
    assert [row.kind for row in rows] == ["webhook.test", "document.published", "document.published"]
    assert "rejected the event" in rows[2].message
    assert webhooks.list_deliveries("acme").rows == []
    with receiver() as outside, fail("dynamodb", "TransactWriteItems", error_code="InternalServerError", times=9):
        assert webhooks.deliver_webhook(delivery(outside.url)) == 200


@each(
    "url, addresses, words",
    [
        ("https://a.example/x", ["93.184.215.14"], ""),
        ("https://a.example/x", ["93.184.215.14", "10.0.0.1"], "private or reserved"),
        ("https://a.example/x", [], "cannot be resolved"),
        ("https://a.example:0/", ["93.184.215.14"], "starts with https://"),
        ("http://a.example/", ["93.184.215.14"], "starts with https://"),
    ],
)
def test_an_address_is_checked_before_it_is_kept(monkeypatch, url, addresses, words):
    def resolve(host, port):
        if not addresses:
            raise OSError
        return addresses

    monkeypatch.setattr(internet, "resolve_host", resolve)
    if not words:
        internet.check_receiver(url, private=False)
        return
    with pytest.raises(Refused, match=words):
        internet.check_receiver(url, private=False)

"""What SNS delivers is taken if it signed it for our topic, and refused whatever else is wrong with it."""

import base64
import datetime as dt
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15

from config.errors import NotAllowed, Unavailable
from workflows.providers import sns

TOPIC = "arn:aws:sns:eu-central-1:123456789012:AmazonTextract-desk"
CERT = "https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem"
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
FIELDS = {
    sns.NOTIFICATION: ("Message", "MessageId", "Timestamp", "TopicArn", "Type"),
    sns.CONFIRMATION: ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"),
}


def certificate(key: Any) -> bytes:
    name, now = x509.Name([]), dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    built = x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + dt.timedelta(days=9999))
    return built.sign(KEY, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def signed(message: str = "{}", *, version: str = "2", kind: str = sns.NOTIFICATION, **changed: str) -> dict[str, str]:
    """As SNS writes it; ``changed`` is signed too, so that only what it says can be wrong."""
    found = {
        "Type": kind, "MessageId": "1", "TopicArn": TOPIC, "Message": message, "SignatureVersion": version,
        "Timestamp": "2026-11-26T10:00:00.000Z", "SigningCertURL": CERT,
    } | changed  # fmt: skip
    text = "".join(f"{name}\n{found[name]}\n" for name in FIELDS[kind] if name in found)
    used = hashes.SHA1() if version == "1" else hashes.SHA256()
    return found | {"Signature": base64.b64encode(KEY.sign(text.encode(), PKCS1v15(), used)).decode()}


def sent(message: dict[str, str]) -> bytes:
    return json.dumps(message).encode()


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What was fetched of SNS; its certificate is ours."""
    found: list[str] = []

    def answer(url: str, timeout: float) -> io.BytesIO:
        found.append(url)
        return io.BytesIO(certificate(KEY))

    monkeypatch.setattr(sns.urllib.request, "urlopen", answer)
    sns.fetch_key.cache_clear()
    yield found
    sns.fetch_key.cache_clear()


@pytest.mark.parametrize("version", ["1", "2"])
def test_what_is_signed_for_the_topic_is_taken_with_one_look_at_the_certificate(asked: list[str], version: str) -> None:
    for _ in range(2):
        assert sns.verify_message(sent(signed("hello", version=version)), topic_arn=TOPIC)["Message"] == "hello"
    assert asked == [CERT]


@pytest.mark.parametrize(
    "wrong",
    [
        signed() | {"Message": "forged"},
        signed() | {"Signature": "not base64"},
        signed() | {"SignatureVersion": "3"},
        signed() | {"Type": "UnsubscribeConfirmation"},
        signed(TopicArn=f"{TOPIC}-of-another"),
        signed(SigningCertURL="https://sns.eu-central-1.amazonaws.com.evil.example/a.pem"),
        signed(SigningCertURL="https://sns.us-east-1.amazonaws.com/a.pem"),
        signed(SigningCertURL=CERT.replace("https", "http")),
        signed(SigningCertURL=CERT.removesuffix(".pem")),
        {},
    ],
    ids=lambda wrong: str(wrong.get("SigningCertURL")),
)
def test_anything_else_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(NotAllowed):
        sns.verify_message(sent(wrong), topic_arn=TOPIC)


@pytest.mark.parametrize("body", [b"", b"[]", b"\xff"])
def test_what_is_no_message_is_refused_and_everything_without_a_topic(body: bytes) -> None:
    for sent_body, topic in ((body, TOPIC), (sent(signed()), ""), (sent(signed(TopicArn="")), "")):
        with pytest.raises(NotAllowed):
            sns.verify_message(sent_body, topic_arn=topic)


def test_a_certificate_without_an_rsa_key_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    other = certificate(ec.generate_private_key(ec.SECP256R1()))
    monkeypatch.setattr(sns.urllib.request, "urlopen", lambda *_, **__: io.BytesIO(other))
    with pytest.raises(NotAllowed):
        sns.verify_message(sent(signed()), topic_arn=TOPIC)


def test_a_certificate_that_cannot_be_fetched_has_sns_deliver_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError("no route")

    monkeypatch.setattr(sns.urllib.request, "urlopen", fail)
    with pytest.raises(Unavailable):
        sns.verify_message(sent(signed()), topic_arn=TOPIC)


def test_a_subscription_is_confirmed_at_sns_only(asked: list[str]) -> None:
    where = "https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=1"
    message = signed(kind=sns.CONFIRMATION, SubscribeURL=where, Token="1")
    sns.confirm_subscription(sns.verify_message(sent(message), topic_arn=TOPIC))
    assert asked == [CERT, where]
    with pytest.raises(NotAllowed):
        sns.confirm_subscription(signed(kind=sns.CONFIRMATION, SubscribeURL="https://evil.example/", Token="1"))

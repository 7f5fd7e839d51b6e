"""Messages that Amazon SNS delivers over HTTPS: which are genuine, and confirming the subscription.

AWS ships no verifier for Python: the text that is signed is put together here as its documentation says ("Verifying
the signatures of Amazon SNS messages"), the signature is checked by ``cryptography``.
"""

import base64
import functools
import json
import re
import urllib.request
from collections.abc import Mapping
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.x509 import load_pem_x509_certificate

from config.errors import NotAllowed, Unavailable

NOTIFICATION, CONFIRMATION = "Notification", "SubscriptionConfirmation"
_SIGNED: Mapping[str, tuple[str, ...]] = {
    NOTIFICATION: ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"),
    CONFIRMATION: ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"),
}
_HASHES: Mapping[str, hashes.HashAlgorithm] = {"1": hashes.SHA1(), "2": hashes.SHA256()}  # noqa: S303 - AWS's own
_TOPIC = re.compile(r"arn:aws[a-z-]*:sns:(?P<region>[a-z0-9-]+):\d{12}:.+")
_SECONDS = 5  # for the certificate, and for confirming
_REFUSED = "This is not a message of the topic."


def verify_message(body: bytes, *, topic_arn: str) -> Mapping[str, str]:
    """Return a message that SNS signed for this topic.

    Raises:
        NotAllowed: it is not; no topic is set up.
        Unavailable: the certificate cannot be fetched; SNS delivers the message again.

    """
    topic = _TOPIC.fullmatch(topic_arn)
    message = _read(body)
    names = _SIGNED.get(message.get("Type", ""))
    algorithm = _HASHES.get(message.get("SignatureVersion", ""))
    url = message.get("SigningCertURL", "")
    ours = topic and message.get("TopicArn") == topic_arn and is_of_sns(url, topic["region"])
    if not ours or names is None or algorithm is None or not url.endswith(".pem"):
        raise NotAllowed(_REFUSED)
    text = "".join(f"{name}\n{message[name]}\n" for name in names if name in message)
    try:
        signature = base64.b64decode(message.get("Signature", ""), validate=True)
        fetch_key(url).verify(signature, text.encode(), PKCS1v15(), algorithm)
    except (InvalidSignature, ValueError) as error:
        raise NotAllowed(_REFUSED) from error
    return message


def _read(body: bytes) -> Mapping[str, str]:
    """Raises: NotAllowed."""
    try:
        message = json.loads(body)
    except ValueError as error:
        raise NotAllowed(_REFUSED) from error
    if not isinstance(message, dict):
        raise NotAllowed(_REFUSED)
    return {name: value for name, value in message.items() if isinstance(value, str)}


def is_of_sns(url: str, region: str) -> bool:
    """Return whether the URL is on SNS's own host of this region: whoever writes a message also writes its URLs."""
    parts = urlsplit(url)
    hosts = {f"sns.{region}.amazonaws.com", f"sns.{region}.amazonaws.com.cn"}
    return parts.scheme == "https" and parts.netloc in hosts


@functools.lru_cache(maxsize=8)
def fetch_key(url: str) -> RSAPublicKey:
    """Fetch the public key of a certificate that ``is_of_sns``. Raises: Unavailable; ValueError if it is none."""
    key = load_pem_x509_certificate(_get(url)).public_key()
    if not isinstance(key, RSAPublicKey):
        raise ValueError("The certificate has no RSA key.")  # noqa: TRY004 - of text that came over the network
    return key


def confirm_subscription(message: Mapping[str, str]) -> None:
    """Confirm a verified subscription; confirming again is harmless. Raises: NotAllowed, Unavailable."""
    topic = _TOPIC.fullmatch(message["TopicArn"])
    url = message.get("SubscribeURL", "")
    if not topic or not is_of_sns(url, topic["region"]):
        raise NotAllowed(_REFUSED)
    _get(url)


def _get(url: str) -> bytes:
    """Raises: Unavailable."""
    try:
        with urllib.request.urlopen(url, timeout=_SECONDS) as answer:  # noqa: S310 - is_of_sns: https, AWS's host
            body: bytes = answer.read(65_536)
    except OSError as error:
        raise Unavailable("Amazon SNS does not respond.") from error
    return body

"""One boto3 client per service and process, the one DynamoDB connection, and the S3 storage."""

import base64
import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

import boto3
import botocore.session
import urllib3
from boto3.exceptions import Boto3Error
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.handlers import add_expect_header
from botocore.utils import determine_content_length
from django.conf import settings
from pynamodb.connection import Connection
from storages.backends.s3 import S3Storage

from config import call_count
from config.errors import CountersignError, NotFound, Unavailable
from config.wire import WireFactory


@dataclass(frozen=True)
class CallLimits:
    """How long one call may take: ``attempts`` in all, each with so many seconds for the next bytes of its answer."""

    read_seconds: int
    attempts: int
    s3_read_seconds: int = 30  # S3 answers a large file only when it has stored all of it


WORKER = CallLimits(read_seconds=30, attempts=4)
# A person waits, and so does the thread: where AWS is frozen, a page says so and other pages are answered.
WEB = CallLimits(read_seconds=4, attempts=3)  # with two, a table that throttles now and then fails a page
SWEEPER = CallLimits(read_seconds=5, attempts=2)  # other rows wait, and what fails is tried again soon
_patience = WORKER
# boto3 builds its own from 28 parts for each request, a tenth of what a call costs us.
_USER_AGENT = f"countersign Boto3/{boto3.__version__}"

_SMALL_BODY = 1 << 16  # bytes

_lock = threading.Lock()
_TRANSIENT = {
    "InternalFailure",
    "InternalServerError",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "RequestTimeout",
    "ServiceUnavailable",
    "SlowDown",
    "Throttling",
    "ThrottlingException",
}
# No whole answer. An answer that breaks off in its middle is urllib3's error as it is, and a download that was tried
# again and again boto3's own, which has no ancestor with botocore's.
UNANSWERED = (BotoCoreError, Boto3Error, urllib3.exceptions.HTTPError)
_DAMAGED = {"BadDigest", "InvalidDigest", "XAmzContentChecksumMismatch"}


def be_patient(patience: CallLimits) -> None:
    """Say how long this process waits for AWS, before it makes its first call."""
    global _patience  # noqa: PLW0603 - a process is one kind of process from its start to its end
    _patience = patience


@functools.cache
def _session() -> boto3.session.Session:
    return boto3.session.Session(
        aws_access_key_id=settings.AWS_ACCESS_KEY_ID,
        aws_secret_access_key=settings.AWS_SECRET_ACCESS_KEY,
        region_name=settings.AWS_REGION,
    )


@functools.cache
def _build(service: str) -> Any:
    return separate_client(service)


def separate_client(service: str) -> Any:
    """A client that no one shares; for a process that forks while a thread of its calls."""
    # Presigned URLs are checked by the emulator only in this form; AWS takes it too.
    s3: Any = {"addressing_style": "path"} if settings.ON_LAPTOP else {}
    config = Config(
        signature_version="s3v4" if service == "s3" else None,
        user_agent=_USER_AGENT,
        s3=s3,
        retries={"mode": "standard", "total_max_attempts": _patience.attempts},
        connect_timeout=3,
        read_timeout=_patience.s3_read_seconds if service == "s3" else _patience.read_seconds,
        max_pool_connections=32,
    )
    client = _session().client(service, endpoint_url=settings.AWS_ENDPOINT_URL, config=config)  # type: ignore[call-overload]
    if service == "s3":
        _ask_first_for_large_bodies_only(client)
    call_count.watch(client)
    return client


def _ask_first_for_large_bodies_only(client: Any) -> None:
    """Send a small body with its headers.

    botocore wraps every body for its checksum, then takes it for a file, and asks S3 whether it may send it
    (``Expect: 100-continue``): a round trip that only spares a body that S3 refuses.
    """
    client.meta.events.unregister("before-call.s3", add_expect_header)
    client.meta.events.register("before-call.s3", _ask_first, unique_id="countersign-expect")


def _ask_first(model: Any, params: dict[str, Any], **rest: Any) -> None:
    length = determine_content_length(params["body"]) if params.get("body") else 0
    if length is None or length > _SMALL_BODY:
        add_expect_header(model, params, **rest)


def aws_client(service: str) -> Any:
    """The process's only client of ``service``; threads share it, since building one is not safe and costs 70 ms."""
    with _lock:
        return _build(service)


def forget_clients() -> None:
    """Build them anew when they are asked for."""
    for cache in (_session, _build, _build_provider, dynamodb_connection):
        cache.cache_clear()


@functools.cache
def _build_provider(service: str, seconds: int) -> Any:
    # boto3's own chain finds the credentials, and none of them is the emulator's. Tried again by our own rules only.
    config = Config(  # type: ignore[call-arg]  # the stubs do not know the last one
        retries={"mode": "standard", "total_max_attempts": 1},
        connect_timeout=3,
        read_timeout=seconds,
        max_pool_connections=32,
        ignore_configured_endpoint_urls=True,
    )
    session = boto3.session.Session(region_name=settings.PROVIDERS_REGION)
    return session.client(service, config=config)  # type: ignore[call-overload]


def provider_client(service: str, seconds: int | None = None) -> Any:
    """The process's client of a service that does a stage's work, in AWS itself wherever the desk runs.

    ``seconds``: that one answer may take.
    """
    with _lock:
        return _build_provider(service, seconds or settings.PROVIDER_TIMEOUT_SECONDS)


@functools.cache
def provider_credentials() -> bool:
    """Whether a laptop has credentials for AWS itself, in its environment or files; no one is asked over the network.

    A deployment has the roles of its processes.
    """
    if not settings.ON_LAPTOP:
        return True
    session = botocore.session.get_session()
    session.get_component("credential_provider").remove("iam-role")
    return session.get_credentials() is not None


@functools.cache
def dynamodb_connection() -> Connection:
    """The connection that every PynamoDB model shares: one client a class would cost 60 ms and a pool each."""
    connection = Connection(
        region=settings.AWS_REGION,
        host=settings.AWS_ENDPOINT_URL,
        connect_timeout_seconds=3,
        read_timeout_seconds=_patience.read_seconds,
        max_retry_attempts=_patience.attempts - 1,
        max_pool_connections=32,
        aws_access_key_id=settings.AWS_ACCESS_KEY_ID,
        aws_secret_access_key=settings.AWS_SECRET_ACCESS_KEY,
    )
    connection.session.register_component("response_parser_factory", WireFactory())
    connection.session.set_default_client_config(Config(user_agent=_USER_AGENT))
    with _lock:
        call_count.watch(connection.client)  # built here, once: PynamoDB's own laziness is not safe between threads
    return connection


def dynamodb_client() -> Any:
    """The botocore client under the models, for counting and for faults in tests."""
    return dynamodb_connection().client


@contextmanager
def translate_aws_errors() -> Iterator[None]:
    """Turn botocore's errors into ours.

    Raises:
        NotFound: S3 has no such object, Step Functions no such execution.
        Unavailable: throttled, unreachable, or an error of AWS's own.
        CountersignError: anything else AWS refuses, with its code.

    """
    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        if code in {"NoSuchKey", "404", "ExecutionDoesNotExist", "NotFound"}:
            raise NotFound("Record not found.") from error
        if code in _DAMAGED:
            raise Unavailable(
                "Upload failed: the checksum does not match. Nothing was stored; upload the file again."
            ) from error
        if code in _TRANSIENT or status >= 500:
            raise Unavailable("AWS is not responding. Nothing was changed; try again in a moment.") from error
        raise CountersignError(f"AWS rejected the request: {code}.") from error
    except UNANSWERED as error:
        raise Unavailable("AWS is unreachable. Try again in a moment.") from error


class DocumentStorage(S3Storage):  # type: ignore[misc]  # it ships no types
    """django-storages on the process's own credentials and endpoint; originals are private and never overwritten."""

    def __init__(self, **overrides: Any) -> None:
        values: dict[str, Any] = {
            "bucket_name": settings.BUCKET_NAME,
            "access_key": settings.AWS_ACCESS_KEY_ID,
            "secret_key": settings.AWS_SECRET_ACCESS_KEY,
            "endpoint_url": settings.AWS_ENDPOINT_URL,
            "region_name": settings.AWS_REGION,
            "signature_version": "s3v4",
            "addressing_style": "path" if settings.ON_LAPTOP else None,
            "default_acl": None,
            "file_overwrite": False,
            "querystring_expire": 300,
        }
        super().__init__(**(values | overrides))

    def put_checked(self, name: str, file: BinaryIO, *, sha256: str, content_type: str, kind: str) -> str:
        """Store the file in one request (≤ 5 GB) that S3 refuses where what arrives is not ``sha256`` (hexadecimal).

        ``kind`` becomes the object's tag, which the bucket's lifecycle rules go by.

        Returns the version's id: only the answer to this very request has it, a later look may see someone else's.
        """
        file.seek(0)
        digest = base64.b64encode(bytes.fromhex(sha256)).decode()
        answer = self.bucket.meta.client.put_object(
            Bucket=self.bucket_name,
            Key=name,
            Body=file,
            ContentType=content_type,
            ChecksumSHA256=digest,
            Tagging=f"kind={kind}",
        )
        return str(answer.get("VersionId") or "")

"""One boto3 client per service and process, the one DynamoDB connection, the S3 storage, and a count of their calls."""

import base64
import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, BinaryIO

import boto3
import botocore.session
import urllib3
from boto3.exceptions import Boto3Error
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.handlers import add_expect_header
from botocore.loaders import Loader, create_loader
from botocore.utils import determine_content_length
from django.conf import settings
from pynamodb.connection import Connection
from storages.backends.s3 import S3Storage

from config.aws_answers import AnswerParserFactory
from config.aws_requests import parse_instant, prepare_faster
from config.errors import CountersignError, NotFound, Unavailable


@dataclass(frozen=True)
class CallLimits:
    """Limits of one call: the total number of ``attempts``, and the read timeout of each in seconds."""

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
_count: ContextVar["CallCount | None"] = ContextVar("aws_calls", default=None)
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
    """Set how long this process waits for AWS; call it before the first client is built."""
    global _patience  # noqa: PLW0603 - a process is one kind of process from its start to its end
    _patience = patience


@functools.cache
def _loader() -> Loader:
    return create_loader()


def share_descriptions(session: botocore.session.Session) -> botocore.session.Session:
    """Give ``session`` the services' descriptions that this process, or the one it was forked from, has parsed.

    Each session parses its own otherwise: 9 MB and 0.1 s for SQS, 17 MB for DynamoDB and S3.
    """
    session.register_component("data_loader", _loader())
    return session


@functools.cache
def _session() -> boto3.session.Session:
    session = boto3.session.Session(
        aws_access_key_id=settings.AWS_ACCESS_KEY_ID,
        aws_secret_access_key=settings.AWS_SECRET_ACCESS_KEY,
        region_name=settings.AWS_REGION,
    )
    share_descriptions(session._session)
    parsers = session._session.get_component("response_parser_factory")
    parsers.set_parser_defaults(timestamp_parser=parse_instant)
    return session


@functools.cache
def _build(service: str) -> Any:
    return separate_client(service)


def separate_client(service: str) -> Any:
    """Build a client that is not shared, for a process that forks while one of its threads makes calls."""
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
    _count_calls_of(client)
    return prepare_faster(client)


@dataclass
class CallCount:
    calls: int = 0


@contextmanager
def count_calls() -> Iterator[CallCount]:
    """Count the AWS calls of this thread, for the access log; retries of one call count once."""
    count = CallCount()
    before = _count.set(count)
    try:
        yield count
    finally:
        _count.reset(before)


def _count_calls_of(client: Any) -> None:
    client.meta.events.register("before-call", _add_one, unique_id="countersign-calls")


def _add_one(**_: Any) -> None:
    if count := _count.get():
        count.calls += 1


def _ask_first_for_large_bodies_only(client: Any) -> None:
    """Send small bodies without waiting for ``100-continue``.

    botocore wraps every body to compute its checksum, takes the wrapper for a file, and asks S3 first
    (``Expect: 100-continue``). The round trip only pays off when S3 refuses a large body.
    """
    client.meta.events.unregister("before-call.s3", add_expect_header)
    client.meta.events.register("before-call.s3", _ask_first, unique_id="countersign-expect")


def _ask_first(model: Any, params: dict[str, Any], **rest: Any) -> None:
    length = determine_content_length(params["body"]) if params.get("body") else 0
    if length is None or length > _SMALL_BODY:
        add_expect_header(model, params, **rest)


def aws_client(service: str) -> Any:
    """Return the process's client of ``service``; threads share it. To build one costs 70 ms and is not thread-safe."""
    with _lock:
        return _build(service)


def forget_clients() -> None:
    """Drop all clients; the next use builds new ones."""
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
    share_descriptions(session._session)
    return session.client(service, config=config)  # type: ignore[call-overload]


def provider_client(service: str, seconds: int | None = None) -> Any:
    """Return this process's client of a service that does a stage's work; it calls AWS itself, never the emulator.

    ``seconds``: read timeout of one call.
    """
    with _lock:
        return _build_provider(service, seconds or settings.PROVIDER_TIMEOUT_SECONDS)


@functools.cache
def provider_credentials() -> bool:
    """Return whether this process can call AWS itself. A laptop needs credentials in its environment or files.

    A deployment always can: its processes have roles. Nothing is asked over the network.
    """
    if not settings.ON_LAPTOP:
        return True
    session = botocore.session.get_session()
    session.get_component("credential_provider").remove("iam-role")
    return session.get_credentials() is not None


@functools.cache
def dynamodb_connection() -> Connection:
    """The connection that all PynamoDB models share: a client per class would cost 60 ms and a connection pool each."""
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
    share_descriptions(connection.session).register_component("response_parser_factory", AnswerParserFactory())
    connection.session.set_default_client_config(Config(user_agent=_USER_AGENT))
    with _lock:
        client = prepare_faster(connection.client)  # built once: PynamoDB's own laziness is not safe between threads
        _count_calls_of(client)
    return connection


def dynamodb_client() -> Any:
    """The botocore client under the models, for tests that count calls or inject faults."""
    return dynamodb_connection().client


@contextmanager
def translate_aws_errors() -> Iterator[None]:
    """Translate botocore's errors into domain errors.

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
    """django-storages with the process's own credentials and endpoint. Originals are private and never overwritten."""

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

    def _create_session(self) -> boto3.session.Session:
        session: boto3.session.Session = super()._create_session()
        share_descriptions(session._session)
        return session

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

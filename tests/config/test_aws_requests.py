"""Requests that are signed and addressed with what was remembered are byte for byte botocore's."""

import datetime as dt
import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import boto3.session
import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config

from config.aws_requests import parse_instant, prepare_faster

AT = dt.datetime(2026, 11, 26, 4, 0, 1, tzinfo=dt.UTC)
CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("dynamodb", "get_item", {"TableName": "desk", "Key": {"PK": {"S": "ä"}, "SK": {"S": "b"}}}),
    ("dynamodb", "query", {"TableName": "desk", "KeyConditionExpression": "PK = :p", "Limit": 25}),
    ("dynamodb", "transact_write_items", {"TransactItems": [{"Put": {"TableName": "desk", "Item": {}}}]}),
    ("sqs", "send_message", {"QueueUrl": "https://sqs.eu-central-1.amazonaws.com/1/q", "MessageBody": "ü" * 40}),
    ("s3", "get_object", {"Bucket": "desk", "Key": "a/b ü+&.json"}),
    ("s3", "get_object", {"Bucket": "other", "Key": "x", "VersionId": "a=b", "Range": "bytes=0-9"}),
    ("s3", "put_object", {"Bucket": "desk", "Key": "a.json", "Body": b"{}", "Metadata": {"who": "a  b "}}),
    ("s3", "put_object", {"Bucket": "desk", "Key": "empty", "Body": b"", "IfNoneMatch": "*"}),
    ("s3", "delete_object", {"Bucket": "desk", "Key": "a//b/../c"}),
    ("s3", "head_object", {"Bucket": "desk", "Key": "a"}),
    ("s3", "list_objects_v2", {"Bucket": "desk", "Prefix": "a/ü b", "ContinuationToken": "x/+="}),
    ("s3", "copy_object", {"Bucket": "desk", "Key": "b", "CopySource": {"Bucket": "desk", "Key": "a ü"}}),
    ("stepfunctions", "send_task_success", {"taskToken": "t", "output": "{}"}),
]  # fmt: skip


def _client(service: str, token: str | None = None, **options: Any) -> Any:
    session = boto3.session.Session("AKIDEXAMPLE", "secret", token, "eu-central-1")
    retries = {"mode": "standard", "total_max_attempts": 1}
    config = Config(  # type: ignore[call-arg]  # the stubs do not know the last one
        user_agent="countersign",  # botocore's own adds what it has done before
        retries=retries,  # type: ignore[arg-type]
        ignore_configured_endpoint_urls=True,
    )
    return session.client(service, config=config, **options)  # type: ignore[call-overload]


@functools.cache
def _pair(service: str, token: str | None, endpoint: str | None) -> tuple[Any, Any]:
    """botocore's own and one of ours."""
    usual, ours = (_client(service, token, endpoint_url=endpoint) for _ in range(2))
    return usual, prepare_faster(ours)


@contextmanager
def _at_one_instant() -> Iterator[None]:
    with (
        mock.patch("botocore.auth.get_current_datetime", return_value=AT),
        mock.patch("config.aws_requests.get_current_datetime", return_value=AT),
        mock.patch("uuid.uuid4", return_value="one-id"),
    ):
        yield


def _prepared(client: Any, operation: str, params: dict[str, Any]) -> tuple[Any, ...]:
    """The request as it would be sent; nothing is."""
    seen: list[AWSPreparedRequest] = []

    def note(request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        seen.append(request)
        raise ConnectionError

    client.meta.events.register("before-send", note, unique_id="note")
    with _at_one_instant(), pytest.raises(ConnectionError):
        getattr(client, operation)(**params)
    client.meta.events.unregister("before-send", unique_id="note")
    (request,) = seen
    body = request.body.read() if hasattr(request.body, "read") else request.body
    return request.method, request.url, list(request.headers.items()), body, request.stream_output


@pytest.mark.wide
@pytest.mark.parametrize("token", [None, "session-token"])
@pytest.mark.parametrize("endpoint", [None, "http://127.0.0.1:9"])
@pytest.mark.parametrize(("service", "operation", "params"), CALLS, ids=lambda one: one if isinstance(one, str) else "")
def test_a_request_has_botocores_address_headers_signature_and_body(
    service: str, operation: str, params: dict[str, Any], endpoint: str | None, token: str | None
) -> None:
    usual, ours = _pair(service, token, endpoint)
    for _ in range(2):  # the second with what was remembered of the first
        assert _prepared(ours, operation, params) == _prepared(usual, operation, params)


def test_a_header_that_stands_there_twice_is_signed_as_botocore_signs_it() -> None:
    def add_twice(request: Any, **_: Any) -> None:
        for value in ("b", "a"):
            request.headers.add_header("X-Amz-Meta-Twice", value)

    usual, ours = (_client("s3"), prepare_faster(_client("s3")))
    for client in (usual, ours):
        client.meta.events.register("before-sign", add_twice)
    one = ("head_object", {"Bucket": "desk", "Key": "a"})
    assert _prepared(ours, *one) == _prepared(usual, *one)


def test_a_presigned_address_is_botocores() -> None:
    params = {"Bucket": "desk", "Key": "a ü"}
    usual, ours = _pair("s3", None, None)
    with _at_one_instant():
        assert ours.generate_presigned_url("get_object", params) == usual.generate_presigned_url("get_object", params)


def test_another_bucket_and_other_credentials_are_never_taken_for_the_last() -> None:
    _, ours = _pair("s3", None, None)
    urls = [_prepared(ours, "head_object", {"Bucket": name, "Key": "a"})[1] for name in ("one", "two", "one")]
    assert [url.split("//")[1][:3] for url in urls] == ["one", "two", "one"]
    usual, renewed = _pair("s3", "session-token", None)
    one = ("head_object", {"Bucket": "one", "Key": "a"})
    assert _prepared(renewed, *one) == _prepared(usual, *one) != _prepared(ours, *one)


def test_a_bucket_that_turns_out_to_be_elsewhere_is_asked_there_from_then_on() -> None:
    for client in (_client("s3"), prepare_faster(_client("s3"))):
        urls: list[str] = []

        def answer(request: AWSPreparedRequest, urls: list[str] = urls, **_: Any) -> AWSResponse:
            urls.append(request.url)
            moved = ".eu-west-1." not in request.url
            raw = mock.Mock(stream=lambda *_a, **_k: iter(()), read=lambda *_: b"")
            headers = {"x-amz-bucket-region": "eu-west-1"} if moved else {"content-length": "0"}
            return AWSResponse(request.url, 301 if moved else 200, headers, raw)

        client.meta.events.register("before-send", answer)
        for _ in range(2):
            client.head_object(Bucket="desk", Key="a")
        assert [url.split(".")[2] for url in urls] == ["eu-central-1", "eu-west-1", "eu-west-1"]


def test_an_address_is_worked_out_once_for_each_bucket() -> None:
    client = _client("s3")
    with mock.patch.object(
        client._ruleset_resolver, "construct_endpoint", wraps=client._ruleset_resolver.construct_endpoint
    ) as worked_out:
        prepare_faster(client)
        for name in ("a", "b"):
            _prepared(client, "get_object", {"Bucket": "desk", "Key": name})
    assert worked_out.call_count == 1


@pytest.mark.parametrize("text", ["Thu, 26 Nov 2026 04:00:01 GMT", "2026-11-26T04:00:01Z", 1795665601])
def test_instants_are_read_as_botocore_reads_them(text: Any) -> None:
    assert parse_instant(text) == AT

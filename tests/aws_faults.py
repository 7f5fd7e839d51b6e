"""Faults at the AWS boundary: a call that crashes before or after it, a call that is refused, and all calls counted.

Everything of this process passes here, whichever client it uses: ours, PynamoDB's, django-storages' and Celery's all
end in botocore's one method, which is wrapped while a fault is wanted. Services have boto3's names ("dynamodb", "s3",
"sqs", "stepfunctions", "events"), operations AWS's ("TransactWriteItems").
"""

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, NamedTuple
from unittest import mock

from botocore.client import BaseClient
from botocore.exceptions import ConnectionClosedError
from botocore.validate import validate_parameters

from config import transaction

_EVENT = re.compile("EVENT#|activity#")
Around = Callable[[BaseClient, str, dict[str, Any], Callable[[], Any]], Any]


class Crash(BaseException):
    """The process was killed at this call: no ``except Exception`` of ours may notice it."""


class Call(NamedTuple):
    service: str
    operation: str
    params: dict[str, Any]


class Calls:
    """What was called, in order; ``answers`` beside it, None where the call was refused."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.answers: list[dict[str, Any] | None] = []
        self._lock = threading.Lock()

    def add(self, call: Call, answer: dict[str, Any] | None) -> None:
        with self._lock:
            self.calls.append(call)
            self.answers.append(answer)

    def of(self, service: str, operation: str | None = None) -> list[Call]:
        return [call for call in self.calls if call.service == service and operation in {None, call.operation}]

    def names(self) -> list[str]:
        """For example ``["s3.PutObject", "dynamodb.TransactWriteItems"]``."""
        return [f"{call.service}.{call.operation}" for call in self.calls]

    def of_page(self) -> list[str]:
        """What a page of a document cost before it was sent: that somebody looked is put on a queue afterwards."""
        return [name for name in self.names() if not name.startswith("sqs.")]


@contextmanager
def _around(wrapper: Around) -> Iterator[None]:
    inner = BaseClient._make_api_call  # faults nest: the one opened last acts first

    def wrapped(client: BaseClient, operation: str, params: dict[str, Any]) -> Any:
        return wrapper(client, operation, params, lambda: inner(client, operation, params))

    with mock.patch.object(BaseClient, "_make_api_call", wrapped):
        yield


class _Nth:
    """Matches the calls number ``first`` to ``last`` (from 1) of one operation, over all threads."""

    def __init__(self, service: str, operation: str, first: int, last: int) -> None:
        self.name = (service, operation)
        self.range = range(first, last + 1)
        self.seen = 0
        self._lock = threading.Lock()

    def matches(self, client: BaseClient, operation: str) -> bool:
        if (client.meta.service_model.service_name, operation) != self.name:
            return False
        with self._lock:
            self.seen += 1
            return self.seen in self.range


@contextmanager
def crash_before(service: str, operation: str, nth: int = 1) -> Iterator[None]:
    """The process dies as it makes this call: AWS never saw it. The Crash ends this block, or the test fails."""
    with _crash(service, operation, nth, after=False):
        yield


@contextmanager
def crash_after(service: str, operation: str, nth: int = 1) -> Iterator[None]:
    """The process dies with AWS's answer unread: the call has been carried out."""
    with _crash(service, operation, nth, after=True):
        yield


@contextmanager
def _crash(service: str, operation: str, nth: int, *, after: bool) -> Iterator[None]:
    which = _Nth(service, operation, nth, nth)
    here = Crash(f"{'after' if after else 'before'} {service}.{operation} number {nth}")

    def act(client: BaseClient, name: str, _params: dict[str, Any], go_on: Callable[[], Any]) -> Any:
        if not which.matches(client, name):
            return go_on()
        if after:
            go_on()
        raise here

    with _around(act):
        try:
            yield
        except Crash as crash:
            if crash is not here:
                raise
            return
    if which.seen < nth:  # a test that crashes nowhere would prove nothing; another thread's crash does not come here
        raise AssertionError(f"{service}.{operation} was called {which.seen} times, never number {nth}")


@contextmanager
def fail(
    service: str,
    operation: str,
    *,
    error_code: str = "ThrottlingException",
    first: int = 1,
    times: int = 1,
    after: bool = False,
    extra: dict[str, Any] | None = None,
) -> Iterator[None]:
    """Refuse the next calls, from the ``first`` on, as AWS would once botocore's own retries are used up.

    ``error_code="connection"`` is a broken connection. ``after`` carries the call out and loses its answer. ``extra``
    is merged into the error's response, for example CancellationReasons. Transactions are tried again without their
    pauses, which add up to two seconds.
    """
    which = _Nth(service, operation, first, first + times - 1)

    def act(client: BaseClient, name: str, _params: dict[str, Any], go_on: Callable[[], Any]) -> Any:
        if not which.matches(client, name):
            return go_on()
        if after:
            go_on()
        if error_code == "connection":
            raise ConnectionClosedError(endpoint_url=client.meta.endpoint_url)
        response = {
            "Error": {"Code": error_code, "Message": "An injected fault."},
            "ResponseMetadata": {"HTTPStatusCode": 400, "HTTPHeaders": {}, "RetryAttempts": 3},
        } | (extra or {})
        raise client.exceptions.from_code(error_code)(response, name)

    with _around(act), mock.patch.object(transaction, "time", SimpleNamespace(sleep=lambda _seconds: None)):
        yield


@contextmanager
def answered(service: str, operation: str, answer: Mapping[str, Any]) -> Iterator[Calls]:
    """AWS answers so, each time, and is not called: what is sent and what is answered fit botocore's own model."""
    seen = Calls()

    def wrapper(client: BaseClient, name: str, params: dict[str, Any], go_on: Callable[[], Any]) -> Any:
        if (client.meta.service_model.service_name, name) != (service, operation):
            return go_on()
        model = client.meta.service_model.operation_model(name)
        validate_parameters(params, model.input_shape)
        validate_parameters(dict(answer), model.output_shape)
        seen.add(Call(service, name, params), dict(answer))
        return dict(answer)

    with _around(wrapper):
        yield seen


@contextmanager
def before_each(service: str, operation: str, act: Callable[[], None], *, times: int = 1) -> Iterator[None]:
    """Somebody else acts just before the next calls; what ``act`` itself calls is let through."""
    which, within = _Nth(service, operation, 1, times), threading.local()

    def wrapper(client: BaseClient, name: str, _params: dict[str, Any], go_on: Callable[[], Any]) -> Any:
        if not getattr(within, "acts", False) and which.matches(client, name):
            within.acts = True
            try:
                act()
            finally:
                within.acts = False
        return go_on()

    with _around(wrapper):
        yield


@contextmanager
def raise_before(service: str, operation: str, error: Exception, *, times: int = 1) -> Iterator[None]:
    """The next calls raise what nobody expects: no error of AWS's, botocore's or ours."""
    which = _Nth(service, operation, 1, times)

    def act(client: BaseClient, name: str, _params: dict[str, Any], go_on: Callable[[], Any]) -> Any:
        if which.matches(client, name):
            raise error
        return go_on()

    with _around(act):
        yield
    if not which.seen:
        raise AssertionError(f"{service}.{operation} was never called.")


@contextmanager
def audit_refused() -> Iterator[None]:
    """The table itself refuses each event of a transaction, and with it the change; the test fails where none came."""
    refused = 0

    def act(_client: BaseClient, name: str, params: dict[str, Any], go_on: Callable[[], Any]) -> Any:
        nonlocal refused
        for put in (
            one["Put"] for one in params.get("TransactItems", ()) if name == "TransactWriteItems" and "Put" in one
        ):
            if put["Item"]["PK"]["S"].rpartition("/")[2].startswith("entityevent#") or _EVENT.match(
                put["Item"]["SK"]["S"]
            ):
                put["ConditionExpression"] = put["ConditionExpression"].replace(
                    "attribute_not_exists", "attribute_exists"
                )
                refused += 1
        return go_on()

    with _around(act):
        yield
    if not refused:
        raise AssertionError("No transaction with an event came by.")


@contextmanager
def count_calls() -> Iterator[Calls]:
    """Every call made inside, refused ones too; calls that a fault inside stops are not counted."""
    counted = Calls()

    def act(client: BaseClient, name: str, params: dict[str, Any], go_on: Callable[[], Any]) -> Any:
        call = Call(client.meta.service_model.service_name, name, params)
        try:
            answer = go_on()
        except BaseException:
            counted.add(call, None)
            raise
        counted.add(call, answer)
        return answer

    with _around(act):
        yield counted

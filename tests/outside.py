"""AWS's services that the embedded AWS does not have, answering the product's own clients.

Requests are checked and answers too, by botocore against the service's model; nothing is sent anywhere.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from botocore.validate import validate_parameters

from config import aws

Answerer = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass
class Outside:
    """``asked``: each call's operation and parameters. An answer may be an error's code instead."""

    answers: dict[str, Answerer | str]
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def count(self) -> Counter[str]:
        return Counter(name for name, _ in self.asked)

    def before_parameters(self, params: dict[str, Any], model: Any, **_: Any) -> None:
        self.asked.append((model.name, dict(params)))

    def before_call(self, model: Any, **_: Any) -> tuple[Any, dict[str, Any]]:
        answerer = self.answers[model.name]
        if isinstance(answerer, str):
            return _Http(400), {"Error": {"Code": answerer, "Message": ""}, "ResponseMetadata": {"HTTPStatusCode": 400}}
        answer = answerer(self.asked[-1][1])
        validate_parameters(answer, model.output_shape)
        return _Http(200), {**answer, "ResponseMetadata": {"HTTPStatusCode": 200}}


@dataclass(frozen=True)
class _Http:
    status_code: int


@contextmanager
def answering(service: str, **answers: Answerer | str) -> Iterator[Outside]:
    """The product's client of ``service`` gets these answers, by operation."""
    outside = Outside(answers)
    events = aws.provider_client(service).meta.events
    events.register_first("before-parameter-build.*", outside.before_parameters, unique_id="outside-params")
    events.register_first("before-call.*", outside.before_call, unique_id="outside-call")
    try:
        yield outside
    finally:
        events.unregister("before-parameter-build.*", outside.before_parameters, unique_id="outside-params")
        events.unregister("before-call.*", outside.before_call, unique_id="outside-call")

"""Outside services under a test: real clients whose requests and answers botocore checks against its service models."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import boto3
from botocore.config import Config
from botocore.stub import Stubber

from workflows.providers.calls import Caller, Provider


@contextmanager
def stubbed(service: str) -> Iterator[tuple[Any, Stubber]]:
    """A client that answers what the stubber was given, in its order, and all of it."""
    config = Config(retries={"total_max_attempts": 1})
    client: Any = boto3.client(
        service,  # type: ignore[call-overload]
        region_name="us-east-1",
        aws_access_key_id="x",
        aws_secret_access_key="x",
        endpoint_url="https://nobody.invalid",
        config=config,
    )
    with Stubber(client) as stubber:
        yield client, stubber
        stubber.assert_no_pending_responses()


@dataclass
class OpenGate:
    """Lets everything through and remembers what it was told."""

    told: list[str] = field(default_factory=list)
    seconds: float = 7.0

    def admit_call(self, provider: str) -> None:
        self.told.append("admit")

    def record_failure(self, provider: str, error: str) -> float:
        self.told.append(f"failed {error}")
        return self.seconds

    def record_success(self, provider: str) -> None:
        self.told.append("worked")

    def record_refusal(self, provider: str, error: str) -> None:
        self.told.append(f"refused {error}")


def caller(provider: Provider, *, attempts: int = 4, gate: OpenGate | None = None) -> Caller:
    """It does not wait."""
    return Caller(provider, gate or OpenGate(), attempts, sleep=lambda _seconds: None)

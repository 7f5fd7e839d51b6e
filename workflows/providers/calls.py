"""Calling an outside service: which errors are tried again and how often, and what the others mean for a person."""

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import urllib3
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionClosedError,
    ConnectionError,  # noqa: A004 - botocore's own name of it
    CredentialRetrievalError,
    HTTPClientError,
    NoCredentialsError,
    PartialCredentialsError,
    TokenRetrievalError,
    UnauthorizedSSOTokenError,
)

from config.errors import ProviderPaused, StageFailed, Unavailable

T = TypeVar("T")

# Only these are tried again (AWS's names, over all services that we use); everything else is someone's to mend.
TRANSIENT = frozenset(
    {
        "InternalFailure",
        "InternalFailureException",
        "InternalServerError",
        "InternalServerException",
        "LimitExceededException",  # of Textract and Transcribe: too many jobs at once
        "ModelErrorException",
        "ModelNotReadyException",
        "ModelTimeoutException",
        "ProvisionedThroughputExceededException",
        "RequestTimeout",
        "ServiceQuotaExceededException",  # of Data Automation: too many jobs at once
        "ServiceUnavailable",
        "ServiceUnavailableException",
        "SlowDown",
        "ThrottlingException",
        "TooManyRequestsException",
    }
)
# The last is what botocore lets through of an answer that breaks off in its middle.
_UNREACHABLE = (ConnectionClosedError, ConnectionError, HTTPClientError, urllib3.exceptions.HTTPError)
_NO_CREDENTIALS = (
    CredentialRetrievalError,
    NoCredentialsError,
    PartialCredentialsError,
    TokenRetrievalError,
    UnauthorizedSSOTokenError,
)
_BAD_CREDENTIALS = frozenset(
    {
        "ExpiredToken",
        "ExpiredTokenException",
        "IncompleteSignature",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "UnrecognizedClientException",
    }
)
# Not of this document: no one can use the service until someone mends the setting, the role or the certificate.
_SHUT = _BAD_CREDENTIALS | {
    *(one.__name__ for one in _NO_CREDENTIALS),
    "AccessDenied",
    "AccessDeniedException",
    "ResourceNotFoundException",  # the model or the project that the settings name
    "401",
    "403",
    "TLS",
}
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 8.0  # seconds


@dataclass(frozen=True)
class Provider:
    """``name`` is in keys and settings, ``label`` on pages; ``sentences``: error code → what a person should do."""

    name: str
    label: str
    sentences: Mapping[str, str] = field(default_factory=dict)


class Gate(Protocol):
    """The circuit breaker that all workers share."""

    def admit_call(self, provider: str) -> None:
        """Raises: ProviderPaused."""
        ...

    def record_failure(self, provider: str, error: str) -> float:
        """Seconds to leave the service alone."""
        ...

    def record_success(self, provider: str) -> None: ...

    def record_refusal(self, provider: str, error: str) -> None:
        """It does not let us use it, whatever it is asked."""
        ...


@dataclass(frozen=True)
class Caller:
    """``attempts``: of one call. Between them full jitter: any time up to a bound that doubles (AWS, "Exponential
    Backoff And Jitter"), so that workers that were throttled together do not come back together.
    """

    provider: Provider
    gate: Gate
    attempts: int
    sleep: Callable[[float], None] = time.sleep
    draw: Callable[[float, float], float] = random.uniform

    def __call__(self, call: Callable[[], T]) -> T:
        """
        Raises:
            ProviderPaused: it does not answer, or others found so before.
            StageFailed: it refuses, and would refuse again; ``code`` is its word for it.

        """
        self.gate.admit_call(self.provider.name)
        why = ""
        for attempt in range(self.attempts):
            if attempt:
                self.sleep(self.draw(0.0, min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0**attempt)))
            try:
                answer = call()
            except StageFailed as error:  # of a service that speaks no AWS
                self._record_answer(error)
                raise
            except (ClientError, BotoCoreError, urllib3.exceptions.HTTPError, Unavailable) as error:
                why = self._explain_failure(error)
            else:
                self.gate.record_success(self.provider.name)
                return answer
        seconds = self.gate.record_failure(self.provider.name, why)
        sentence = f"{self.provider.label} is not responding ({why}).{ProviderPaused.RESUMES}"
        raise ProviderPaused(sentence, provider=self.provider.name, seconds=seconds)

    def _explain_failure(self, error: Exception) -> str:
        try:
            return self._transient(error)
        except StageFailed as failed:
            if isinstance(error, ClientError) or failed.code in _SHUT:
                self._record_answer(failed)
            raise

    def _record_answer(self, error: StageFailed) -> None:
        """It answers, whatever it thinks of this document; or it does not let us in."""
        if error.code in _SHUT:
            self.gate.record_refusal(self.provider.name, error.code)
        else:
            self.gate.record_success(self.provider.name)

    def _transient(self, error: Exception) -> str:
        """Its name where trying again may help. Raises: StageFailed."""
        if isinstance(error, Unavailable):
            return str(error)
        if isinstance(error, ClientError):
            code = str(error.response.get("Error", {}).get("Code") or "")
            if code in TRANSIENT or _status(error) >= 500:
                return code or f"HTTP {_status(error)}"
            if code in _BAD_CREDENTIALS:
                raise StageFailed(self._credentials("AWS does not accept the credentials"), code=code) from error
            raise StageFailed(self._explain_refusal(code), code=code) from error
        if isinstance(error, _NO_CREDENTIALS):
            raise StageFailed(self._credentials("no AWS credentials were found"), code=type(error).__name__) from error
        if isinstance(error, _UNREACHABLE):
            return type(error).__name__
        # botocore's own words name parameters and may hold their values: only the kind of error is told
        raise StageFailed(self._explain_refusal(type(error).__name__), code=type(error).__name__) from error

    def _credentials(self, problem: str) -> str:
        return (
            f"{self.provider.label} is chosen for this document, and {problem}. Give the workers a role or keys that "
            "may use it and run the document again, or choose the local way instead."
        )

    def _explain_refusal(self, code: str) -> str:
        if code in self.provider.sentences:
            return self.provider.sentences[code]
        if code in {"AccessDenied", "AccessDeniedException"}:
            return (
                f"AWS does not let the workers use {self.provider.label}. Allow it in their role, and the model where "
                "it is one, then run the document again."
            )
        return f"{self.provider.label} rejected this document: {code}."


def _status(error: ClientError) -> int:
    metadata: Any = error.response.get("ResponseMetadata") or {}
    return int(metadata.get("HTTPStatusCode") or 0)

"""Calls of external services: which errors are retried and how often, and messages for the others."""

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
from config.phrase import Sentence

_SILENT = Sentence("%(service)s is not responding (%(why)s).")
T = TypeVar("T")

# Only these are retried (AWS's names, over all services that we use); for others someone has to act.
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
# The last one is what botocore raises if an answer breaks off.
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
# Not this document's fault: the service is unusable until someone fixes the setting, the role or the certificate.
_SHUT = _BAD_CREDENTIALS | {
    *(one.__name__ for one in _NO_CREDENTIALS),
    "AccessDenied",
    "AccessDeniedException",
    "ResourceNotFoundException",  # the model or project in the settings does not exist
    "401",
    "403",
    "TLS",
}
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 8.0  # seconds


@dataclass(frozen=True)
class Provider:
    """``name`` is in keys and settings, ``label`` on pages; ``sentences``: error code → message for people."""

    name: str
    label: str
    sentences: Mapping[str, str] = field(default_factory=dict)


class Gate(Protocol):
    """The circuit breaker that all workers share."""

    def admit_call(self, provider: str) -> None:
        """Raises: ProviderPaused."""
        ...

    def record_failure(self, provider: str, error: str) -> float:
        """Return the seconds to pause."""
        ...

    def record_success(self, provider: str) -> None: ...

    def record_refusal(self, provider: str, error: str) -> None:
        """Record that it denies all requests."""
        ...


@dataclass(frozen=True)
class Caller:
    """Retries calls. ``attempts``: tries of one call.

    Between them it waits with full jitter: a random time up to a bound that doubles (AWS, "Exponential Backoff And
    Jitter"), so that workers that were throttled together do not return together.
    """

    provider: Provider
    gate: Gate
    attempts: int
    sleep: Callable[[float], None] = time.sleep
    draw: Callable[[float, float], float] = random.uniform

    def __call__(self, call: Callable[[], T]) -> T:
        """Call the service, with retries.

        Raises:
            ProviderPaused: it does not answer, or its circuit is open.
            StageFailed: it refuses, and would refuse again; ``code`` is its error code.

        """
        self.gate.admit_call(self.provider.name)
        why = ""
        for attempt in range(self.attempts):
            if attempt:
                self.sleep(self.draw(0.0, min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0**attempt)))
            try:
                answer = call()
            except StageFailed as error:  # from a service other than AWS
                self._record_answer(error)
                raise
            except (ClientError, BotoCoreError, urllib3.exceptions.HTTPError, Unavailable) as error:
                why = self._explain_failure(error)
            else:
                self.gate.record_success(self.provider.name)
                return answer
        seconds = self.gate.record_failure(self.provider.name, why)
        sentence = ProviderPaused.RESUMES.fill(reason=_SILENT.fill(service=self.provider.label, why=why))
        raise ProviderPaused(sentence, provider=self.provider.name, seconds=seconds)

    def _explain_failure(self, error: Exception) -> str:
        try:
            return self._transient(error)
        except StageFailed as failed:
            if isinstance(error, ClientError) or failed.code in _SHUT:
                self._record_answer(failed)
            raise

    def _record_answer(self, error: StageFailed) -> None:
        """Record an answer, even if it rejects this document; or a denial of access."""
        if error.code in _SHUT:
            self.gate.record_refusal(self.provider.name, error.code)
        else:
            self.gate.record_success(self.provider.name)

    def _transient(self, error: Exception) -> str:
        """Return the name of a transient error. Raises: StageFailed for others."""
        if isinstance(error, Unavailable):
            return str(error)
        if isinstance(error, ClientError):
            code = str(error.response.get("Error", {}).get("Code") or "")
            if code in TRANSIENT or _status(error) >= 500:
                return code or f"HTTP {_status(error)}"
            if code in _BAD_CREDENTIALS:
                raise StageFailed(
                    self._credentials(Sentence("AWS does not accept the credentials")), code=code
                ) from error
            raise StageFailed(self._explain_refusal(code), code=code) from error
        if isinstance(error, _NO_CREDENTIALS):
            raise StageFailed(
                self._credentials(Sentence("no AWS credentials were found")), code=type(error).__name__
            ) from error
        if isinstance(error, _UNREACHABLE):
            return type(error).__name__
        # botocore's messages may contain parameter values, so only the type of the error is reported
        raise StageFailed(self._explain_refusal(type(error).__name__), code=type(error).__name__) from error

    def _credentials(self, problem: str) -> str:
        return Sentence(
            "%(service)s is selected for this document, but %(problem)s. Give the workers a role or keys with "
            "access, or select another model or built-in processing, then try again."
        ).fill(service=self.provider.label, problem=problem)

    def _explain_refusal(self, code: str) -> str:
        if code in self.provider.sentences:
            return self.provider.sentences[code]
        if code in {"AccessDenied", "AccessDeniedException"}:
            return Sentence(
                "The workers may not use %(service)s. Allow it in their role (and the model, if it is one), then "
                "re-run the document."
            ).fill(service=self.provider.label)
        return Sentence("%(service)s rejected this document: %(code)s.").fill(service=self.provider.label, code=code)


def _status(error: ClientError) -> int:
    metadata: Any = error.response.get("ResponseMetadata") or {}
    return int(metadata.get("HTTPStatusCode") or 0)

"""Asynchronous jobs of services: started with an idempotency token, polled until they have ended."""

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True)
class RunningJob:
    """The job has not ended."""


@dataclass(frozen=True)
class S3File:
    """A file in S3 for services to read. ``version`` empty: the latest."""

    bucket: str
    key: str
    version: str = ""

    @property
    def uri(self) -> str:
        return f"s3://{self.bucket}/{self.key}"


def job_token(*parts: str | int) -> str:
    """Derive an idempotency token from a run's step and attempt, so that a repeated request starts one job.

    Hashed, since site and run ids may exceed the 64 characters that Textract accepts.

    >>> job_token("default", "01H", 3, 1)
    'countersign-e5e5308fe51185f1d0840f38f1e69c65'
    """
    return "countersign-" + hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:32]

"""Work that a service does in its own time: begun under a token, looked at until it has ended."""

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True)
class RunningJob:
    """Not done yet."""


@dataclass(frozen=True)
class S3File:
    """A file where the services read it. ``version`` empty: the newest."""

    bucket: str
    key: str
    version: str = ""

    @property
    def uri(self) -> str:
        return f"s3://{self.bucket}/{self.key}"


def job_token(*parts: str | int) -> str:
    """The same for the same step and attempt of a run, so that a job asked for twice is begun once.

    Hashed, since sites and runs together may be longer than the 64 characters that Textract takes.

    >>> job_token("default", "01H", 3, 1)
    'countersign-e5e5308fe51185f1d0840f38f1e69c65'
    """
    return "countersign-" + hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:32]

"""Files of a container, and the limits of extraction."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from config.errors import Refused
from config.phrase import Phrase

_NAME = 255


@dataclass(frozen=True)
class Limits:
    """``files`` and ``bytes``: of all extracted files together; ``ratio``: the highest compression ratio of one."""

    files: int
    bytes: int
    ratio: int = 200


@dataclass(frozen=True)
class Member:
    """``write`` writes its content to an empty file. It raises Refused if it is damaged, encrypted or too large."""

    name: str
    write: Callable[[Path], None]


class Budget:
    """The number of bytes that may still be extracted."""

    def __init__(self, limits: Limits) -> None:
        self.limits, self.left = limits, limits.bytes

    def spend(self, size: int) -> None:
        """Raises: Refused."""
        self.left -= size
        if self.left < 0:
            raise too_large(self.limits)


def printable_name(name: str, fallback: str) -> str:
    """Return the last part of a path without unprintable characters: it is displayed, and never part of our paths."""
    last = name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    kept = "".join(letter for letter in last if letter.isprintable()).strip()
    return kept[-_NAME:] or fallback


def too_many(count: int, limits: Limits) -> Refused:
    return Refused(
        Phrase("Contains %(count)s files; the limit is %(files)s. Split it and upload the parts.")
        % {"count": f"{count:,}", "files": f"{limits.files:,}"}
    )


def too_large(limits: Limits) -> Refused:
    return Refused(
        Phrase("Larger than %(value)s MB when extracted. Split it and upload the parts.")
        % {"value": f"{limits.bytes // 1024**2:,}"}
    )

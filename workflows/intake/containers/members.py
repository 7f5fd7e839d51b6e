"""One file of a container, and how much may come out of one."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from config.errors import Refused

_NAME = 255


@dataclass(frozen=True)
class Limits:
    """``files`` and ``bytes`` of all that comes out together; ``ratio``: how many times its packed size one may be."""

    files: int
    bytes: int
    ratio: int = 200


@dataclass(frozen=True)
class Member:
    """``write`` puts its content into an empty file. It raises Refused for what is damaged, locked or too large."""

    name: str
    write: Callable[[Path], None]


class Budget:
    """The bytes that may still come out."""

    def __init__(self, limits: Limits) -> None:
        self.limits, self.left = limits, limits.bytes

    def spend(self, size: int) -> None:
        """Raises: Refused."""
        self.left -= size
        if self.left < 0:
            raise too_large(self.limits)


def printable_name(name: str, fallback: str) -> str:
    """The last part of a path, without what would not print: it is shown, and never a part of a path of ours."""
    last = name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    kept = "".join(letter for letter in last if letter.isprintable()).strip()
    return kept[-_NAME:] or fallback


def too_many(count: int, limits: Limits) -> Refused:
    return Refused(f"Contains {count:,} files; the limit is {limits.files:,}. Split it and upload the parts.")


def too_large(limits: Limits) -> Refused:
    return Refused(f"Larger than {limits.bytes // 1024**2:,} MB when extracted. Split it and upload the parts.")

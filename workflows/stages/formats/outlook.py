"""Outlook messages ([MS-OXMSG]): properties in the streams of a compound file."""

import datetime as dt
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import olefile

from config.errors import Refused
from workflows.stages.formats import mails, packages, web
from workflows.stages.formats.blocks import Block

WHAT = "Outlook message"
MOST_BYTES = 32 * 1024**2  # bytes of a property
MOST_ATTACHED = 100 * 1024**2
_PROPERTIES = "__properties_version1.0"
_SENT, _RECEIVED = 0x0039, 0x0E06
_CODEPAGES = (0x3FFD, 0x3FDE)
_DAY_ONE = dt.datetime(1601, 1, 1, tzinfo=dt.UTC)
_BROKEN = (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError, struct.error, RecursionError)


@dataclass(frozen=True)
class Attachment:
    """``stream``: of its content; empty for an embedded message, which has none."""

    name: str
    stream: str


class Message:
    def __init__(self, file: Any) -> None:
        self.file = file
        self.fixed = _parse_fixed_properties(self._bytes(_PROPERTIES)) if file.exists(_PROPERTIES) else {}
        number = next((self.fixed[one] for one in _CODEPAGES if one in self.fixed), 1252)
        self.codepage = f"cp{number & 0xFFFFFFFF}" if number != 65001 else "utf-8"

    def text(self, tag: str, folder: str = "") -> str:
        """Return a text property by its hexadecimal number; empty if missing."""
        place = f"{folder}__substg1.0_{tag}"
        if self.file.exists(f"{place}001F"):
            return self._bytes(f"{place}001F").decode("utf-16-le", "replace").rstrip("\x00")
        if self.file.exists(f"{place}001E"):
            return mails.decode_payload(self._bytes(f"{place}001E"), self.codepage).rstrip("\x00")
        return ""

    def page(self) -> bytes:
        place = "__substg1.0_10130102"
        return self._bytes(place) if self.file.exists(place) else self.text("1013").encode()

    def moment(self) -> str:
        ticks = self.fixed.get(_SENT) or self.fixed.get(_RECEIVED)
        return (_DAY_ONE + dt.timedelta(microseconds=ticks // 10)).strftime("%Y-%m-%d %H:%M UTC") if ticks else ""

    def attachments(self) -> list[Attachment]:
        folders = sorted(
            {one[0] for one in self.file.listdir(storages=True) if one[0].startswith("__attach_version1.0_")}
        )
        found = []
        for number, folder in enumerate(folders, start=1):
            name = self.text("3707", f"{folder}/") or self.text("3704", f"{folder}/") or f"Attachment {number}"
            stream = f"{folder}/__substg1.0_37010102"
            found.append(Attachment(name, stream if self.file.exists(stream) else ""))
        return found

    def heads(self) -> dict[str, str]:
        address = self.text("5D01") or self.text("0C1F")
        sender = self.text("0C1A") or self.text("0042")
        written = f"{sender} <{address}>" if "@" in address and address != sender else sender or address
        found = {"From": written, "To": self.text("0E04"), "Cc": self.text("0E03")}
        return {**found, "Date": self.moment(), "Subject": self.text("0037")}

    def lines(self) -> list[str]:
        plain = self.text("1000")
        return plain.splitlines() if plain.strip() else list(web.parse_web_page(self.page(), whole=True).lines)

    def content(self, one: Attachment) -> bytes:
        """Raises: Refused if it is too large."""
        return self._bytes(one.stream, MOST_ATTACHED)

    def _bytes(self, place: str, most: int = MOST_BYTES) -> bytes:
        if self.file.get_size(place) > most:
            raise Refused("This Outlook message is too large. Save its text and attachments and upload them.")
        body: bytes = self.file.openstream(place).read()
        return body


@contextmanager
def open_message(path: Path) -> Iterator[Message]:
    """Raises: Refused, also while reading."""
    try:
        with olefile.OleFileIO(path) as file:
            yield Message(file)
    except Refused:
        raise
    except _BROKEN as error:
        raise packages.damaged_file(WHAT) from error


def kind_of(path: Path) -> str:
    """Return ``message``, ``locked`` for an encrypted Office file, or ``other``."""
    try:
        with olefile.OleFileIO(path) as file:
            if file.exists("EncryptedPackage"):
                return "locked"
            return "message" if file.exists(_PROPERTIES) else "other"
    except _BROKEN:
        return "other"


def read_outlook(path: Path) -> Iterator[Block]:
    """Raises: Refused."""
    with open_message(path) as message:
        yield from mails.format_mail(message.heads(), message.lines(), [one.name for one in message.attachments()])


def _parse_fixed_properties(body: bytes) -> dict[int, int]:
    """Map property numbers to values stored in the table itself: a header of 32 bytes, then 16 each."""
    found = {}
    for at in range(32, len(body) - 15, 16):
        tag, _, value = struct.unpack_from("<IIQ", body, at)
        kind = tag & 0xFFFF
        if kind in {0x0003, 0x0040}:  # a 32-bit number, a time
            found[tag >> 16] = value if kind == 0x0040 else value & 0xFFFFFFFF
    return found

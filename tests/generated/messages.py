"""Outlook messages made by hand: a compound file ([MS-CFB]) with the properties of a mail ([MS-OXMSG])."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

_SECTOR, _SMALL, _CUTOFF = 512, 64, 4096
_FREE, _END, _TABLE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_STORAGE, _STREAM, _ROOT = 1, 2, 5


@dataclass
class _Entry:
    """``inside``: of a storage; ``size`` and ``start`` as the directory says them."""

    name: str
    kind: int
    body: bytes = b""
    inside: list[int] = field(default_factory=list)
    start: int = _END
    size: int = 0
    right: int = _FREE


def outlook(path: Path, *, subject: str, text: str, attached: Mapping[str, bytes]) -> Path:
    """``attached``: content by name."""
    entries = [_Entry("Root Entry", _ROOT)]

    def put(inside: int, name: str, kind: int, body: bytes = b"") -> int:
        entries.append(_Entry(name, kind, body))
        entries[inside].inside.append(len(entries) - 1)
        return len(entries) - 1

    put(0, "__properties_version1.0", _STREAM, bytes(32))
    for tag, value in (("0037", subject), ("0C1A", "Ada"), ("5D01", "a@example.org"), ("0E04", "b@example.org")):
        put(0, f"__substg1.0_{tag}001F", _STREAM, value.encode("utf-16-le"))
    put(0, "__substg1.0_1000001F", _STREAM, text.encode("utf-16-le"))
    for number, (name, body) in enumerate(attached.items()):
        folder = put(0, f"__attach_version1.0_#{number:08X}", _STORAGE)
        put(folder, "__properties_version1.0", _STREAM, bytes(8))
        put(folder, "__substg1.0_3707001F", _STREAM, name.encode("utf-16-le"))
        put(folder, "__substg1.0_37010102", _STREAM, body)
    path.write_bytes(_compound(entries))
    return path


def _compound(entries: list[_Entry]) -> bytes:
    """Streams below 4096 bytes lie together in the root's; siblings are a tree that leans to the right."""
    fat, sectors = [0], [bytes(_SECTOR)]  # the first sector is the table of all

    def store(body: bytes) -> int:
        first = len(sectors)
        parts = [body[at : at + _SECTOR].ljust(_SECTOR, b"\0") for at in range(0, len(body), _SECTOR)]
        sectors.extend(parts)
        fat.extend([*range(first + 1, first + len(parts)), _END] if parts else [])
        return first if parts else _END

    small, small_fat = b"", list[int]()
    for entry in entries:
        entry.inside.sort(key=lambda number: (len(entries[number].name), entries[number].name.upper()))
        for number, following in zip(entry.inside, entry.inside[1:], strict=False):
            entries[number].right = following
        entry.size = len(entry.body)
        if len(entry.body) >= _CUTOFF:
            entry.start = store(entry.body)
        elif entry.body:
            entry.start, count = len(small_fat), -(-len(entry.body) // _SMALL)
            small += entry.body.ljust(count * _SMALL, b"\0")
            small_fat.extend([*range(entry.start + 1, entry.start + count), _END])
    entries[0].start, entries[0].size = store(small), len(small)
    small_sectors = -(-len(small_fat) // 128)
    small_table = store(struct.pack(f"<{len(small_fat)}I", *small_fat).ljust(_SECTOR * small_sectors, b"\xff"))
    directory = store(b"".join(map(_listed, entries)).ljust(_SECTOR * -(-len(entries) // 4), b"\0"))
    fat[0] = _TABLE
    if len(fat) > 128:
        raise ValueError("One sector of table holds 64 KB. Attach less.")
    sectors[0] = struct.pack(f"<{len(fat)}I", *fat).ljust(_SECTOR, b"\xff")
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    head += struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    head += struct.pack("<IIIIIIIII", 0, 1, directory, 0, _CUTOFF, small_table, small_sectors, _END, 0)
    return head + struct.pack("<I", 0).ljust(436, b"\xff") + b"".join(sectors)


def _listed(entry: _Entry) -> bytes:
    name = entry.name.encode("utf-16-le")
    child = entry.inside[0] if entry.inside else _FREE
    numbers = struct.pack("<HBBIII", len(name) + 2, entry.kind, 1, _FREE, entry.right, child)
    start = 0 if entry.kind == _STORAGE else entry.start
    return name.ljust(64, b"\0") + numbers + bytes(36) + struct.pack("<IQ", start, entry.size)

"""Opening ZIP files, with a bounded table of contents, for archives and packages alike."""

import struct
import zipfile
from pathlib import Path

from config.errors import Refused

END = b"PK\x05\x06"
_END_BYTES, _COMMENT = 22, 65_535
_MOST_CONTENTS = 4 * 1024**2  # bytes of a table of contents, which Python reads whole


def open_zip(path: Path, damaged: str) -> zipfile.ZipFile:
    """``damaged``: the message if it is damaged. Raises: Refused."""
    _check_contents(path, damaged)
    try:
        return zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, struct.error) as error:
        raise Refused(damaged) from error


def _check_contents(path: Path, damaged: str) -> None:
    """A table of contents of millions of entries would exhaust memory before they could be counted."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - _END_BYTES - _COMMENT))
        tail = file.read()
    at = tail.rfind(END)
    if at < 0 or len(tail) - at < _END_BYTES:
        raise Refused(damaged)
    _, _, _, _, _, contents, _, _ = struct.unpack("<4s4H2LH", tail[at : at + _END_BYTES])
    if contents > _MOST_CONTENTS:
        raise Refused("This archive contains too many files. Split it and upload the parts.")

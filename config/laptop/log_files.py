"""Log files of a laptop's child processes: what was there stays at the next start, and no file grows without an end."""

import os
import shutil
from pathlib import Path
from typing import BinaryIO

from config import clock

MOST_BYTES = 5 * 1024**2


def open_log(path: Path, name: str) -> BinaryIO:
    """To append to, with a line that says when ``name`` was started."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shorten_log(path)
    file = path.open("ab", buffering=0)
    file.write(f"--- {clock.iso(clock.now())} {name} is started\n".encode())
    return file


def shorten_log(path: Path) -> None:
    """Begin a long file anew, and keep what it held as ``<name>.1``, in place of what that held.

    The file itself stays, since a process may have it open to append to; a line that comes meanwhile may be lost.
    """
    if path.exists() and path.stat().st_size > MOST_BYTES:
        shutil.copyfile(path, path.with_name(f"{path.name}.1"))
        os.truncate(path, 0)

"""Log files of a laptop's child processes: appended to at each start, and bounded in size."""

import os
import shutil
from pathlib import Path
from typing import BinaryIO

from config import clock

MOST_BYTES = 5 * 1024**2


def open_log(path: Path, name: str) -> BinaryIO:
    """Open a log to append to, and write a line saying when ``name`` was started."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shorten_log(path)
    file = path.open("ab", buffering=0)
    file.write(f"--- {clock.iso(clock.now())} {name} is started\n".encode())
    return file


def shorten_log(path: Path) -> None:
    """Rotate a long file: its contents replace ``<name>.1``.

    The file is truncated in place, since a process may hold it open; a line written meanwhile may be lost.
    """
    if path.exists() and path.stat().st_size > MOST_BYTES:
        shutil.copyfile(path, path.with_name(f"{path.name}.1"))
        os.truncate(path, 0)

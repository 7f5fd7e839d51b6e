"""File locks between processes of this machine; the kernel releases them however the process ends."""

import fcntl
import os
from pathlib import Path


def hold_lock(path: Path, note: str = "") -> int | None:
    """Take the lock and write ``note`` into the file; return its descriptor, or None if another process holds it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    os.ftruncate(lock, 0)
    os.pwrite(lock, note.encode(), 0)
    return lock

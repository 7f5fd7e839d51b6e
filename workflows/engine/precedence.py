"""Worker priority on one machine: workers of large documents pause while others process single pages.

Even a process with a high nice value takes a core from one that wakes up, and the embedded AWS from the next request. A
file lock keeps the order, which the kernel releases if its holder is killed. Workers on separate machines need none.
"""

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from django.conf import settings

MOST_SECONDS = 0.25  # longest pause before a page, so that large documents finish even if it is never idle
_LINGER = 0.1  # seconds between two steps of a run, in which the engine works
_LOOK = 0.004  # seconds


def _file() -> int:
    path = Path(settings.STATE_DIR) / "first.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


@contextlib.contextmanager
def go_first() -> Iterator[None]:
    """Take precedence; any number of workers can at a time."""
    if not settings.ON_LAPTOP:
        yield
        return
    lock = _file()
    try:
        fcntl.flock(lock, fcntl.LOCK_SH)  # waits microseconds, while another worker checks the lock
        yield
    finally:
        os.utime(lock)
        os.close(lock)


@contextlib.contextmanager
def go_second(beat: Callable[[], None]) -> Iterator[Callable[[], None]]:
    """Wrap ``beat``, to be called between pages, so that it pauses while others have precedence."""
    if not settings.ON_LAPTOP:
        yield beat
        return
    lock = _file()

    def call_beat() -> None:
        until = time.monotonic() + MOST_SECONDS
        while _is_taken(lock) and time.monotonic() < until:
            time.sleep(_LOOK)
        beat()

    try:
        yield call_beat
    finally:
        os.close(lock)


def _is_taken(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(lock, fcntl.LOCK_UN)
    # On some file systems mtime is another clock; one that is ahead must not stop us.
    return 0 <= time.time() - os.fstat(lock).st_mtime < _LINGER

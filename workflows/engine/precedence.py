"""Which of one machine's workers goes first: who is at a large document pauses while another is at someone's page.

A nice worker still takes a core from whoever wakes up, and the embedded AWS from whoever asks next. The kernel keeps
the order, by a lock on a file: whoever is killed holds up no one. Workers with machines of their own need none.
"""

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from django.conf import settings

MOST_SECONDS = 0.25  # a pause before each page: so a desk that is never idle still gets its large documents done
_LINGER = 0.1  # seconds from a step to the next of its run, in which an engine has the turn
_LOOK = 0.004  # seconds


def _file() -> int:
    path = Path(settings.STATE_DIR) / "first.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


@contextlib.contextmanager
def go_first() -> Iterator[None]:
    """Any number of workers at a time."""
    if not settings.ON_LAPTOP:
        yield
        return
    lock = _file()
    try:
        fcntl.flock(lock, fcntl.LOCK_SH)  # waits for a look of the others, microseconds
        yield
    finally:
        os.utime(lock)
        os.close(lock)


@contextlib.contextmanager
def go_second(beat: Callable[[], None]) -> Iterator[Callable[[], None]]:
    """``beat``, to be called between pages, with a pause before it while others go first."""
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
    # A file's time and ours are two clocks' on some file systems: one that is ahead must not stop us.
    return 0 <= time.time() - os.fstat(lock).st_mtime < _LINGER

"""Looking at a file that was sent, in a process of its own: what a parser makes of it, this process goes on.

A PDF of 730 bytes can keep pdfium busy for ever, and no thread can be stopped from outside. The processes stay for the
next file: a look costs a message there and back.
"""

import contextlib
import logging
import math
import multiprocessing
import os
import resource
import signal
import threading
import time
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as FutureTimeout
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from django.conf import settings
from pebble import ProcessExpired, ProcessPool

from config.errors import Refused, Unavailable
from config.supervisor import die_with_parent
from workflows import intake
from workflows.containers import Limits
from workflows.intake import Inspection

log = logging.getLogger(__name__)

CPU_SECONDS = 20  # of the processor: a busy machine is no reason to refuse a file
_WALL_SECONDS = 90
_MEMORY = 4 * 1024**3  # bytes of addresses
_AT_A_TIME = 2  # files; one that hangs does not hold up the next
_LOOKS = 500  # then a fresh process: whatever a parser has leaked goes with the old one
_ENDLESS = (
    "This file cannot be read in a reasonable time, or it ends the program that reads it. It may be damaged: open it, "
    "save or export it anew, and upload that."
)
_lock = threading.Lock()
_pools: dict[int, ProcessPool] = {}  # by process: one that was forked has none of its parent's


def limits() -> Limits:
    """What a mail or an archive may hold."""
    return Limits(settings.UNPACK_MAX_FILES, settings.UNPACK_MAX_BYTES)


def inspect(path: Path, name: str, *, containers: bool) -> Inspection:
    """``intake.inspect`` within bounds of time and memory. ``containers``: whether mails and archives are taken too.

    Raises:
        Refused: with the sentence that says why and what to do.
        Unavailable: no process could be had.

    """
    wanted = (path, name, settings.UPLOAD_MAX_PAGES, limits() if containers else None)
    for _ in range(2):
        pool = _pool()
        try:
            future = pool.schedule(_look, args=wanted, timeout=_WALL_SECONDS)
        except RuntimeError:  # the pool is broken: an idle process was killed too, which had its one lock
            log.warning("processes that look at files were lost")
            _forget(pool)
            continue
        try:
            return future.result()
        except (FutureTimeout, ProcessExpired, MemoryError) as error:
            log.warning("look at a file was given up", extra={"error": type(error).__name__})
            raise Refused(_ENDLESS) from error
        except (BrokenProcessPool, CancelledError):
            _forget(pool)
    raise Unavailable("Files cannot be looked at just now. Nothing was kept; try again in a moment.")


def _forget(pool: ProcessPool) -> None:
    with _lock:
        if _pools.get(os.getpid()) is pool:
            del _pools[os.getpid()]
    pool.stop()  # type: ignore[no-untyped-call]


def _pool() -> ProcessPool:
    with _lock:
        if os.getpid() not in _pools:
            # Spawned: a fork of a process with threads may inherit a lock that nobody is going to open.
            context = multiprocessing.get_context("spawn")
            _pools[os.getpid()] = ProcessPool(
                _AT_A_TIME, max_tasks=_LOOKS, initializer=_begin, initargs=[os.getpid()], context=context
            )
        return _pools[os.getpid()]


def _begin(parent: int) -> None:
    die_with_parent(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the parent, which stops its children in order
    with contextlib.suppress(ValueError, OSError):  # not every system has this limit
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _look(path: Path, name: str, max_pages: int, containers: Limits | None) -> Inspection:
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time()) + CPU_SECONDS, hard))
    return intake.inspect(path, name, max_pages=max_pages, containers=containers)

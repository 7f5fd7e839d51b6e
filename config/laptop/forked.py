"""Forking this process to run another module, sharing the memory of what is already imported.

Seven interpreters with the same imports take seven times the memory and ten seconds on two cores; forks take neither.
"""

import contextlib
import gc
import os
import runpy
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from typing import NoReturn

from django.conf import settings
from django.db import connections

from config import logs
from config.item import forget_connections

_LOOK = 0.05  # seconds
_COLLECT_AFTER = 700  # new objects, as Python does by default
_NAME = 15  # prctl(2), PR_SET_NAME; also how long such a name may be


class ForkedProcess:
    """A child process with the part of ``subprocess.Popen``'s interface that the supervisor needs."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Raises: subprocess.TimeoutExpired."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if deadline is not None and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
            time.sleep(_LOOK)
        return code

    def terminate(self) -> None:
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        self._send(signal.SIGKILL)

    def _send(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)


def share_memory() -> None:
    """Freeze all imported objects: garbage collection would write to, and so copy, every shared page."""
    gc.collect()
    gc.freeze()


def can_fork() -> bool:
    """Return whether forking is safe: with other threads, a lock one of them holds would stay locked in the child."""
    return sys.platform == "linux" and threading.active_count() == 1


def fork_module(name: str, arguments: Sequence[str], output: int, first: Callable[[], None]) -> ForkedProcess:
    """Fork and run ``python -m`` with ``arguments`` in a new session.

    ``name``: the process title. ``output``: file for stdout and stderr. ``first`` is called in the child first.
    """
    connections.close_all()  # of a database no connection outlives a fork
    sys.stdout.flush()
    pid = os.fork()
    if not pid:
        _become(name, arguments, output, first)
    return ForkedProcess(pid)


def _become(name: str, arguments: Sequence[str], output: int, first: Callable[[], None]) -> NoReturn:
    code = 1
    try:
        os.setsid()
        first()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        null = os.open(os.devnull, os.O_RDONLY)
        for there, here in ((null, 0), (output, 1), (output, 2)):
            os.dup2(there, here)
        gc.set_threshold(_COLLECT_AFTER)  # the parent collects less, as it loads modules
        forget_connections()
        gc.collect()  # their sockets are closed before the numbers of these are another's
        os.closerange(3, 65_536)  # locks, and the pipe that keeps the embedded AWS alive, are the parent's alone
        with contextlib.suppress(OSError), open("/proc/self/comm", "w") as file:  # noqa: PTH123 - no text to keep
            file.write(name[:_NAME])
        logs.configure_logging(settings.LOGGING)
        sys.argv = list(arguments)
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:  # noqa: BLE001 - the process ends here, whatever it was
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)

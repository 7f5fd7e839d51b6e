"""Supervisor of a laptop's processes: starts them, restarts those that die, stops them together."""

import contextlib
import ctypes
import functools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from config.laptop import log_files
from config.laptop.forked import ForkedProcess, can_fork, fork_module

STOP_SECONDS = 20
RESTART_SECONDS = 2.0  # between two starts of one child, so that a broken one does not take the machine
_DIE_WITH_PARENT = 1  # Source: prctl(2), PR_SET_PDEATHSIG


@dataclass
class Child:
    """``arguments`` follow the interpreter's ``-m``. ``nice``: niceness, 0–19.

    ``forks``: the first process is forked from this one, which has imported what it needs; restarts are new processes.
    """

    name: str
    arguments: Sequence[str]
    nice: int = 0
    forks: bool = False
    process: subprocess.Popen[bytes] | ForkedProcess | None = None
    started: float = 0.0


@dataclass
class Supervisor:
    """Runs the children; their output is appended to ``<logs>/<name>.log``."""

    logs: Path
    children: list[Child] = field(default_factory=list)

    def add(self, name: str, *arguments: str, nice: int = 0, forks: bool = False) -> None:
        child = Child(name, arguments, nice, forks)
        self._start(child)
        self.children.append(child)

    def tend(self, report: Callable[[str], None]) -> None:
        """Restart dead children and rotate logs; call it about once a second."""
        for child in self.children:
            log_files.shorten_log(self._log_of(child))
            if child.process is None or child.process.poll() is None:
                continue
            if time.monotonic() - child.started < RESTART_SECONDS:
                continue
            report(f"{child.name} exited with code {child.process.returncode}; restarting.")
            self._start(child)

    def stop(self) -> None:
        """Terminate all children and wait; kill those that do not end."""
        running = [child.process for child in self.children if child.process and child.process.poll() is None]
        for process in running:
            process.terminate()
        deadline = time.monotonic() + STOP_SECONDS
        for process in running:
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.children.clear()

    def _log_of(self, child: Child) -> Path:
        return self.logs / f"{child.name}.log"

    def _start(self, child: Child) -> None:
        with log_files.open_log(self._log_of(child), child.name) as output:
            first = functools.partial(die_with_parent, os.getpid())
            if child.forks and child.process is None and can_fork():
                child.process = fork_module(child.name, child.arguments, output.fileno(), first)
            else:
                child.process = subprocess.Popen(  # noqa: S603 - our own interpreter and modules
                    [sys.executable, "-m", *child.arguments],
                    cwd=Path(__file__).resolve().parents[2],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,  # Ctrl-C goes to the parent, which stops its children in order
                    preexec_fn=first,  # noqa: PLW1509 - we run no threads
                )
        if child.nice:
            give_way(child.process.pid, child.nice)
        child.started = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()


def give_way(pid: int, nice: int) -> None:
    """Lower this process's CPU priority, also across sessions where the kernel groups by session.

    Source: sched(7), "The autogroup feature": niceness then only counts within one session.
    """
    os.setpriority(os.PRIO_PROCESS, pid, nice)
    with contextlib.suppress(OSError):  # no such file: the kernel does not share by session
        Path(f"/proc/{pid}/autogroup").write_text(str(nice))


def die_with_parent(parent: int) -> None:
    """Make the kernel end this child when ``parent`` dies; Linux only.

    Otherwise a killed parent would leave a web server that holds the port, or a parser that never ends.
    """
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGTERM)
    if os.getppid() != parent:  # it died before we asked
        os._exit(1)

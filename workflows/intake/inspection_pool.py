"""Looking at a file that was sent, in a process that may be ended: what a parser makes of it, this process goes on.

A PDF of 730 bytes can keep pdfium busy for ever, and no thread can be stopped from outside. The program that looks
(``workflows.intake.inspection_process``) stays for the next file: a look costs a fork and two lines.
"""

import atexit
import dataclasses
import json
import logging
import os
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from django.conf import settings

from config.errors import Refused, Unavailable
from workflows.intake.containers import Limits
from workflows.intake.inspection import Inspection

log = logging.getLogger(__name__)

CPU_SECONDS = 20  # of the processor: a busy machine is no reason to refuse a file
_WALL_SECONDS = 90
_KEPT = 1  # programs that wait for the next file; while several files come at once there are more
_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "PYTHONHASHSEED")  # what a Python process needs, no key
_ENDLESS = (
    "This file takes too long to read or crashes the reader. It may be damaged: open it, export it again and "
    "upload that."
)
_UNREADABLE = "This file cannot be read. It may be damaged: open it, export it again and upload that."
_BUSY = "File inspection is unavailable. Nothing was stored; try again in a moment."
_lock = threading.Lock()
_idle: dict[int, list["_Inspector"]] = {}  # by process: one that was forked uses none of its parent's


class _Gone(Exception):
    """It ended without an answer: it was idle, or was killed. A file cannot do that: a child of its own looks at it."""


class _Inspector:
    """The program, and one file at a time."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "workflows.intake.inspection_process"],
            cwd=settings.BASE_DIR,
            # Threads of a library that it never uses would not survive its forks.
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ} | {"OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,  # it ends when this end closes, so a killed worker leaves nothing behind
            stdout=subprocess.PIPE,
            start_new_session=True,  # with the child that looks it is one group, which is ended together
        )

    def ask(self, wanted: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Raises: TimeoutError, and _Gone; it is of no use after either."""
        pipe_in, pipe_out = self.process.stdin, self.process.stdout
        if pipe_in is None or pipe_out is None:
            raise _Gone
        try:
            pipe_in.write(json.dumps(wanted).encode() + b"\n")
            pipe_in.flush()
        except OSError as error:
            raise _Gone from error
        line, deadline = b"", time.monotonic() + seconds
        poll = select.poll()  # select() knows no descriptor above 1,024, and a web process may have more
        poll.register(pipe_out, select.POLLIN)
        while not line.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0 or not poll.poll(left * 1000):
                raise TimeoutError
            piece = os.read(pipe_out.fileno(), 65_536)
            if not piece:
                raise _Gone
            line += piece
        answer: dict[str, Any] = json.loads(line)
        return answer

    def end(self) -> None:
        """Kill it with the child that looks, if one does."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            log.info("the inspector had ended")
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                _close(pipe)


def _close(pipe: Any) -> None:
    try:
        pipe.close()
    except OSError:  # what was still to be written has no reader any more
        log.debug("a pipe of the inspector was broken")


def limits() -> Limits:
    """What a mail or an archive may hold."""
    return Limits(settings.UNPACK_MAX_FILES, settings.UNPACK_MAX_BYTES)


def inspect(path: Path, name: str, *, containers: bool) -> Inspection:
    """``inspection.inspect`` within bounds of time and memory. ``containers``: take mails and archives too.

    Raises:
        Refused: with the sentence that says why and what to do.
        Unavailable: no process could be had, or the disk is full.

    """
    answer = _ask(
        {
            "path": str(path.absolute()),
            "name": name,
            "max_pages": settings.UPLOAD_MAX_PAGES,
            "containers": dataclasses.asdict(limits()) if containers else None,
            "cpu_seconds": CPU_SECONDS,
        }
    )
    match answer:
        case {"found": found}:
            return Inspection(**found | {"notes": tuple(found["notes"])})
        case {"refused": sentence}:
            raise Refused(sentence)
        case {"unavailable": error}:
            log.warning("a file was not looked at", extra={"error": error})
            raise Unavailable(_BUSY)
        case {"failed": place}:
            log.warning("a parser failed on a file", extra={"error": place})
            raise Refused(_UNREADABLE)
        case _:
            log.warning("a file ended the process that looked at it", extra={"code": answer.get("ended")})
            raise Refused(_ENDLESS)


def _ask(wanted: dict[str, Any]) -> dict[str, Any]:
    for _ in range(2):
        try:
            inspector = _borrow()
        except OSError as error:  # no memory or no process left
            raise Unavailable(_BUSY) from error
        try:
            answer = inspector.ask(wanted, _WALL_SECONDS)
        except TimeoutError as error:
            inspector.end()
            log.warning("look at a file was given up")
            raise Refused(_ENDLESS) from error
        except _Gone:
            inspector.end()
            log.info("the inspector had ended and is started again")
        except BaseException:  # a task's time limit, say: an answer to come must not be taken for the next file's
            inspector.end()
            raise
        else:
            _give_back(inspector)
            return answer
    raise Unavailable(_BUSY)


def _borrow() -> _Inspector:
    with _lock:
        idle = _idle.get(os.getpid())
        if idle:
            return idle.pop()
    return _Inspector()


def _give_back(inspector: _Inspector) -> None:
    with _lock:
        idle = _idle.setdefault(os.getpid(), [])
        if len(idle) < _KEPT:
            idle.append(inspector)
            return
    inspector.end()


@atexit.register
def _end_idle() -> None:
    """In order, where the interpreter ends in order; a killed one's end by the end of their input."""
    for inspector in _idle.pop(os.getpid(), []):
        inspector.end()

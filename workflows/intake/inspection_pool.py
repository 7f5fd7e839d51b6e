"""Inspection of uploaded files in a child process that can be killed, so that a parser cannot take this one down.

A PDF of 730 bytes can keep pdfium busy for ever, and no thread can be stopped from outside. The program that inspects
(``workflows.intake.inspection_process``) stays for the next file: an inspection costs a fork and two lines.
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
from config.phrase import Phrase
from workflows.intake.containers import Limits
from workflows.intake.inspection import Inspection

log = logging.getLogger(__name__)

CPU_SECONDS = 20  # CPU seconds: a busy machine is no reason to refuse a file
_WALL_SECONDS = 90
_KEPT = 1  # idle processes that are kept; there are more while several files arrive at once
# what a Python process needs, without credentials
_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "PYTHONHASHSEED")
_ENDLESS = Phrase(
    "This file takes too long to read or crashes the reader. It may be damaged: open it, export it again and "
    "upload that."
)
_SLOW = Phrase(
    "This file was not read within %(seconds)s seconds: the server may be busy. Try again in a few minutes. If that "
    "fails too, the file may be damaged: open it, export it again and upload that."
)
_UNREADABLE = Phrase("This file cannot be read. It may be damaged: open it, export it again and upload that.")
_BUSY = Phrase("File inspection is unavailable. Nothing was stored; try again in a moment.")
_lock = threading.Lock()
_idle: dict[int, list["_Inspector"]] = {}  # by process id: a fork must not use its parent's


class _Gone(Exception):
    """The process ended without an answer: it was idle, or was killed. A file cannot do that: a child inspects it."""


class _Inspector:
    """The inspection process, one file at a time."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "workflows.intake.inspection_process"],
            cwd=settings.BASE_DIR,
            # Threads of an unused library would not survive its forks.
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ} | {"OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,  # it exits when this end closes, so a killed worker leaves nothing behind
            stdout=subprocess.PIPE,
            start_new_session=True,  # one process group with its child, so both can be killed together
        )

    def ask(self, wanted: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Raises: TimeoutError, and _Gone; it cannot be used after either."""
        pipe_in, pipe_out = self.process.stdin, self.process.stdout
        if pipe_in is None or pipe_out is None:
            raise _Gone
        try:
            pipe_in.write(json.dumps(wanted).encode() + b"\n")
            pipe_in.flush()
        except OSError as error:
            raise _Gone from error
        line, deadline = b"", time.monotonic() + seconds
        poll = select.poll()  # select() does not support descriptors above 1,024, which a web process may have
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
        """Kill it with its child, if there is one."""
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
    except OSError:  # nobody reads the rest of the input
        log.debug("a pipe of the inspector was broken")


def limits() -> Limits:
    """Return the limits of emails and archives."""
    return Limits(settings.UNPACK_MAX_FILES, settings.UNPACK_MAX_BYTES)


def inspect(path: Path, name: str, *, containers: bool) -> Inspection:
    """Run ``inspection.inspect`` with limits of time and memory. ``containers``: accept emails and archives.

    Raises:
        Refused: with the reason and what to do.
        Unavailable: no process could be started, or the disk is full.

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
        except OSError as error:  # out of memory or processes
            raise Unavailable(_BUSY) from error
        try:
            answer = inspector.ask(wanted, _WALL_SECONDS)
        except TimeoutError as error:
            inspector.end()
            log.warning("look at a file was given up")
            raise Refused(_SLOW.fill(seconds=_WALL_SECONDS)) from error
        except _Gone:
            inspector.end()
            log.info("the inspector had ended and is started again")
        except BaseException:  # for example a task's time limit: a late answer must not be taken for the next file's
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
    """Stop idle processes when the interpreter exits; those of a killed one exit at the end of their input."""
    for inspector in _idle.pop(os.getpid(), []):
        inspector.end()

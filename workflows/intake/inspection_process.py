"""The program behind ``workflows.intake.inspection_pool``: JSON lines in and out, and a child process for each file.

It is not ``multiprocessing``, because Celery's prefork workers are daemonic and may not have such children. It imports
the parsers once; each file then costs a fork, and whatever it does to a parser ends with that child. It gets neither
credentials nor addresses from the environment, so a parser that a file takes over has nothing to leak.
"""

import contextlib
import dataclasses
import errno
import json
import os
import resource
import select
import signal
import traceback
from pathlib import Path
from typing import Any

from config.errors import Refused
from workflows.intake import inspection
from workflows.intake.containers import Limits

MEMORY = 4 * 1024**3  # bytes of address space
IDLE_SECONDS = 300  # seconds without a file, after which it exits
# errors of the machine, not of the file
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.EIO})
_ANSWER = 1024 * 1024  # bytes; the longest message is far shorter


def main() -> None:
    """Serve until standard input is closed, or no file has arrived for some minutes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the parent, which closes our input
    answers = os.dup(1)
    os.dup2(2, 1)  # keep what libraries print out of the answers
    while line := _next_line():
        os.write(answers, json.dumps(_ask_child(line)).encode() + b"\n")


def _next_line() -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        if not select.select([0], [], [], IDLE_SECONDS)[0]:
            return b""
        piece = os.read(0, 65_536)
        if not piece:
            return b""
        line += piece
    return line


def _ask_child(line: bytes) -> dict[str, Any]:
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        _answer_and_exit(line, theirs)
    os.close(theirs)
    try:
        answer = _read_answer(ours, child)
    finally:
        os.close(ours)
        _, status = os.waitpid(child, 0)
    return json.loads(answer) if answer.endswith(b"\n") else {"ended": os.waitstatus_to_exitcode(status)}


def _read_answer(pipe: int, child: int) -> bytes:
    """Return what the child writes until it exits. If the caller exits meanwhile, so do both."""
    answer = b""
    while len(answer) < _ANSWER:
        ready, _, _ = select.select([0, pipe], [], [])
        if 0 in ready:  # callers send nothing before the answer, so this means that the caller has exited
            os.kill(child, signal.SIGKILL)
            os._exit(0)
        piece = os.read(pipe, 65_536)
        if not piece:
            break
        answer += piece
    return answer


def _answer_and_exit(line: bytes, pipe: int) -> None:
    """Runs in the child and never returns, so that no code of the parent runs after it."""
    code = 1
    try:
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):  # parsers' messages may contain text of the file
            os.dup2(nothing, standard)
        os.write(pipe, json.dumps(_inspect(json.loads(line))).encode() + b"\n")
        code = 0
    finally:
        os._exit(code)


def _inspect(wanted: dict[str, Any]) -> dict[str, Any]:
    _set_limit(resource.RLIMIT_CPU, wanted["cpu_seconds"])
    _set_limit(resource.RLIMIT_AS, MEMORY)
    _set_limit(resource.RLIMIT_CORE, 0)
    containers = Limits(**wanted["containers"]) if wanted["containers"] else None
    try:
        found = inspection.inspect(
            Path(wanted["path"]), wanted["name"], max_pages=wanted["max_pages"], containers=containers
        )
    except Refused as error:
        return {"refused": str(error)}
    except Exception as error:  # noqa: BLE001 - a parser's; its words may be the document's, so only its place is told
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            return {"unavailable": errno.errorcode[error.errno]}
        at = traceback.extract_tb(error.__traceback__)[-1]
        return {"failed": f"{type(error).__name__} in {Path(at.filename).name}:{at.lineno}"}
    return {"found": dataclasses.asdict(found)}


def _set_limit(what: int, most: int) -> None:
    with contextlib.suppress(ValueError, OSError):  # not every system has this limit
        resource.setrlimit(what, (most, resource.getrlimit(what)[1]))


if __name__ == "__main__":
    main()

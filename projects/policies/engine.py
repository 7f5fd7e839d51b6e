"""Evaluation of Rego by regopy, in a child process started on first use.

A child process, since regopy aborts on some inputs and a policy may run forever or exhaust memory. It is then killed,
the next request starts another, and the caller gets PolicyFailed. All sites share it, so such a policy has a pause.
"""

import atexit
import contextlib
import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings

from config.errors import CountersignError
from config.phrase import Sentence

SECONDS = 2.0  # for one question, which is about a page of a list at most
_START_SECONDS = 30.0  # on a busy server; the question's own time begins once it listens
_NOT_STARTED = Sentence("The policy engine did not start. Try again.")
_STOPPED = Sentence("The policy crashed the engine. Rewrite it.")
_SLOW = Sentence("The policy took longer than %(seconds)s seconds. Simplify it.").fill(seconds=f"{SECONDS:g}")


class PolicyFailed(CountersignError):
    """The policy could not be evaluated; the message is for its author."""


class _Process:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._parent = 0
        self._paused: dict[str, tuple[float, str]] = {}  # policy → until when it is not asked, and why

    def ask(self, question: Mapping[str, Any], seconds: float = SECONDS) -> Mapping[str, Any]:
        """A policy that crashed the child or took too long is not asked for the next seconds, when others are.

        Raises: PolicyFailed.
        """
        line = json.dumps(question).encode() + b"\n"
        with self._lock:
            self._check_not_paused(question["source"])
            process = self._ensure_process()
            assert process.stdin is not None  # noqa: S101 - for the types: both are pipes
            assert process.stdout is not None  # noqa: S101
            try:
                process.stdin.write(line)
                process.stdin.flush()
                told = _read_line(process.stdout.fileno(), seconds)
            except (OSError, TimeoutError) as error:
                self.stop()
                why = _SLOW if isinstance(error, TimeoutError) else _STOPPED
                self._paused[question["source"]] = (time.monotonic() + SECONDS, why)
                raise PolicyFailed(why) from error
        found: Mapping[str, Any] = json.loads(told)
        return found

    def _check_not_paused(self, source: str) -> None:
        # Checked with the lock held: requests that waited behind the one that failed would take as long each.
        now = time.monotonic()
        self._paused = {one: pause for one, pause in self._paused.items() if pause[0] > now}
        if source in self._paused:
            raise PolicyFailed(self._paused[source][1])

    def _ensure_process(self) -> subprocess.Popen[bytes]:
        """Return this process's child, which listens; after a fork the parent's child is not shared.

        Raises: PolicyFailed.
        """
        if self._parent != os.getpid():
            self._process, self._parent = None, os.getpid()
        if self._process is None or self._process.poll() is not None:
            self.stop()
            self._process = subprocess.Popen(
                [sys.executable, "-m", "projects.policies.rego_process"],
                cwd=settings.BASE_DIR,
                stdin=subprocess.PIPE,  # it ends when this end closes, so a killed parent leaves nothing behind
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            assert self._process.stdout is not None  # noqa: S101 - for the types: it is a pipe
            try:
                _read_line(self._process.stdout.fileno(), _START_SECONDS)
            except (OSError, TimeoutError) as error:
                self.stop()
                raise PolicyFailed(_NOT_STARTED) from error
        return self._process

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is None or self._parent != os.getpid():
            return
        process.kill()
        with contextlib.suppress(OSError):  # what was left to be written
            process.stdin.close()  # type: ignore[union-attr]  # a pipe
        process.stdout.close()  # type: ignore[union-attr]
        process.wait()


def _read_line(source: int, seconds: float) -> bytes:
    """Raises: TimeoutError; OSError, if it ended."""
    found, until = b"", time.monotonic() + seconds
    waiting = select.poll()
    waiting.register(source, select.POLLIN | select.POLLHUP)
    while not found.endswith(b"\n"):
        left = until - time.monotonic()
        if left <= 0 or not waiting.poll(left * 1000):
            raise TimeoutError
        part = os.read(source, 1 << 16)
        if not part:
            raise BrokenPipeError
        found += part
    return found


_process = _Process()
stop = _process.stop
atexit.register(stop)


def evaluate(source: str, package: str, inputs: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """``allow`` and ``deny`` for each input, each the list of the rule's values. Raises: PolicyFailed."""
    told = _process.ask({"source": source, "package": package, "inputs": list(inputs)})
    if "error" in told:
        raise PolicyFailed(str(told["error"]))
    results: Sequence[Mapping[str, Any]] = told["results"]
    return results

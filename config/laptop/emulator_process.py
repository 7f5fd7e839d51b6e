"""The emulator's process: ministack under uvicorn, saved every 30 seconds and at shutdown.

Run as ``python -m config.laptop.emulator_process`` with the environment of ``config.laptop.emulator``; nothing
imports it.
"""

import asyncio
import logging
import os
import resource
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from ministack import app as ministack
from ministack.core import persistence

from config.errors import Misconfigured
from config.laptop.emulator import HOST, check_startable, hold_lock
from config.laptop.emulator_patches import (
    evaluate_task_timeouts,
    give_expressions_time,
    project_whole_attributes,
    wake_receivers,
)

SAVE_SECONDS = int(os.environ["COUNTERSIGN_EMULATOR_SAVE_SECONDS"])
SAVE_LIMIT_SECONDS = 60
# They wipe every account, or reconfigure the process; nothing of ours calls them.
REFUSED_PATHS = {"/_ministack/reset", "/_ministack/config", "/_localstack/config"}
READING = ("BatchGet", "Describe", "Get", "List", "Query", "Receive", "Scan", "TransactGet")

logger = logging.getLogger("countersign.emulator")

App = Callable[[dict[str, Any], Any, Any], Awaitable[None]]


class Door:
    """Middleware before ministack: admits only programs of this machine and records writes."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.written = False
        self.deployed = False

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            headers = dict(scope["headers"])
            host = headers.get(b"host", b"").decode("latin-1").rpartition(":")[0]
            # A web page of someone else's reaches a loopback port through its own host name; that name betrays it.
            if scope["path"] in REFUSED_PATHS or host not in {HOST, "localhost"}:
                await send({"type": "http.response.start", "status": 403, "headers": []})
                await send({"type": "http.response.body", "body": b"Refused by Countersign's emulator.\n"})
                return
            self.written = self.written or _may_write(scope["method"], headers)
            self.deployed = self.deployed or b"/cloudformation/" in headers.get(b"authorization", b"")
        await self.app(scope, receive, send)


def _may_write(method: str, headers: dict[bytes, bytes]) -> bool:
    """Return False only for certain reads: a needless save costs a second, a missed one a document."""
    if method in {"GET", "HEAD", "OPTIONS"}:
        return False
    operation = headers.get(b"x-amz-target", b"").decode("latin-1").rpartition(".")[2]
    return not operation.startswith(READING)


class Keeper:
    """Saves the state in a forked process, so that no request waits.

    Saving in place would block every service: 1.7 s at 20,000 items.
    """

    def __init__(self, door: Door, lock: int) -> None:
        self.door = door
        self.lock = lock
        self.child: int | None = None

    async def run(self) -> None:
        saved = time.monotonic()
        while True:
            await asyncio.sleep(1)
            # A new stack is saved at once: without it, its bucket on the disk would be no one's.
            if (self.door.written and time.monotonic() - saved >= SAVE_SECONDS) or self.door.deployed:
                self.door.written = self.door.deployed = False
                if not await self._save():
                    self.door.written = True
                saved = time.monotonic()

    async def _save(self) -> bool:
        self.child = os.fork()
        if self.child == 0:
            _save_and_exit(self.lock)
        deadline = time.monotonic() + SAVE_LIMIT_SECONDS
        while time.monotonic() < deadline:
            pid, status = os.waitpid(self.child, os.WNOHANG)
            if pid:
                self.child = None
                return status == 0
            await asyncio.sleep(0.1)
        # A lock that some thread held at the fork stays locked in the copy; the next copy is likely free of it.
        self.abandon()
        return False

    def abandon(self) -> None:
        """Cancel a save in progress, so that an older state cannot overwrite the last one."""
        if self.child:
            os.kill(self.child, signal.SIGKILL)
            os.waitpid(self.child, 0)
            self.child = None


class _Failures(logging.Handler):
    """Collects ministack's logged save errors, which it otherwise ignores."""

    seen = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.seen += record.levelno >= logging.ERROR


def _save_and_exit(lock: int) -> None:
    # The folder stays locked until the copy is done; sockets must not outlive a killed parent.
    os.closerange(3, lock)
    os.closerange(lock + 1, 65536)
    failures = _Failures()
    logging.getLogger("persistence").addHandler(failures)
    try:
        persistence.save_all(ministack._build_persistence_save_dict())
    except BaseException:
        logger.exception("Saving the state failed.")
        os._exit(1)
    os._exit(1 if failures.seen else 0)


class _Server(uvicorn.Server):
    """Leaves signals to ``run_emulator``: uvicorn's handlers would end the process by signal, not with status 0."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def run_emulator(port: int, lock: int) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    if os.environ.get("COUNTERSIGN_EMULATOR_OWNED"):
        loop.add_reader(sys.stdin.fileno(), stop.set)  # readable means closed: whoever started us is gone
    evaluate_task_timeouts()
    give_expressions_time()
    project_whole_attributes()
    wake_receivers()
    door = Door(ministack.app)
    keeper = Keeper(door, lock)
    saving = asyncio.create_task(keeper.run()) if persistence.PERSIST_STATE else None
    config = uvicorn.Config(
        door,
        host=HOST,
        port=port,
        http="httptools",  # h11, in Python, takes as long for a request as ministack does
        ws="none",
        loop="none",
        proxy_headers=False,
        server_header=False,
        date_header=False,  # ministack writes its own
        access_log=False,
        log_level="warning",
        timeout_keep_alive=75,
        timeout_graceful_shutdown=1,
    )
    server = _Server(config)

    async def stop_server() -> None:
        await stop.wait()
        if saving:
            saving.cancel()
        keeper.abandon()  # the shutdown that follows saves everything itself
        server.should_exit = True

    stopping = asyncio.create_task(stop_server())
    await server.serve()
    stopping.cancel()


def _set_orphans_aside(state_dir: Path) -> None:
    """Move aside objects without a saved table, left by a kill between the two writes: they would block a new stack."""
    objects = state_dir / "s3"
    if objects.exists() and not (state_dir / "state" / "cloudformation.json").exists():
        objects.rename(state_dir / f"s3-without-state-{time.time_ns()}")


def main() -> int:
    port = int(os.environ["GATEWAY_PORT"])
    state_dir = Path(os.environ["COUNTERSIGN_EMULATOR_DIR"])
    try:
        check_startable(state_dir, port)
        lock = hold_lock(state_dir, port)
    except Misconfigured as error:
        sys.stderr.write(f"{error}\n")
        return 1
    _set_orphans_aside(state_dir)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # a burst of connections must not meet 1,024
    asyncio.run(run_emulator(port, lock))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The embedded AWS of laptops and tests: starting, stopping and probing it."""

import fcntl
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from config.errors import Misconfigured
from config.laptop import log_files

HOST = "127.0.0.1"  # it has no authentication worth the name: no one but this machine may reach it
SAVE_SECONDS = 30
START_SECONDS = 30
STOP_SECONDS = 30
LOCK_SECONDS = 5  # a killed emulator's last save may hold the lock for a moment longer
ANSWER_SECONDS = 10  # where none runs, the connection is refused at once; a busy one answers late
# What the desk uses and nothing more: a smaller emulator starts faster, and none of these runs code for a caller.
SERVICES = "cloudformation,dynamodb,dynamodbstreams,events,iam,kms,logs,monitoring,s3,sns,sqs,states,sts"


@dataclass(frozen=True)
class Emulator:
    """A running emulator, owned by this process and ended with it."""

    process: subprocess.Popen[bytes]
    endpoint: str
    state_dir: Path

    def stop(self) -> None:
        """Stop it once it has saved its state."""
        if self.process.stdin:
            self.process.stdin.close()
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()


def is_answering(endpoint: str) -> bool:
    """Return whether an emulator answers at ``endpoint``. Never uses a proxy, never raises."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{endpoint}/_ministack/health", timeout=ANSWER_SECONDS) as answer:
            return "services" in json.load(answer)
    except (OSError, ValueError):
        return False


def start_emulator(
    *, state_dir: Path, port: int, persistent: bool = True, save_seconds: int = SAVE_SECONDS
) -> Emulator:
    """Start the emulator as a child process that dies with this one.

    ``persistent``: keep state in ``state_dir``. If killed, it loses at most the last ``save_seconds``.

    Raises:
        Misconfigured: the port or state folder is in use, or the emulator did not start; the message says why.

    """
    check_startable(state_dir, port)
    log = state_dir / "emulator.log"
    settings = emulator_environment(state_dir=state_dir, port=port, persistent=persistent, save_seconds=save_seconds)
    with log_files.open_log(log, "the embedded AWS") as output:
        here = output.tell()
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            emulator_command(),
            env=settings | {"COUNTERSIGN_EMULATOR_OWNED": "1"},
            cwd=Path(__file__).resolve().parents[2],
            stdin=subprocess.PIPE,  # it stops when this end closes, so a killed parent leaves nothing behind
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C goes to the parent, which stops its child in order
        )
    emulator = Emulator(process=process, endpoint=f"http://{HOST}:{port}", state_dir=state_dir)
    deadline = time.monotonic() + START_SECONDS
    while not is_answering(emulator.endpoint):
        if process.poll() is not None or time.monotonic() > deadline:
            emulator.stop()
            last = log.read_bytes()[here:].decode(errors="replace").strip().rpartition("\n")[2]
            raise Misconfigured(f"The embedded AWS did not start: {last or 'no output.'} See {log}.")
        time.sleep(0.05)
    return emulator


def emulator_command() -> list[str]:
    return [sys.executable, "-m", "config.laptop.emulator_process"]


def emulator_environment(
    *, state_dir: Path, port: int, persistent: bool = True, save_seconds: int = SAVE_SECONDS
) -> dict[str, str]:
    """Return the emulator's environment: its own settings and the few variables that any Python process needs.

    The shell's AWS keys are left out: the emulator calls no one and must not be able to.
    """
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR") if name in os.environ}
    keep = "1" if persistent else "0"
    return kept | {
        "GATEWAY_PORT": str(port),
        "BIND_HOST": HOST,
        "MINISTACK_HOST": HOST,  # queue URLs carry it
        "SERVICES": SERVICES,
        "SFTP_ENABLED": "0",
        "IOT_MTLS_ENABLED": "0",
        "DOCKER_HOST": "unix:///nonexistent",  # otherwise it removes containers that it takes for its own
        "PERSIST_STATE": keep,
        "STATE_DIR": str(state_dir / "state"),
        "S3_PERSIST": keep,
        "S3_DATA_DIR": str(state_dir / "s3"),
        "LOG_LEVEL": "WARNING",
        "COUNTERSIGN_EMULATOR_DIR": str(state_dir),
        "COUNTERSIGN_EMULATOR_SAVE_SECONDS": str(save_seconds),
    }


def check_startable(state_dir: Path, port: int) -> None:
    """Raises: Misconfigured, saying what occupies the port or folder."""
    os.close(hold_lock(state_dir, port))
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            what = "another emulator" if is_answering(f"http://{HOST}:{port}") else "another program"
            raise Misconfigured(
                f"Port {port} is in use by {what}. Stop it, or set COUNTERSIGN_EMULATOR_PORT to a free port."
            ) from error


def check_kept_port(queue_url: str, port: int, state_dir: Path) -> None:
    """Raises: Misconfigured if the state was made on another port, which its queue URLs and state machines contain."""
    kept = urllib.parse.urlsplit(queue_url).port
    if kept not in (None, port):
        raise Misconfigured(
            f"The embedded AWS was created with COUNTERSIGN_EMULATOR_PORT={kept}, which is now {port}. Restore the "
            f"port, or delete {state_dir} to start over."
        )


def hold_lock(state_dir: Path, port: int) -> int:
    """Lock the state folder for this process; the kernel releases the lock however the process ends.

    Raises:
        Misconfigured: another emulator holds it.

    """
    state_dir.mkdir(parents=True, exist_ok=True)
    lock = os.open(state_dir / "emulator.lock", os.O_RDWR | os.O_CREAT, 0o600)
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            holder = json.loads(os.pread(lock, 200, 0) or b"{}")
            if time.monotonic() < deadline and not _is_alive(holder.get("pid")):
                time.sleep(0.1)
                continue
            os.close(lock)
            raise Misconfigured(
                f"The embedded AWS is already running on {state_dir}: process {holder.get('pid')}, port "
                f"{holder.get('port')}. Use it, or stop that process first."
            ) from None
    os.ftruncate(lock, 0)
    os.pwrite(lock, json.dumps({"pid": os.getpid(), "port": port}).encode(), 0)
    return lock


def _is_alive(pid: int | None) -> bool:
    if pid is None:
        return False  # it has the lock and has not written its name yet
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True

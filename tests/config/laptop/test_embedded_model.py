"""The embedded model's process: it waits for its first caller, answers over its socket, and says nothing of it."""

import os
import re
import stat
import time
from pathlib import Path

import pytest

from config.errors import Misconfigured
from config.laptop import embedded_model
from tests.embedded import needs_model, run_model_process


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 30
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.05)


@pytest.mark.wide
@needs_model
def test_the_model_is_loaded_when_it_is_first_asked_within_bounds(tmp_path: Path) -> None:
    path = embedded_model.socket_of(tmp_path)
    with run_model_process(path) as process:
        wait_for(path)
        before = Path(f"/proc/{process.pid}/status").read_text()
        embedded_model.wait_until_ready(path)
        limits = Path(f"/proc/{process.pid}/limits").read_text()
        assert int(re.search(r"VmRSS:\s+(\d+)", before)[1]) < 60_000  # type: ignore[index]
        assert re.search(r"Max address space +2147483648", limits)
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
        process.terminate()
        assert process.wait(10) == 0


def test_a_process_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="make demo-model"):
        embedded_model.wait_until_ready(tmp_path / "model.sock", seconds=0.3)


def test_a_long_state_folder_has_its_socket_elsewhere(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 120)
    assert len(os.fsencode(embedded_model.socket_of(deep))) < 108
    assert embedded_model.socket_of(deep) == embedded_model.socket_of(deep)
    assert embedded_model.socket_of(deep) != embedded_model.socket_of(deep / "y")

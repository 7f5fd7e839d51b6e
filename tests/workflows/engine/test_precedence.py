"""Whose work goes first on one machine."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from workflows.engine import precedence

HOLDER = """
import fcntl, os, sys, time
lock = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
fcntl.flock(lock, fcntl.LOCK_SH)
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def _folder(settings: Any, tmp_path: Path) -> None:
    settings.STATE_DIR = tmp_path


@pytest.fixture
def other(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that goes first."""
    arguments = [sys.executable, "-c", HOLDER, str(tmp_path / "first.lock")]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        yield holder
        holder.kill()


def pause() -> float:
    """Seconds that going second waits before a page."""
    with precedence.go_second(lambda: None) as beat:
        began = time.monotonic()
        beat()
        return time.monotonic() - began


def test_nobody_waits_where_nobody_goes_first() -> None:
    assert pause() < precedence.MOST_SECONDS / 2


def test_who_goes_second_waits_and_goes_on_though_the_other_never_ends(other: subprocess.Popen[str]) -> None:
    assert pause() >= precedence.MOST_SECONDS
    assert other.poll() is None


def test_a_killed_worker_holds_up_nobody(other: subprocess.Popen[str], tmp_path: Path) -> None:
    other.kill()
    other.wait()
    time.sleep(0.2)
    assert pause() < precedence.MOST_SECONDS / 2


def test_the_next_step_of_the_same_page_finds_the_machine_free() -> None:
    with precedence.go_first():
        pass
    assert pause() > 0.05


def test_any_number_go_first_at_a_time(other: subprocess.Popen[str]) -> None:
    began = time.monotonic()
    with precedence.go_first(), precedence.go_first():
        assert time.monotonic() - began < 1


def test_the_beat_is_called_either_way(settings: Any) -> None:
    for settings.ON_LAPTOP in (True, False):
        beats: list[int] = []
        with precedence.go_first(), precedence.go_second(lambda: beats.append(1)) as beat:  # noqa: B023
            beat()
        assert beats == [1]


def test_workers_with_machines_of_their_own_leave_no_file(settings: Any, tmp_path: Path) -> None:
    settings.ON_LAPTOP = False
    with precedence.go_first():
        assert pause() < precedence.MOST_SECONDS / 2
    assert list(tmp_path.iterdir()) == []

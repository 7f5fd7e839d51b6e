import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.supervisor import Child, Supervisor

# A module of the standard library that serves until it is told to end.
SERVES = ("http.server", "--bind", "127.0.0.1", "0")


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator[Supervisor]:
    with Supervisor(tmp_path / "logs") as running:
        yield running


def pid(child: Child) -> int:
    assert child.process is not None
    return child.process.pid


def test_a_child_that_dies_is_started_again_and_reported(supervisor: Supervisor) -> None:
    supervisor.add("web", *SERVES)
    (child,) = supervisor.children
    first = pid(child)
    assert child.process is not None
    child.process.kill()
    child.process.wait()
    said: list[str] = []
    deadline = time.monotonic() + 10
    while pid(child) == first and time.monotonic() < deadline:
        supervisor.tend(said.append)
        time.sleep(0.05)
    assert pid(child) != first
    assert said == ["web ended with code -9 and is started again."]


def test_stopping_ends_every_child(supervisor: Supervisor) -> None:
    supervisor.add("one", *SERVES)
    supervisor.add("two", *SERVES)
    processes = [child.process for child in supervisor.children]
    supervisor.stop()
    assert all(process is not None and process.poll() is not None for process in processes)


def test_what_a_child_says_is_in_its_log(supervisor: Supervisor, tmp_path: Path) -> None:
    supervisor.add("words", "this")
    (child,) = supervisor.children
    assert child.process is not None
    child.process.wait(10)
    assert "Errors should never pass silently." in (tmp_path / "logs/words.log").read_text()


def test_a_nice_child_leaves_the_processor_to_others_also_when_started_again(supervisor: Supervisor) -> None:
    supervisor.add("slices", *SERVES, nice=7)
    (child,) = supervisor.children
    assert os.getpriority(os.PRIO_PROCESS, pid(child)) == 7
    assert child.process is not None
    child.process.kill()
    child.process.wait()
    supervisor._start(child)
    assert os.getpriority(os.PRIO_PROCESS, pid(child)) == 7

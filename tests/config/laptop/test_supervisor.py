import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from config.laptop import log_files
from config.laptop.supervisor import Child, Supervisor

# A module of the standard library that serves until it is told to end.
SERVES = ("http.server", "--bind", "127.0.0.1", "0")


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator[Supervisor]:
    with Supervisor(tmp_path / "logs") as running:
        yield running


def pid(child: Child) -> int:
    assert child.process is not None
    return child.process.pid


@pytest.mark.wide
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
    assert said == ["web exited with code -9; restarting."]


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


def test_what_a_child_said_survives_the_next_start_and_is_kept_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_files, "MOST_BYTES", 1000)
    log, earlier = tmp_path / "logs/words.log", tmp_path / "logs/words.log.1"
    for starts in (1, 2):
        with Supervisor(tmp_path / "logs") as running:
            running.add("words", "this")
            finished(running.children[0])
            assert log.read_text().count("words is started") == starts
            assert log.read_text().count("Errors should never pass silently.") == starts
    with Supervisor(tmp_path / "logs") as running:
        running.add("words", "this")
        finished(running.children[0])
        assert log.read_text().count("words is started") == 1
        assert earlier.read_text().count("words is started") == 2


def test_a_log_is_kept_short_while_its_child_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_files, "MOST_BYTES", 100_000)
    log = tmp_path / "logs/talks.log"
    with Supervisor(tmp_path / "logs") as running:
        running.add("talks", "timeit", "-n", "1", "-r", "1", "-s", "import sys", "while True: print('x' * 99)")
        deadline = time.monotonic() + 20
        while not log.with_name("talks.log.1").exists() and time.monotonic() < deadline:
            running.tend(lambda _text: None)
        assert log.with_name("talks.log.1").stat().st_size > 100_000
        there = log.stat().st_size
        while log.stat().st_size <= there and time.monotonic() < deadline:
            time.sleep(0.01)
        assert b"\0" not in log.read_bytes()[:1000]  # it goes on at the beginning, not where it was


def finished(child: Child) -> None:
    assert child.process is not None
    child.process.wait(10)


# Forks this interpreter, which pytest's own must not be: other threads may run in it.
FORKS = """
import gc, os, sys, time
gc.set_threshold(100_000)  # as manage.py does
import django
django.setup()
from pathlib import Path
from config import aws
from config.laptop.supervisor import Supervisor

held = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
aws.aws_client("sqs")
with Supervisor(Path(sys.argv[1]).parent / "logs") as supervisor:
    supervisor.add("a-long-name-indeed", "tests.config.laptop.forked_child", forks=True)
    (child,) = supervisor.children
    first = child.process
    print(type(first).__name__, first.wait(30))
    time.sleep(2.1)
    supervisor.tend(print)
    print(type(child.process).__name__, child.process.wait(30))
    supervisor.add("sleeps", "http.server", "--bind", "127.0.0.1", "0", forks=True)
    sleeping = supervisor.children[1].process
print(sleeping.returncode)
"""


@pytest.mark.wide
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere each is a new interpreter")
def test_a_copy_shares_the_code_and_neither_files_nor_clients_and_a_dead_one_is_started_anew(tmp_path: Path) -> None:
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
    done = subprocess.run(
        [sys.executable, "-c", FORKS, str(tmp_path / "held")],
        cwd=settings.BASE_DIR, env=env, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert said == [
        "ForkedProcess 3", "a-long-name-indeed exited with code 3; restarting.", "Popen 3", str(-signal.SIGTERM),
    ]  # fmt: skip
    copy, new = (tmp_path / "logs/a-long-name-indeed.log").read_text().split("started\n")[1:]
    assert "name=a-long-name-ind " in copy
    assert "clients=0" in copy
    assert "(700, 10, 10)" in copy
    assert "held=False" in copy
    assert "session=True" in copy
    assert "django=True" in copy
    assert "django=False" in new

"""A desk of real processes: emulator, web server, workers and beat as the demo starts them, each to be killed alone."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from django.conf import settings
from django.test.signals import setting_changed

from config import aws
from config.item import Item
from config.laptop import emulator
from tests.commands.desk import command, environment

WORKER = ("celery", "-A", "config", "worker", "-c", "1", "--without-gossip", "--without-mingle", "-l", "INFO")


def prepare(folder: Path, tree: Path | None = None, **variables: str) -> None:
    """Accounts, stack and machines, as the first start of the demo leaves them; of ``tree``, else of this code."""
    ours = command("demo", "--once", "--no-samples")
    done = subprocess.run(
        [ours[0], str(tree / "manage.py"), *ours[2:]] if tree else ours,
        cwd=tree,  # Celery puts where it is started before all else
        env=environment(folder) | variables,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr


class LiveDesk:
    """``variables`` override settings of every process; without them each runs on its defaults.

    ``tree``: whose code processes run that are started from now on.
    """

    def __init__(self, prepared: Path, folder: Path, **variables: str) -> None:
        self.tree = Path(settings.BASE_DIR)
        shutil.copytree(prepared, folder, ignore=shutil.ignore_patterns("*.sock"))  # a model may have listened
        self.folder, self.state = folder, folder / "state"
        # The same account as this test process, which looks into the same table.
        self.env = environment(folder) | variables | account()
        self.port = self.env["COUNTERSIGN_EMULATOR_PORT"]
        self.web = f"http://127.0.0.1:{self.env['COUNTERSIGN_PORT']}"
        self.children: dict[str, subprocess.Popen[bytes]] = {}
        self.emulator: emulator.Emulator | None = None

    def start_emulator(self, save_seconds: int = emulator.SAVE_SECONDS) -> None:
        self.emulator = emulator.start_emulator(
            state_dir=self.state / "emulator", port=int(self.port), save_seconds=save_seconds
        )

    def stop_emulator(self) -> None:
        assert self.emulator
        self.emulator.stop()

    def start_web(self) -> None:
        bind = f"127.0.0.1:{self.env['COUNTERSIGN_PORT']}"
        self.start("web", "gunicorn", "config.wsgi", "-b", bind, "-k", "gthread", "--threads", "4")

    def start_worker(self, name: str, queue: str, **variables: str) -> None:
        self.start(name, *WORKER, "-Q", queue, "-n", f"{name}@localhost", **variables)

    def start_sweeper(self, **variables: str) -> None:
        """With the clock that orders its sweeps."""
        self.start_beat()
        self.start_worker("sweep", settings.SWEEP_QUEUE, **variables)

    def start_beat(self) -> None:
        self.start("beat", "celery", "-A", "config", "beat", "-l", "WARNING", "--pidfile=")

    def start(self, name: str, *arguments: str, **variables: str) -> None:
        with self.log(name).open("ab") as output:
            self.children[name] = subprocess.Popen(
                [sys.executable, "-m", *arguments],
                cwd=self.tree,
                env=self.env | variables,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def end(self, name: str) -> None:
        """In order, as a deployment stops what it replaces."""
        child = self.children.pop(name)
        child.terminate()
        child.wait(60)

    def kill(self, name: str) -> None:
        """As ``kill -9`` of the machine would: the process and its pool, at once and without a word."""
        child = self.children.pop(name)
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()

    def log(self, name: str) -> Path:
        (self.state / "logs").mkdir(exist_ok=True)
        return self.state / "logs" / f"{name}.log"

    def logged(self, name: str) -> Iterator[dict[str, Any]]:
        for line in self.log(name).read_text(errors="replace").splitlines():
            if line.startswith('{"'):
                yield json.loads(line)

    def password(self, username: str) -> str:
        return str(json.loads((self.state / "logins.json").read_text())[username])

    def stop(self) -> None:
        for child in self.children.values():
            child.terminate()
        for child in self.children.values():
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
        if self.emulator:
            self.emulator.stop()


def account() -> dict[str, str]:
    return {"COUNTERSIGN_EMULATOR_ACCOUNT": os.environ["COUNTERSIGN_EMULATOR_ACCOUNT"]}


@contextmanager
def looking_at(desk: LiveDesk) -> Iterator[None]:
    """This test process reads and writes the desk's table instead of its own."""
    with through(f"http://127.0.0.1:{desk.port}"):
        yield


@contextmanager
def through(endpoint: str) -> Iterator[None]:
    """This test process asks AWS at another address."""
    with mock.patch.object(settings, "AWS_ENDPOINT_URL", endpoint), mock.patch.object(Item, "_shared", {}):
        forget_clients()
        try:
            yield
        finally:
            forget_clients()


def forget_clients() -> None:
    for cache in (aws._build, aws.dynamodb_connection):
        cache.cache_clear()
    setting_changed.send(sender=None, setting="STORAGES", value=settings.STORAGES, enter=True)  # its client too


def wait_for(condition: Callable[[], bool], what: str, seconds: float) -> float:
    """How long it took."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > seconds:
            raise AssertionError(f"{what}: not within {seconds} s")
        time.sleep(0.1)
    return time.monotonic() - began

"""Tests leave nothing on the brokers, also where their process was killed."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from amqp import NotFound
from django.conf import settings

from config.celery import app
from tests import engines
from tests.engines import KINDS, running_on
from tests.settings import FOLDER, OWNER, WORKER


@pytest.fixture
def killed() -> Iterator[Path]:
    """The folder of a run whose process is gone, with one worker."""
    folder = FOLDER.parent / f"killed-{FOLDER.name}-{WORKER}"  # no other run looks for it
    (folder / "worker-0").mkdir(parents=True)
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    (folder / OWNER).write_text(str(gone.pid))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def test_the_next_run_takes_redis_keys_of_a_killed_one_away(killed: Path) -> None:
    engines.require("redis")
    key = f"{killed.name}-0-process-unacked"
    with engines.opened("redis") as channel:
        channel.client.set(key, "a message")
        engines.forget_killed_runs(killed.name)
        assert not channel.client.exists(key)
    assert not killed.exists()


def test_the_next_run_takes_rabbitmq_queues_of_a_killed_one_away(killed: Path) -> None:
    engines.require("rabbitmq")
    queue = f"{killed.name}-0-process-{settings.STEPS_QUEUE}"
    with engines.opened("rabbitmq") as channel:
        channel.queue_declare(queue, auto_delete=False)
        engines.forget_killed_runs(killed.name)
        with pytest.raises(NotFound):
            channel.queue_declare(queue, passive=True)


def test_queues_of_tests_end_by_themselves() -> None:
    with running_on(KINDS[2]):
        assert {queue.queue_arguments["x-expires"] for queue in app.amqp.queues.values()} == {engines.UNUSED_MS}


def test_a_living_runs_folder_is_left_alone(killed: Path) -> None:
    (killed / OWNER).write_text((FOLDER / OWNER).read_text())
    engines.forget_killed_runs(killed.name)
    assert killed.exists()

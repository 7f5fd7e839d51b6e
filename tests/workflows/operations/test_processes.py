"""Processes of a deployment as a container starts them, on settings of one."""

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from celery.signals import celeryd_init
from django.conf import settings

from config import aws
from tests.commands.desk import free_port
from tests.config.test_settings import DEPLOYED
from tests.each import each
from workflows.operations.processes import PROCESSES, WORKERS


def started(process: str, folder: Path, **env: str) -> subprocess.Popen[bytes]:
    usual = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "LANG"}}
    return subprocess.Popen(
        [sys.executable, Path(settings.BASE_DIR) / "manage.py", "start", process],
        env=usual | DEPLOYED | {"COUNTERSIGN_STATE_DIR": str(folder)} | env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def status(url: str, host: str) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers={"Host": host}), timeout=5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code
    except OSError:
        return 0


@pytest.mark.wide
def test_the_web_process_comes_up_answers_the_load_balancer_and_stops_in_order(tmp_path: Path) -> None:
    port = free_port()
    web = started("web", tmp_path, COUNTERSIGN_PORT=port, COUNTERSIGN_WEB_WORKERS="1", PYTHONWARNINGS="ignore")
    try:
        deadline = time.monotonic() + 60
        while not (up := status(f"http://127.0.0.1:{port}/healthz", "10.0.3.7")) and time.monotonic() < deadline:
            time.sleep(0.2)
        assert up == 200
        web.send_signal(signal.SIGTERM)
        said, _ = web.communicate(timeout=60)
        assert web.returncode == 0, said.decode()
    finally:
        web.kill()
        web.communicate()


@each("process", WORKERS)
def test_every_queue_has_its_own_worker_and_there_is_one_beat(process: str) -> None:
    module = PROCESSES[process]
    assert (module[3] == "beat") == (process == "beat")
    queues = [module[place + 1] for place, word in enumerate(module) if word == "-Q"]
    assert queues == ([] if process == "beat" else [f"{settings.STACK}-{process.removeprefix('worker-')}"])


def test_together_they_take_from_every_queue() -> None:
    taken = {arguments[arguments.index("-Q") + 1] for arguments in PROCESSES.values() if "-Q" in arguments}
    assert taken == set(settings.QUEUE_URLS)


def test_the_sweepers_worker_gives_a_silent_service_up_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    name = PROCESSES["worker-sweep"][PROCESSES["worker-sweep"].index("-n") + 1]
    monkeypatch.setattr(aws, "_patience", aws.WORKER)
    celeryd_init.send(sender="steps@here")
    assert aws._patience == aws.WORKER
    celeryd_init.send(sender=name.replace("%h", "here"))
    assert aws._patience == aws.SWEEPER

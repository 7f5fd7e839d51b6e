import os
from pathlib import Path

import pytest
from django.conf import settings

from config.errors import Misconfigured
from config.laptop import locks
from tests.aws_faults import fail
from tests.pump import receive
from workflows.operations import local_desk
from workflows.operations.processes import LAPTOP


@pytest.mark.wide
def test_the_clock_sends_what_beat_would_and_no_more(table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = local_desk.Clock()
    for _ in range(3):
        clock.tick()
    sent = {message.task for message in receive(settings.SWEEP_QUEUE)}
    assert sent == {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert receive(settings.SWEEP_QUEUE) == []
    clock.due = dict.fromkeys(clock.due, 0.0)
    with fail("sqs", "SendMessage", error_code="connection", times=9):
        clock.tick()  # it is due again later


def test_a_laptops_workers_take_from_every_queue() -> None:
    taken = [name for arguments in LAPTOP.values() for name in arguments[arguments.index("-Q") + 1].split(",")]
    assert sorted(taken) == sorted(settings.QUEUE_URLS)


def test_workers_of_another_process_are_used_where_they_are_on_the_same_broker(tmp_path: Path, settings) -> None:
    path = tmp_path / "workers.lock"
    theirs = locks.hold_lock(path, "sqs")
    assert theirs is not None
    try:
        assert local_desk._workers_of(path) is None
        settings.BROKER = "redis"
        with pytest.raises(Misconfigured, match=r"use SQS, this process Redis\. Stop them"):
            local_desk._workers_of(path)
    finally:
        os.close(theirs)
    ours = local_desk._workers_of(path)
    assert ours is not None
    os.close(ours)

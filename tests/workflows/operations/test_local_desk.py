import os
from pathlib import Path

import pytest

from config.errors import Misconfigured
from config.laptop import locks
from workflows.operations import local_desk


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

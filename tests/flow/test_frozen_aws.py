"""AWS that neither answers nor refuses: pages say so within their limit, and go on when it answers again."""

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from config import aws
from config.table import DEFAULT_SITE
from projects.audit.events import Actor
from projects.settings.defaults import ensure_default_project
from tests.flow.processes import LiveDesk, account, looking_at, prepare, wait_for
from tests.flow.visitor import Visitor

PAGES = ("/", "/projects/", "/review/", "/workflows/", "/settings/incoming/", "/settings/audit/")
LIMIT = 60  # seconds for the slowest of twelve at once on four threads


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[LiveDesk]:
    prepare(tmp_path / "prepared", **account())
    desk = LiveDesk(tmp_path / "prepared", tmp_path / "desk")
    try:
        desk.start_emulator()
        desk.start_web()
        with looking_at(desk):
            ensure_default_project(DEFAULT_SITE, by=Actor("test", "Test"))
        yield desk
    finally:
        desk.stop()


def timed(ada: Visitor, path: str) -> tuple[str, int, float, str]:
    began = time.monotonic()
    status, text = ada.get(path)
    return path, status, time.monotonic() - began, text


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.timeout(300)
def test_no_page_hangs_while_aws_is_frozen_and_each_says_what_is_wrong(desk: LiveDesk) -> None:
    ada = Visitor(desk.web, patience=200)
    wait_for(ada.is_answered, "the web server", 60)
    ada.sign_in("admin", desk.password("admin"))
    assert desk.emulator
    before = {path: timed(ada, path)[1] for path in PAGES}
    os.kill(desk.emulator.process.pid, signal.SIGSTOP)
    try:
        frozen_at = time.monotonic()
        with ThreadPoolExecutor(len(PAGES) * 2) as lanes:
            answers = list(lanes.map(lambda path: timed(ada, path), PAGES * 2))
        time.sleep(max(0.0, 60 - (time.monotonic() - frozen_at)))
        late = timed(ada, "/review/")
    finally:
        os.kill(desk.emulator.process.pid, signal.SIGCONT)
    print([(path, status, round(seconds, 1)) for path, status, seconds, _ in [*answers, late]])
    assert max(seconds for _, _, seconds, _ in [*answers, late]) < LIMIT
    for _, status, _, text in [*answers, late]:
        assert status == 503
        assert "temporarily unavailable" in text
        assert "Try again" in text
    wait_for(lambda: {path: timed(ada, path)[1] for path in PAGES} == before, "the pages are back", 60)


def test_a_web_process_waits_less_than_a_worker() -> None:
    assert aws.WEB.read_seconds * aws.WEB.attempts < LIMIT < aws.WORKER.read_seconds * aws.WORKER.attempts

"""An upgrade in the middle of reviews: what waited under the commit before is decided once under this one.

``UPGRADE_FROM``: another commit to come from.
"""

import os
import subprocess
import tarfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from django.conf import settings

from review.status import ReviewStatus
from tests.commands import desk as commands
from tests.commands.desk import overrides
from tests.factories import review_of
from tests.flow.processes import LiveDesk, account, looking_at, prepare, wait_for
from tests.flow.protocol import assert_applied_once
from tests.flow.test_processes import ANSWERS, signed_in, three_waiting
from workflows.runs import queries

pytestmark = [pytest.mark.slow, pytest.mark.processes]
BEFORE = os.environ.get("UPGRADE_FROM", "HEAD~1")
WITHIN = 180


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """The tree of the commit before."""
    made = subprocess.run(["git", "archive", BEFORE], cwd=settings.BASE_DIR, capture_output=True, check=False)
    if made.returncode:
        pytest.skip(f"{BEFORE} is not here: a checkout with its history is needed.")
    with tarfile.open(fileobj=BytesIO(made.stdout)) as files:
        files.extractall(tmp_path / "older", filter="data")
    return tmp_path / "older"


@pytest.fixture
def desk(tmp_path: Path, older: Path) -> Iterator[LiveDesk]:
    brisk = overrides(SWEEP_SECONDS=2, RUN_CHECK_SECONDS=4)
    port = {"COUNTERSIGN_EMULATOR_PORT": commands.free_port()}  # which the state is made for, and bootstrap checks
    prepare(tmp_path / "prepared", older, **account(), **port)
    desk = LiveDesk(tmp_path / "prepared", tmp_path / "desk", **brisk, **port)
    try:
        desk.start_emulator()
        with looking_at(desk):
            yield desk
    finally:
        desk.stop()


def start_all(desk: LiveDesk) -> None:
    desk.start_web()
    desk.start_worker("steps", settings.STEPS_QUEUE)
    desk.start_worker("desk", settings.DESK_QUEUE)
    desk.start_sweeper()


@pytest.mark.timeout(600)
def test_reviews_that_waited_and_decisions_that_were_made_go_on_under_the_new_version(
    desk: LiveDesk, older: Path
) -> None:
    desk.tree = older
    start_all(desk)
    rosa = signed_in(desk)
    waiting = three_waiting(rosa)
    (_, claimed), (_, decided), (untouched, _) = waiting
    page = rosa.claim(claimed)
    rosa.save_draft(claimed, page, company="Typed before the upgrade")
    ready = rosa.claim(decided)
    for name in ("beat", "sweep", "desk"):  # whoever would apply it
        desk.end(name)
    assert rosa.decide(decided, ready, **ANSWERS) == 200
    for name in list(desk.children):
        desk.end(name)
    assert review_of(decided).status == ReviewStatus.DECIDED

    desk.tree = Path(settings.BASE_DIR)
    for command in ("bootstrap", "migrate"):
        done = commands.run(desk.env, command)
        assert done.returncode == 0, done.stderr
    start_all(desk)
    wait_for(rosa.is_answered, "the web server", 60)
    assert "Typed before the upgrade" in rosa.get(f"/review/{claimed.document_id}/{claimed.review_id}/")[1]
    assert rosa.decide(claimed, page, **ANSWERS) == 200  # on the page that was open before
    assert rosa.decide(waiting[2][1], rosa.claim(waiting[2][1]), **ANSWERS) == 200
    wait_for(lambda: all(queries.execution(run).outcome for run, _ in waiting), "three publications", WITHIN)
    for run, ref in waiting:
        assert_applied_once(run, ref)
    assert int(queries.execution(untouched).engine_attempt) == 1  # nothing was begun anew

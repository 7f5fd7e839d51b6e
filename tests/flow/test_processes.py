"""The redeem protocol with real processes: workers are killed, the emulator is restarted, over HTTP and on defaults."""

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings

from config import clock
from config.table import DEFAULT_SITE
from projects.audit.events import Actor
from projects.settings.defaults import ensure_default_project
from review import queries as review_queries
from review.identity import ReviewRef
from review.status import ReviewStatus
from tests.commands.desk import overrides
from tests.factories import ref_of, review_of, sample_files
from tests.flow import gate as gates
from tests.flow.gate import Gate
from tests.flow.processes import LiveDesk, account, looking_at, prepare, wait_for
from tests.flow.protocol import assert_applied_once
from tests.flow.visitor import Visitor
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.engine import driver
from workflows.engine.tokens import TokenHolder
from workflows.runs import queries
from workflows.runs.items import Run

pytestmark = [pytest.mark.slow, pytest.mark.processes]

Waiting = list[tuple[Run, ReviewRef]]

WITHIN = 120  # seconds from a restart to the decision applied: what the desk promises
ANSWERS = {"company": "Corner Larder", "date": "2025-11-14", "total": "29.53"}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    prepare(folder, **account())
    return folder


@pytest.fixture
def desk(prepared: Path, tmp_path: Path) -> Iterator[LiveDesk]:
    """On the defaults of every interval."""
    yield from running(LiveDesk(prepared, tmp_path / "desk"))


@pytest.fixture
def brisk_desk(prepared: Path, tmp_path: Path) -> Iterator[LiveDesk]:
    brisk = overrides(SWEEP_SECONDS=2, RUN_CHECK_SECONDS=4, REVIEW_UNDO_SECONDS=1)
    yield from running(LiveDesk(prepared, tmp_path / "desk", **brisk))


def running(desk: LiveDesk) -> Iterator[LiveDesk]:
    """Up but for the worker of the desk's queue, which each test starts as it needs it."""
    try:
        desk.start_emulator()
        desk.start_web()
        desk.start_worker("steps", settings.STEPS_QUEUE)
        with looking_at(desk):
            yield desk
    finally:
        desk.stop()


@pytest.fixture
def gate(desk: LiveDesk) -> Iterator[Gate]:
    with gates.opened(int(desk.port)) as gate:
        yield gate


def signed_in(desk: LiveDesk) -> Visitor:
    rosa = Visitor(desk.web)
    wait_for(rosa.is_answered, "the web server", 60)
    rosa.sign_in("rosa", desk.password("rosa"))
    return rosa


def three_waiting(rosa: Visitor, meanwhile: Callable[[], None] = lambda: None) -> Waiting:
    project = ensure_default_project(DEFAULT_SITE, by=Actor("test", "Test"))
    receipt = next(path for path in sample_files() if path.suffix == ".jpg")
    runs = [rosa.upload(project.id, receipt) for _ in range(3)]
    meanwhile()
    wait_for(lambda: len(review_queries.list_queue(DEFAULT_SITE).rows) == 3, "three reviews", 120)
    return [(run, ref_of(run)) for run in runs]


def start_gated(desk: LiveDesk, gate: Gate) -> None:
    desk.start_worker("desk", settings.DESK_QUEUE, AWS_ENDPOINT_URL=f"http://127.0.0.1:{gate.port}")


def start_gated_sweeper(desk: LiveDesk, gate: Gate) -> None:
    desk.start_worker("sweep", settings.SWEEP_QUEUE, AWS_ENDPOINT_URL=f"http://127.0.0.1:{gate.port}")


def kill_at(gate: Gate, desk: LiveDesk, name: str, ref: ReviewRef, hold: gates.Hold) -> None:
    """Let the worker come to the redemption of ``ref``'s decision and kill it there."""
    gate.held.clear()
    gate.hold = {str(review_of(ref).decision_id): hold}
    assert gate.held.wait(60)
    assert review_of(ref).status == ReviewStatus.REDEEMING
    desk.kill(name)
    gate.hold = {}


def since(restarted: dt.datetime, ref: ReviewRef) -> float:
    """Seconds to the decision's application, the last change of a review."""
    return round((clock.parse(review_of(ref).updated_at) - restarted).total_seconds(), 1)


@pytest.mark.timeout(240)
def test_workers_killed_before_and_in_the_redemption_have_it_applied_once_within_two_minutes(
    desk: LiveDesk, gate: Gate
) -> None:
    start_gated(desk, gate)
    desk.start_beat()
    rosa = signed_in(desk)
    (_, before), (_, in_it), (_, after) = waiting = three_waiting(rosa)
    pages = {ref: rosa.claim(ref) for _, ref in waiting}
    assert rosa.decide(in_it, pages[in_it], **ANSWERS) == 200
    assert rosa.decide(before, pages[before], **ANSWERS) == 200
    kill_at(gate, desk, "desk", in_it, "before")
    assert review_of(before).status == ReviewStatus.DECIDED
    assert rosa.decide(after, pages[after], **ANSWERS) == 200  # while no worker lives
    first = clock.now()
    start_gated_sweeper(desk, gate)  # which redeems what the killed worker had received
    kill_at(gate, desk, "sweep", after, "after")
    second = clock.now()
    start_gated(desk, gate)
    start_gated_sweeper(desk, gate)
    wait_for(lambda: all(queries.execution(run).outcome for run, _ in waiting), "three publications", WITHIN)
    for run, ref in waiting:
        assert_applied_once(run, ref)
    took = {"before": since(first, before), "in it": since(first, in_it), "after": since(second, after)}
    print(f"applied so many seconds after the worker's restart: {took}")
    assert max(took.values()) < WITHIN
    assert set(gate.sent) == {str(review_of(ref).decision_id) for _, ref in waiting}


def ocr_runs(desk: LiveDesk) -> Counter[str]:
    """How often the step began, by run, as the worker logged it."""
    lines = desk.logged("steps")
    return Counter(
        line["run"] for line in lines if line.get("step") == "paddleocr_processor" and line["message"] == "step begins"
    )


def token_attempt(ref: ReviewRef) -> int:
    return int(TokenHolder.load(ref.key).token_attempt or 0)


@pytest.mark.timeout(240)
def test_a_restarted_emulator_keeps_the_reviews_renews_their_tokens_and_repeats_no_ocr(brisk_desk: LiveDesk) -> None:
    desk = brisk_desk
    desk.start_worker("desk", settings.DESK_QUEUE)
    desk.start_sweeper()
    rosa = signed_in(desk)
    waiting = three_waiting(rosa)
    run, ref = waiting[0]
    page = rosa.claim(ref)
    rosa.save_draft(ref, page, company="Typed before the restart")
    desk.stop_emulator()
    desk.start_emulator()
    assert [driver.state(DOCUMENT_ANALYSIS, run, 1) for run, _ in waiting] == ["ended"] * 3
    assert {row.document_id for row in review_queries.list_queue(DEFAULT_SITE).rows} == {
        ref.document_id for _, ref in waiting
    }
    seconds = wait_for(lambda: [token_attempt(ref) for _, ref in waiting] == [2, 2, 2], "new tokens", 90)
    assert (review_of(ref).status, review_of(ref).holder_name) == (ReviewStatus.CLAIMED, "Rosa Keller")
    assert "Typed before the restart" in rosa.get(f"/review/{ref.document_id}/{ref.review_id}/")[1]
    assert rosa.decide(ref, page, **ANSWERS) == 200  # on the page that was open before the restart
    seconds += wait_for(lambda: queries.execution(run).status != "running", "published", 60)
    assert_applied_once(run, ref)
    print(f"new tokens and published after {seconds:.1f} s; OCR ran {dict(ocr_runs(desk))}")
    assert ocr_runs(desk) == {run.workflow_id: 1 for run, _ in waiting}
    assert {int(queries.execution(run).engine_attempt) for run, _ in waiting} == {2}

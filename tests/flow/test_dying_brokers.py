"""A broker that is killed under load and returns: every worker takes messages again, and no one had to help.

Ten rounds a broker; ``BROKER_ROUNDS`` says another number.
"""

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random

import pytest
from django.conf import settings

from config.table import DEFAULT_SITE
from projects.audit.events import Actor
from projects.settings.defaults import ensure_default_project
from review import queries as review_queries
from review.identity import ReviewRef
from review.status import ReviewStatus
from tests.commands.desk import overrides
from tests.factories import ref_of, review_of
from tests.flow import own_brokers
from tests.flow.own_brokers import BROKERS, EmbeddedSqs, OwnBroker, OwnRedis
from tests.flow.processes import LiveDesk, account, looking_at, prepare, wait_for
from tests.flow.protocol import assert_applied_once
from tests.flow.test_engine_processes import BRISK
from tests.flow.test_processes import WITHIN, signed_in
from tests.flow.visitor import Visitor
from tests.generated.small import UNSURE, papers
from workflows.runs import queries
from workflows.runs.items import Run

pytestmark = [pytest.mark.slow, pytest.mark.processes]

ROUNDS = int(os.environ.get("BROKER_ROUNDS", "10"))
EACH = 50  # messages to each of the five queues
DOWN_SECONDS = 5
STANDS_STILL_SECONDS = 60


@pytest.fixture(params=BROKERS, ids=lambda kind: kind.name)
def broker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OwnBroker]:
    kind: type[OwnBroker] = request.param
    own_brokers.require(kind)
    broker = kind(tmp_path / "broker")
    if not isinstance(broker, EmbeddedSqs):
        broker.start()
    yield broker
    if not isinstance(broker, EmbeddedSqs):  # which is the desk's, and ends with it
        broker.kill()


@pytest.fixture
def desk(broker: OwnBroker, tmp_path: Path) -> Iterator[LiveDesk]:
    """With all its workers, which its supervisor tends."""
    variables = broker.variables() | overrides(**{**BRISK, "QUEUE_VISIBILITY_SECONDS": 30})  # SQS's queues take no less
    prepare(tmp_path / "prepared", **account(), **variables)
    desk = LiveDesk(tmp_path / "prepared", tmp_path / "desk", **variables)
    if isinstance(broker, EmbeddedSqs):
        broker.desk = desk
    try:
        desk.start_emulator(save_seconds=1)
        desk.start_web()
        desk.start("tended", "tests.flow.tended", "tests.flow.noting")
        with looking_at(desk):
            yield desk
    finally:
        desk.stop()


def send(desk: LiveDesk, prefix: str, *, each: int = EACH) -> None:
    sent = subprocess.run(
        [sys.executable, "-m", "tests.flow.noting", prefix, str(each)],
        cwd=settings.BASE_DIR, env=desk.env, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert sent.returncode == 0, sent.stderr


@contextmanager
def held(desk: LiveDesk) -> Iterator[None]:
    """Workers hold what they take."""
    slow = desk.state / "slow"  # of tests.flow.noting
    slow.touch()
    try:
        yield
    finally:
        slow.unlink()


def ends(desk: LiveDesk) -> list[str]:
    """The message of each work that was done, in order."""
    path = desk.state / "noted"
    lines = path.read_text().splitlines() if path.exists() else []
    return [words[1] for words in map(str.split, lines) if words[0] == "end"]


def done(desk: LiveDesk, prefix: str = "") -> Counter[str]:
    """How often the work of each message was done."""
    return Counter(message for message in ends(desk) if message.startswith(prefix))


def done_too_often(ends: list[str], kills: list[int]) -> Counter[str]:
    """How often what was done more than once more a crash that it lived through.

    ``kills``: how much had been done at each crash. A message of round ``n`` lived through crash ``n`` and those after
    it until it was done for the last time: one that comes back as the next crash happens may be done three times.
    """
    last = {message: at for at, message in enumerate(ends)}

    def crashes(message: str) -> int:
        sent_in = int(message.partition("-")[0].removeprefix("round"))
        return sum(1 for kill in kills[sent_in:] if kill <= last[message])

    return Counter({message: count for message, count in Counter(ends).items() if count > 1 + crashes(message)})


def has_done(desk: LiveDesk, prefix: str, count: int) -> bool:
    return len(done(desk, prefix)) >= count


def wait_until_drained(desk: LiveDesk, broker: OwnBroker, prefix: str) -> float:
    """Seconds until all work is done; no queue may stand still meanwhile."""
    began = time.monotonic()
    moved = dict.fromkeys(settings.QUEUE_URLS, (0, began))
    while len(found := done(desk, prefix)) < EACH * len(settings.QUEUE_URLS):
        now = time.monotonic()
        for queue, (before, at) in moved.items():
            count = sum(1 for message in found if f"-{queue}-" in message)
            if count != before or count == EACH:
                moved[queue] = (count, now)
            elif now - at > STANDS_STILL_SECONDS:
                raise AssertionError(f"{queue} stands still with {count} done, {broker.count_ready(queue)} waiting")
        time.sleep(0.2)
    return time.monotonic() - began


def wait_until_waiting(run: Run) -> ReviewRef:
    def waits() -> bool:
        return any(row.document_id == run.document_id for row in review_queries.list_queue(DEFAULT_SITE).rows)

    wait_for(waits, "the review", 120)
    return ref_of(run)


def wait_until_applied(ref: ReviewRef, run: Run, *, since: float) -> float:
    """Seconds from ``since``, on the monotonic clock, until its run took the decision."""
    left = WITHIN - (time.monotonic() - since)
    wait_for(lambda: review_of(ref).status == ReviewStatus.APPLIED, "the decision is applied", left)
    took = time.monotonic() - since
    wait_for(lambda: queries.execution(run).outcome is not None, "published", 60)
    assert_applied_once(run, ref)
    return took


def decide(rosa: Visitor, ref: ReviewRef, page: str) -> None:
    assert rosa.decide(ref, page, total="29.53") == 200


@pytest.mark.timeout(600 + ROUNDS * 240)
def test_all_queues_are_drained_and_decisions_applied_each_time_the_broker_returns(
    desk: LiveDesk, broker: OwnBroker, tmp_path: Path
) -> None:
    rosa = signed_in(desk)
    project = ensure_default_project(DEFAULT_SITE, by=Actor("test", "Test"))
    files = [paper.path for paper in papers(tmp_path / "papers", [UNSURE] * (ROUNDS + 1), Random(18))]
    run = rosa.upload(project.id, files[0])
    kills: list[int] = []
    for number, file in enumerate(files[1:]):
        ref, prefix = wait_until_waiting(run), f"round{number}-"
        page = rosa.claim(ref)
        decides_before = number % 2 == 0 or isinstance(broker, EmbeddedSqs)  # without whose table no page answers
        with held(desk):  # on a busy machine all would be done before the broker dies
            send(desk, prefix)
            following = rosa.upload(project.id, file)  # it waits among them, or its steps are under way by then
            if decides_before:
                decide(rosa, ref, page)
        wait_for(partial(has_done, desk, prefix, EACH), "some work", 60)
        kills.append(len(ends(desk)))
        broker.kill()
        left = EACH * len(settings.QUEUE_URLS) - len(done(desk, prefix))
        if not decides_before:
            decide(rosa, ref, page)
        time.sleep(DOWN_SECONDS)
        broker.start()
        back = time.monotonic()
        drained = wait_until_drained(desk, broker, prefix)
        applied = wait_until_applied(ref, run, since=back)
        twice = done(desk).total() - len(done(desk))
        seconds = f"drained in {drained:.0f} s, decision applied in {applied:.0f} s"
        assert left
        print(f"{broker.name} {number}: {left} waited, {seconds}, {twice} done twice so far", flush=True)
        assert desk.log("tended").read_text().count("restarting") == 0
        run = following
    wait_for(lambda: not any(map(broker.count_ready, settings.QUEUE_URLS)), "empty queues", 60)
    wait_for(lambda: broker.count_taken() == 0, "no message that a worker still has", 60)
    assert len(done(desk)) == ROUNDS * EACH * len(settings.QUEUE_URLS)
    assert not done_too_often(ends(desk), kills)
    if isinstance(broker, OwnRedis):  # what was under way, and what it had not written yet
        assert done(desk).total() - len(done(desk)) <= 2 * ROUNDS * len(settings.QUEUE_URLS)

"""Documents on real workers while random processes are killed and the embedded AWS restarts. ``make chaos``: 200."""

import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random, SystemRandom

import pytest

from config.table import DEFAULT_SITE
from projects.audit.events import Actor
from projects.settings.defaults import DEFAULT_PROJECT_ID, ensure_default_project
from tests.commands.desk import overrides
from tests.flow import invariants
from tests.flow.chaos import Hand, People, all_of
from tests.flow.invariants import Found
from tests.flow.processes import LiveDesk, account, looking_at, prepare, wait_for
from tests.flow.visitor import Visitor
from tests.generated.small import BROKEN, CLEAR, UNSURE, mixed, papers

pytestmark = [pytest.mark.slow, pytest.mark.processes]

DOCUMENTS = int(os.environ.get("CHAOS_DOCUMENTS") or 12)
SEED = int(os.environ.get("CHAOS_SEED") or SystemRandom().randrange(10**6))
WHOLE = 600  # seconds: the bound of all of it
STRIKES = 420  # seconds: until then it may go on breaking
PAUSE = (2.0, 5.0)  # seconds between two kills
EACH = max(0.8, 24 / DOCUMENTS)  # seconds between two uploads, so that most of the work falls into the breaking
ENOUGH = 0.75  # of the documents have come somewhere: the rest may do so in peace
ENDS = {CLEAR: {"published"}, UNSURE: {"published", "rejected", "in review"}, BROKEN: {"failed"}}
# A killed worker's message comes back after the visibility timeout: with the default of two minutes the test would be
# about waiting.
BRISK: dict[str, int | str] = {
    "QUEUE_VISIBILITY_SECONDS": 30,  # the least that the stack takes
    "STEP_LEASE_SECONDS": 10,
    "RUN_CHECK_SECONDS": 10,
    "REPAIR_AFTER_SECONDS": 8,
    "SWEEP_SECONDS": 2,
    "REVIEW_UNDO_SECONDS": 1,
}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[LiveDesk]:
    prepared = tmp_path / "prepared"
    prepare(prepared, **account(), **overrides(**BRISK))
    desk = LiveDesk(prepared, tmp_path / "desk", **overrides(**BRISK))
    try:
        desk.start_emulator()
        with looking_at(desk):
            ensure_default_project(DEFAULT_SITE, by=Actor("test", "Test"))
            for start in all_of(desk).values():
                start()
            yield desk
    finally:
        desk.stop()


def settled() -> bool:
    rows = list(invariants.documents(DEFAULT_PROJECT_ID))
    return all(map(invariants.is_settled, rows)) and not invariants.undelivered() and not invariants.unsent()


def has_come_far() -> bool:
    rows = list(invariants.documents(DEFAULT_PROJECT_ID))
    return sum(map(invariants.is_settled, rows)) >= ENOUGH * DOCUMENTS


def strike(hand: Hand, people: People) -> None:
    """Until most is done; restarts the embedded AWS once a third, and once two thirds of the documents are there."""
    restarts = [DOCUMENTS // 3, 2 * DOCUMENTS // 3]
    while not people.gone.is_set() and (restarts or not people.has_uploaded() or not has_come_far()):
        hand.wait()
        if restarts and len(people.uploaded) >= restarts[0]:
            restarts.pop(0)
            hand.restart_emulator()
        else:
            hand.strike()
        if time.monotonic() - hand.began > STRIKES:
            break
    assert not restarts, f"only {len(people.uploaded)} documents were taken"


def report(hand: Hand, people: People, all_found: list[Found]) -> None:
    took = time.monotonic() - hand.began
    print(f"\nseed {SEED}: {len(all_found)} documents of {len(people.papers)} files in {took:.0f} s")
    print(f"processes came up in {hand.boot:.1f} s, one upload every {EACH:.1f} s")
    print(f"killed {sum(hand.counted().values())}: {dict(hand.counted())}, the last after {hand.killed[-1]}")
    print(f"ends {dict(Counter(one.end for one in all_found))}; {len(people.answers)} decisions acknowledged")
    attempts = [event for one in all_found for event in one.events if event.type == "RUN_RESTARTED"]
    print(f"runs restarted {len(attempts)} times; people tried again {dict(people.tried_again)}")


@pytest.mark.timeout(WHOLE + 60)
def test_whatever_dies_every_document_comes_somewhere_once(desk: LiveDesk, tmp_path: Path) -> None:
    random = Random(SEED)
    people = People(desk, SEED, papers(tmp_path / "papers", mixed(DOCUMENTS, random), random), EACH)
    boot = wait_for(Visitor(desk.web).is_answered, "the web server", 120)
    hand = Hand(desk, random, all_of(desk), PAUSE, boot)
    try:
        with people.at_work():
            strike(hand, people)
            wait_for(settled, "every document has come somewhere", WHOLE - (time.monotonic() - hand.began))
        wait_for(settled, "what was decided last is applied", 60)
        all_found = invariants.found(DEFAULT_PROJECT_ID)
        report(hand, people, all_found)
        invariants.assert_well(all_found, people.answers, invariants.heard())
        assert set(people.uploaded) <= {one.run.document_id for one in all_found}
        kinds = {paper.name: paper.kind for paper in people.papers}
        assert [one for one in all_found if one.end not in ENDS[kinds[one.name]]] == []
    except BaseException:
        print(f"\nCHAOS_SEED={SEED} CHAOS_DOCUMENTS={DOCUMENTS}; killed: {', '.join(hand.killed)}")
        raise

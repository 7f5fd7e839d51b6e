"""A network that loses answers, a DynamoDB that throttles and a slow S3, between real processes and the emulator."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import TypeVar

import pytest

from config.table import DEFAULT_SITE
from projects.audit.events import Actor
from projects.settings.defaults import DEFAULT_PROJECT_ID, ensure_default_project
from tests.commands.desk import overrides
from tests.flow import gate as gates
from tests.flow import invariants
from tests.flow.chaos import People, all_of
from tests.flow.faulty_gates import LosingGate, SlowGate, ThrottlingGate
from tests.flow.gate import Gate
from tests.flow.invariants import Found
from tests.flow.processes import LiveDesk, account, looking_at, prepare, wait_for
from tests.generated.small import BROKEN, CLEAR, UNSURE, papers

pytestmark = [pytest.mark.slow, pytest.mark.processes]

G = TypeVar("G", bound=Gate)
BRISK: dict[str, int | str] = {
    "QUEUE_VISIBILITY_SECONDS": 30,
    "STEP_LEASE_SECONDS": 15,
    "RUN_CHECK_SECONDS": 15,
    "REPAIR_AFTER_SECONDS": 8,
    "SWEEP_SECONDS": 2,
    "REVIEW_UNDO_SECONDS": 1,
}
ENDS = {CLEAR: {"published"}, UNSURE: {"published", "rejected"}, BROKEN: {"failed"}}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    prepare(folder, **account(), **overrides(**BRISK))
    return folder


@contextmanager
def desk_behind(kind: type[G], prepared: Path, folder: Path) -> Iterator[tuple[LiveDesk, G]]:
    """All processes reach the emulator through the gate only; the test itself looks past it."""
    desk = LiveDesk(prepared, folder / "desk", **overrides(**BRISK))
    try:
        desk.start_emulator()
        with gates.opened(int(desk.port), kind) as gate, looking_at(desk):
            ensure_default_project(DEFAULT_SITE, by=Actor("test", "Test"))
            desk.env["AWS_ENDPOINT_URL"] = f"http://127.0.0.1:{gate.port}"
            for start in all_of(desk).values():
                start()
            yield desk, gate
            desk.stop()
    finally:
        desk.stop()


def settled() -> bool:
    rows = list(invariants.documents(DEFAULT_PROJECT_ID))
    return all(map(invariants.is_settled, rows)) and not invariants.undelivered() and not invariants.unsent()


def worked_through(desk: LiveDesk, folder: Path, kinds: Sequence[str], *, seconds: float) -> list[Found]:
    """Uploads and decides; everything holds in the end."""
    people = People(desk, 3, papers(folder / "papers", kinds, Random(3)), each=0.2, left=0)
    with people.at_work():
        wait_for(people.has_uploaded, "the uploads", seconds)
        # A review that waits has come somewhere, and these people leave none.
        wait_for(lambda: len(people.answers) == kinds.count(UNSURE), "every decision", seconds)
        wait_for(settled, "every document has come somewhere", seconds)
    wait_for(settled, "what was decided last is applied", 60)
    all_found = invariants.found(DEFAULT_PROJECT_ID)
    invariants.assert_well(all_found, people.answers, invariants.heard())
    assert set(people.uploaded) <= {one.run.document_id for one in all_found}
    known = {paper.name: paper.kind for paper in people.papers}
    assert [one for one in all_found if one.end not in ENDS[known[one.name]]] == []
    assert len(people.answers) == kinds.count(UNSURE)
    print(f"\n{sorted(one.end for one in all_found)}; people tried again {dict(people.tried_again)}")
    return all_found


@pytest.mark.timeout(240)
def test_answers_to_the_engine_that_get_lost_are_neither_failures_nor_second_decisions(
    prepared: Path, tmp_path: Path
) -> None:
    with desk_behind(LosingGate, prepared, tmp_path) as (desk, gate):
        all_found = worked_through(desk, tmp_path, [CLEAR, UNSURE, UNSURE, UNSURE, BROKEN], seconds=90)
    print(f"lost {sum(gate.lost.values())} answers of {len(gate.lost)} tokens")
    assert len(gate.lost) > 20
    # The engine went on each time: nothing had to be started again.
    assert sum(one.kinds()["RUN_RESTARTED"] for one in all_found) == 0


@pytest.mark.timeout(300)
def test_a_throttled_table_delays_and_loses_nothing(prepared: Path, tmp_path: Path) -> None:
    with desk_behind(ThrottlingGate, prepared, tmp_path) as (desk, gate):
        worked_through(desk, tmp_path, [CLEAR, UNSURE, UNSURE, UNSURE, UNSURE, BROKEN], seconds=150)
    refused = sum(gate.refused.values()) - gate.refused["passed"]
    print(f"{dict(gate.refused)}")
    assert refused > 0.2 * sum(gate.refused.values())


@pytest.mark.timeout(300)
def test_a_slow_s3_delays_and_loses_nothing(prepared: Path, tmp_path: Path) -> None:
    with desk_behind(SlowGate, prepared, tmp_path) as (desk, gate):
        worked_through(desk, tmp_path, [CLEAR, UNSURE, UNSURE], seconds=200)
    print(dict(gate.saw))
    assert {"late", "stalls", "breaks off"} <= set(gate.saw)

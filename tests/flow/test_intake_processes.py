"""A third machine and real processes: the worker that took the question is killed, another sends the answer."""

from pathlib import Path

import pytest
from django.conf import settings

from review import queries as review_queries
from review.decide import claims, decisions
from review.handovers.actions import ref_of
from review.identity import ReviewRef
from review.items.reviews import Review
from tests.commands.desk import overrides
from tests.factories import ROSA, review_of, verdict
from tests.flow.callers import Started, example, publish
from tests.flow.processes import LiveDesk, account, looking_at, prepare, wait_for
from tests.flow.test_intake import REQUEST

pytestmark = [pytest.mark.slow, pytest.mark.processes]

BRISK: dict[str, int | str] = {
    "SWEEP_SECONDS": 2,
    "REVIEW_UNDO_SECONDS": 1,
    "REPAIR_AFTER_SECONDS": 2,
}


def waiting(run: Started) -> list[ReviewRef]:
    rows = [Review.load(row.key) for row in review_queries.list_queue("default").rows]
    return [ref_of("default", row.reviewId) for row in rows if row.execution_arn == run.arn]


@pytest.mark.timeout(240)
def test_the_answer_survives_the_worker_that_took_the_question(tmp_path: Path) -> None:
    prepare(tmp_path / "prepared", **account())
    desk = LiveDesk(tmp_path / "prepared", tmp_path / "desk", **overrides(**BRISK))
    try:
        desk.start_emulator()
        desk.start_sweeper()
        desk.start_worker("first", settings.DESK_QUEUE)
        with looking_at(desk):
            run = publish("supplier-bank-change", example("supplier-bank-change")).start(REQUEST)
            wait_for(lambda: bool(waiting(run)), "the question is in the queue", 60)
            (ref,) = waiting(run)
            desk.kill("first")
            of = review_queries.run_of(ref, review_of(ref))
            claims.claim_review(ref, of, by=ROSA)
            decisions.decide_review(ref, of, verdict(ref), by=ROSA)
            desk.start_worker("second", settings.DESK_QUEUE)
            wait_for(run.ended, "the caller goes on", 60)
            assert run.output()["changed"] is True
            wait_for(lambda: review_of(ref).delivery == "delivered", "the delivery is recorded", 30)
        logged = desk.log("first").read_text() + desk.log("second").read_text()
        assert REQUEST["mail"].splitlines()[1] not in logged  # type: ignore[attr-defined]
    finally:
        desk.stop()

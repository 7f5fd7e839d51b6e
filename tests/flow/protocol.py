"""What the tests of the redeem protocol have in common: beat turned by hand, and what applied once means."""

from config.due import sweeper
from review.identity import ReviewRef
from review.status import ReviewStatus
from tests.factories import review_of
from tests.pump import Pump
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.engine import driver
from workflows.engine.repair import check_run
from workflows.runs import queries
from workflows.runs.items import Run


def ended(run: Run) -> bool:
    return queries.execution(run).status != "running"


def kinds(run: Run) -> list[str]:
    return [event.type for event in queries.lineage(run.site, run.document_id).rows]


def sweep_until_ended(run: Run, pump: Pump) -> None:
    """What beat does, every so often, while workers work."""

    def done() -> bool:
        sweeper.sweep()
        return ended(run)

    pump.run(done)


def assert_applied_once(run: Run, ref: ReviewRef) -> None:
    assert queries.execution(run).outcome == "published"
    assert review_of(ref).status == ReviewStatus.APPLIED
    seen = kinds(run)
    assert seen.count("HUMAN_REVIEW_APPROVED") == 1
    assert seen.count("HUMAN_REVIEW_APPLIED") == 1
    assert seen.count("PUBLISHED") == 1
    moves = [(int(row.fromStep), int(row.toStep)) for row in queries.transitions(run.site, run.workflow_id).rows]
    assert moves.count((7, 8)) == 1
    assert len(moves) == len(set(moves))


def restarted(run: Run, ref: ReviewRef, pump: Pump) -> None:
    """Another attempt waits at the same review: a newer token."""
    driver.stop(DOCUMENT_ANALYSIS, run, int(queries.execution(run).engine_attempt), "restart")
    before = pump.ran("open_review")
    check_run(run.site, queries.execution(run))
    pump.run(lambda: pump.ran("open_review") > before)

"""The machine's own Catch: it expires, takes a decision that was made in time, or comes too late itself."""

from dataclasses import replace

import pytest
from django.conf import settings
from pynamodb.expressions.condition import Condition

from config import clock, table
from config.errors import Conflict
from review.decide import decisions, redemption
from review.items.reviews import Review
from review.status import ReviewStatus
from tests.engines import EngineKind
from tests.factories import ROSA, decided_run, review_of, start_run, verdict, waiting_run
from tests.flow.protocol import assert_applied_once, ended, kinds, sweep_until_ended
from tests.pump import Pump
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.engine import driver
from workflows.engine.repair import check_run
from workflows.runs import queries

ALWAYS: Condition = Review.PK.exists()


def test_a_stale_attempts_catch_after_the_publication_changes_nothing(pump: Pump) -> None:
    run = start_run()
    pump.run(lambda: ended(run))
    before = kinds(run)
    message = next(message for message in pump.seen if message.task.endswith("run_step"))
    kwargs = {name: value for name, value in message.kwargs.items() if name != "step"}
    pump.redeliver(replace(message, task="workflows.tasks.fail_run", kwargs={**kwargs, "error": "X", "cause": "late"}))
    assert kinds(run) == before
    assert queries.execution(run).outcome == "published"


@pytest.mark.wide
def test_a_decision_in_the_last_second_is_taken_by_the_machines_catch(pump: Pump) -> None:
    run, ref, _ = decided_run(pump)
    message = next(message for message in pump.seen if message.task.endswith("open_review"))
    names = ("site", "project_id", "document_id", "workflow_id", "attempt")
    kwargs = {name: message.kwargs[name] for name in names}
    output = redemption.expire_review(run, attempt=kwargs["attempt"])
    assert output["decision_id"] == review_of(ref).decision_id
    sweep_until_ended(run, pump)
    assert_applied_once(run, ref)


@pytest.mark.wide
@pytest.mark.every_engine
def test_nobody_decides_and_the_machines_catch_expires_the_review(pump: Pump, engine_kind: EngineKind) -> None:
    run, ref = waiting_run(pump)
    driver.stop(DOCUMENT_ANALYSIS, run, 1, "restart")
    past = clock.iso(clock.in_seconds(-settings.REVIEW_MARGIN_SECONDS))
    due = table.due_index(table.REVIEW, past, review_id=ref.review_id)
    Review.change(ref.key, [Review.deadline.set(past), Review.GSI2SK.set(due["GSI2SK"])], ALWAYS)
    check_run(run.site, queries.execution(run))
    if engine_kind.by_messages:  # no machine catches: the due row does
        sweep_until_ended(run, pump)
    pump.run(lambda: ended(run), seconds=20)
    execution = queries.execution(run)
    assert (execution.status, execution.outcome) == ("failed", "expired")
    assert review_of(ref).status == ReviewStatus.EXPIRED
    assert "REVIEW_EXPIRED" in kinds(run)
    with pytest.raises(Conflict):
        decisions.decide_review(ref, run, verdict(ref), by=ROSA)

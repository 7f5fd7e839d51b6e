"""An execution that ends by its engine's own doing ends no run that waits for a person; one of ours does."""

import datetime as dt

import pytest
from celery import Task

from config import clock
from config.due import sweeper
from review.decide import claims, decisions
from review.decide.due import drive_review
from review.items.reviews import Review
from review.status import ReviewStatus
from tests.each import each
from tests.factories import ROSA, review_of, start_run, verdict
from tests.flow.protocol import kinds
from tests.review.reviews import open_review
from tests.workflows.advancing import advanced
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.engine import driver
from workflows.engine.repair import check_run
from workflows.engine.tasks import fail_run
from workflows.runs import queries
from workflows.runs.actions import advance
from workflows.runs.items import Execution, Run

pytestmark = pytest.mark.usefixtures("machines", "table")
ENGINES = ["States.Timeout", "States.TaskFailed", "States.Runtime", "SQS.SqsException", "Sqs.AmazonSQSException"]
TASK: Task = fail_run


def caught(run: Run, error: str, attempt: int = 1) -> None:
    which = {"site": run.site, "project_id": run.project_id, "document_id": run.document_id}
    TASK.apply(kwargs=which | {"workflow_id": run.workflow_id, "attempt": attempt, "error": error, "cause": "Why."})


def is_due(run: Run) -> bool:
    return any(row.kind == "run" and row.id == run.workflow_id for row in sweeper.due_rows(0))


@each("error", ENGINES)
def test_a_run_that_waits_for_a_person_goes_on_and_is_looked_at_at_once(error: str) -> None:
    run, ref = open_review()
    caught(run, error)
    caught(run, error)
    assert queries.execution(run).status == "running"
    assert review_of(ref).status == ReviewStatus.PENDING
    assert is_due(run)


def test_it_gets_another_attempt_with_review_claim_and_deadline_as_they_were() -> None:
    run, ref = open_review()
    claims.claim_review(ref, run, by=ROSA)
    before = review_of(ref)
    caught(run, "States.Timeout")
    check_run(run.site, queries.execution(run))
    after = review_of(ref)
    assert (after.status, after.holder, after.version, after.deadline) == (
        before.status,
        before.holder,
        before.version,
        before.deadline,
    )
    assert driver.state(DOCUMENT_ANALYSIS, run, int(queries.execution(run).engine_attempt)) == "running"


def test_a_decision_that_waits_to_be_applied_is_not_lost_with_its_execution() -> None:
    run, ref = open_review()
    claims.claim_review(ref, run, by=ROSA)
    decisions.decide_review(ref, run, verdict(ref), by=ROSA)
    caught(run, "States.Timeout")
    assert (queries.execution(run).status, review_of(ref).status) == ("running", ReviewStatus.DECIDED)


@pytest.mark.parametrize("error", ["Tampered", "StepError", "RunFailed"])
def test_what_a_task_of_ours_refused_ends_the_run(error: str) -> None:
    run, _ = open_review()
    caught(run, error)
    assert queries.execution(run).status == "failed"


def test_a_stale_attempts_catch_changes_nothing() -> None:
    run, _ = open_review()
    before = queries.execution(run)
    caught(run, "States.Timeout", attempt=7)
    after = queries.execution(run)
    assert (after.status, after.GSI2SK) == ("running", before.GSI2SK)


def test_a_timeout_of_a_state_that_the_run_has_left_is_not_its_steps() -> None:
    run = start_run()
    advanced(run)
    caught(run, "States.Timeout")
    assert queries.execution(run).status == "running"
    assert is_due(run)


def test_a_step_that_took_too_long_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    run = start_run()
    advanced(run)
    later = clock.now() + dt.timedelta(days=2)
    monkeypatch.setattr(clock, "now", lambda: later)
    caught(run, "States.Timeout")
    assert (queries.execution(run).status, kinds(run)[-1]) == ("failed", "FAILED")


@pytest.mark.parametrize("error", ["States.Timeout", "States.TaskFailed"])
def test_a_machine_step_that_the_engine_gave_up_ends_the_run(error: str) -> None:
    run = start_run()
    caught(run, error)
    assert queries.execution(run).status == "failed"


def test_a_wait_that_never_comes_to_a_review_is_a_failure_with_a_reason() -> None:
    run, ref = open_review()
    Review(*ref.key).delete()
    change = [Execution.engine_attempt.set(10), Execution.step_attempt.set(1)]
    Execution.change(advance.execution_key(run), change, Execution.PK.exists())
    names = {"file_name": "a.pdf", "project_name": "P", "start_at": "human_review"}
    driver.start(run, DOCUMENT_ANALYSIS, attempt=10, **names)
    driver.stop(DOCUMENT_ANALYSIS, run, 10, "test")
    check_run(run.site, queries.execution(run))
    assert queries.execution(run).status == "failed"


def test_a_decision_whose_run_failed_rests_until_somebody_has_it_go_on() -> None:
    run, ref = open_review()
    claims.claim_review(ref, run, by=ROSA)
    decisions.decide_review(ref, run, verdict(ref), by=ROSA)
    caught(run, "Tampered")
    before = review_of(ref)
    drive_review(ref.site, before)
    after = review_of(ref)
    assert (after.status, after.decision_id) == (ReviewStatus.DECIDED, before.decision_id)
    assert str(after.GSI2SK) != str(before.GSI2SK)
    assert queries.execution(run).status == "failed"

"""A machine that waits again brings a newer token; the older one and its messages change nothing."""

import pytest
from celery import Task
from django.conf import settings

from config.due import sweeper
from review.decide import claims, decisions
from review.decide.tasks import enqueue_redeem, expire_review
from review.identity import ReviewRef
from review.status import ReviewStatus
from tests.engines import EngineKind
from tests.factories import ROSA, decided_run, ref_of, review_of, start_run, verdict, waiting_run
from tests.flow.protocol import assert_applied_once, ended, kinds, restarted, sweep_until_ended
from tests.pump import Pump
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.engine import actions, driver
from workflows.engine.messages import token_of
from workflows.engine.repair import start_attempt
from workflows.engine.tasks import fail_run, run_step
from workflows.engine.tokens import TokenHolder
from workflows.runs import queries
from workflows.runs.items import Run
from workflows.storage.objects import DocumentFiles

STATES = {run_step.name: "segment_prep", fail_run.name: "fail_run", expire_review.name: "expire_review"}


@pytest.mark.every_engine
def test_a_newer_token_before_the_decision_is_the_one_that_is_spent(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    claims.claim_review(ref, run, by=ROSA)
    shown = verdict(ref)
    restarted(run, ref, pump)
    assert review_of(ref).holder == ROSA.id
    decisions.decide_review(ref, run, shown, by=ROSA)  # a restart is no conflict
    enqueue_redeem(ref, str(review_of(ref).decision_id), delay=settings.REVIEW_UNDO_SECONDS)
    pump.run(lambda: ended(run))
    assert_applied_once(run, ref)


@pytest.mark.wide
def test_a_newer_token_after_the_redemption_triggers_it_again(pump: Pump) -> None:
    run, ref, _ = decided_run(pump)
    pump.hold = lambda message: message.task.endswith("apply_decision") and message.kwargs["attempt"] == 1
    enqueue_redeem(ref, str(review_of(ref).decision_id), delay=settings.REVIEW_UNDO_SECONDS)
    pump.run(lambda: review_of(ref).status == ReviewStatus.REDEEMED)
    attempt = actions.begin_next(run, attempt=1, why="test")
    start_attempt(run, queries.execution(run), attempt, review=None)
    pump.run(lambda: ended(run))
    assert_applied_once(run, ref)


@pytest.mark.wide
def test_an_old_wait_delivered_late_changes_nothing(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    old = next(message for message in pump.seen if message.task.endswith("open_review"))
    restarted(run, ref, pump)
    before, token = review_of(ref), TokenHolder.load(ref.key).taskToken
    pump.redeliver(old)
    after = review_of(ref)
    assert TokenHolder.load(ref.key).taskToken == token
    assert (after.status, after.version, after.deadline) == (before.status, before.version, before.deadline)
    claims.claim_review(ref, run, by=ROSA)
    decisions.decide_review(ref, run, verdict(ref), by=ROSA)
    sweep_until_ended(run, pump)
    assert_applied_once(run, ref)


@pytest.mark.wide
def test_corrections_that_are_not_the_decided_ones_are_not_applied(pump: Pump) -> None:
    run, ref, _ = decided_run(pump)
    store, decided = DocumentFiles(run.site, run.project_id, run.document_id), review_of(ref)
    name = store.name_of(str(decided.decision_uri))
    store.write(name, store.read(name).replace(b"12.34", b"99.99"), "application/json")
    sweep_until_ended(run, pump)
    assert queries.execution(run).outcome == "failed"
    assert not {"HUMAN_REVIEW_APPLIED", "PUBLISHED"} & set(kinds(run))


@pytest.mark.every_engine
def test_stopped_machines_get_new_tokens_and_ocr_does_not_run_again(pump: Pump) -> None:
    waiting = [waiting_run_again(pump) for _ in range(3)]
    steps = pump.ran("run_step")
    for run, _ in waiting:
        driver.stop(DOCUMENT_ANALYSIS, run, 1, "the emulator was restarted")
    opened = pump.ran("open_review")

    def renewed() -> bool:
        sweeper.sweep()
        return pump.ran("open_review") == opened + 3

    pump.run(renewed)
    run, ref = waiting[0]
    claims.claim_review(ref, run, by=ROSA)
    decisions.decide_review(ref, run, verdict(ref), by=ROSA)
    sweep_until_ended(run, pump)
    assert_applied_once(run, ref)
    assert pump.ran("run_step") == steps + 3  # graph, summary and publishing, nothing else


def waiting_run_again(pump: Pump) -> tuple[Run, ReviewRef]:
    run = start_run(always_review=True)
    before = pump.ran("open_review")
    pump.run(lambda: pump.ran("open_review") > before)
    return run, ref_of(run)


@pytest.mark.every_engine
@pytest.mark.parametrize("task", [run_step, fail_run, expire_review], ids=lambda task: task.name)
def test_a_refusal_that_the_engine_did_not_take_is_sent_again(pump: Pump, engine_kind: EngineKind, task: Task) -> None:
    run = start_run()
    which = {"site": run.site, "project_id": run.project_id, "document_id": run.document_id}
    stale = which | {"workflow_id": run.workflow_id, "attempt": 0}
    stale["token"] = token_of(DOCUMENT_ANALYSIS, STATES[task.name], stale) if engine_kind.by_messages else "spent"
    more = {"step": 1} if task is run_step else {}
    with engine_kind.refusing() as refusals:
        task.apply(kwargs=stale | more)
    # Behind a run's end no message follows, so that there is nobody to be told.
    assert len(refusals) == (0 if engine_kind.by_messages and task is fail_run else 2)

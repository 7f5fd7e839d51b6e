"""The due-work handler of reviews: conditional, audited, idempotent."""

import logging

from django.conf import settings

from config import clock, table
from config.due import actions as due_work
from config.due import repairs
from config.due.registry import due
from config.errors import Conflict
from config.transaction import Check, transact
from projects.documents.actions import expiry
from review.decide import escalations, postponements, questions, quorum, redemption
from review.decide.waiting import to_waiting_review
from review.handovers import delivery
from review.identity import ReviewRef
from review.items.reviews import READABLE, Review
from review.quality import actions as checks
from review.quality import seeds
from review.status import DECIDED, ORPHAN, UNDECIDED, ReviewStatus
from workflows.engine import driver, repair
from workflows.runs import events, queries
from workflows.runs.items import Run, RunStatus

log = logging.getLogger(__name__)

_PATIENCE = 3  # retries that a running execution may ignore before a new attempt takes over


@due("review", Review, only=READABLE)
def drive_review(site: str, review: Review) -> None:
    """Redeem a decided review; expire or close an undecided one if its state machine has not."""
    ref = ReviewRef(site, review.document_id, review.reviewId)
    run, now = Run(site, review.project_id, review.document_id, review.workflow_id), clock.now()
    if review.status == ReviewStatus.POSTPONED and postponements.is_over(review) and review.deadline > clock.iso(now):
        postponements.resume_review(ref, run, review)
    elif review.status == ReviewStatus.ASKED and postponements.is_over(review) and review.deadline > clock.iso(now):
        questions.return_unanswered(ref, run, review)
    elif ref.is_check:
        checks.drive_check(ref, run, review)
    elif ref.is_seed:
        seeds.drive_seed(ref, run, review)
    elif escalations.is_due(ref, review):
        escalations.escalate_review(ref, run, review)
    elif ref.is_handed_over:
        delivery.drive_handover(ref, review)
    elif review.status in UNDECIDED:
        _end_undecided(ref, run, review)
    elif review.status in DECIDED:
        _drive_decided(ref, run, review)


def _end_undecided(ref: ReviewRef, run: Run, review: Review) -> None:
    execution = queries.execution(run)
    if execution.status == RunStatus.RUNNING:
        redemption.expire_review(run, attempt=int(execution.engine_attempt))
    else:
        _orphan_review(ref, run, review, held=False)


def _orphan_review(ref: ReviewRef, run: Run, review: Review, *, held: bool) -> None:
    """``held``: its document is on legal hold, so its rows must not expire."""
    changes = redemption.plan_close(ref, ORPHAN, review, held=held)
    if expiry.does_expire() and not held:
        key = table.DOCUMENT.key(ref.site, document_id=run.document_id)
        changes.append(Check(key, expiry.NOT_HELD, name="hold"))
    try:
        transact(changes, events.lineage(run, "REVIEW_ORPHANED", facts={"review": ref.review_id}))
    except Conflict as conflict:
        if conflict.failed != {"hold"}:
            raise
        _orphan_review(ref, run, review, held=True)


def _drive_decided(ref: ReviewRef, run: Run, review: Review) -> None:
    if review.reviewedAt:  # an alarm watches how long this lasts
        waited = (clock.now() - clock.parse(review.reviewedAt)).total_seconds()
        log.warning("decision waits", extra={"run": run.workflow_id, "review": ref.review_id, "seconds": round(waited)})
        repairs.record_repair(repairs.DECISION, ref.site, document_id=run.document_id, workflow_id=run.workflow_id)
    execution = queries.execution(run)
    if execution.status != RunStatus.RUNNING:  # it failed at this step; a person may resume it
        due_work.postpone(review, at=clock.iso(clock.in_seconds(settings.RUN_CHECK_SECONDS)))
        return
    if review.quorum:
        if agreed := quorum.count_vote(ref, str(review.decision_id)):
            redemption.redeem_decision(ref, agreed)
        return
    definition = queries.definition_of(execution)
    attempt = int(execution.engine_attempt)
    kind = execution.engine
    running = driver.state(definition, run, attempt, kind=kind) == "running"
    if running and int(review.drives or 0) < _PATIENCE:
        redemption.redeem_decision(ref, str(review.decision_id))
        return
    if running:
        driver.stop(definition, run, attempt, "A newer attempt is applying the decision.", kind=kind)
    repair.start_next_attempt(run, execution, why="decided and not applied", review=to_waiting_review(review))

"""What is done with a run or review that is due; every repair is conditional, audited and harmless when repeated."""

import logging

from django.conf import settings

from config import clock
from config.due import attempts as begins
from config.transaction import transact
from projects.documents.items.removals import DocumentRemoval
from projects.documents.items.unpacking import DocumentUnpacking
from review import silence
from review.decide import escalations, redemption
from review.handovers import delivery
from review.identity import DEFAULT_QUEUE, ReviewRef
from review.items.reviews import Review
from review.silence import asked
from review.status import DECIDED, ORPHAN, UNDECIDED
from workflows.batches import orders
from workflows.batches.actions import batches
from workflows.batches.items import Batch
from workflows.definitions import states
from workflows.documents.actions import removals
from workflows.documents.tasks import order_removal
from workflows.engine import driver, engine_choice, fanout, message_delivery
from workflows.engine.actions import attempts, joins
from workflows.engine.items import Join
from workflows.engine.step_order import Order
from workflows.engine.tasks import end_run, order_slice
from workflows.intake import bucket
from workflows.intake.actions import bucket as incoming_actions
from workflows.intake.actions import unpack
from workflows.intake.items import ArrivalBegin
from workflows.intake.tasks import order_unpacking, take_incoming_again
from workflows.publish.actions import follow_ups, notices
from workflows.publish.items.actions import FollowUp
from workflows.publish.items.notices import SenderNotice
from workflows.publish.tasks import enqueue_follow_up, order_notice
from workflows.questions import actions as question_actions
from workflows.questions import queries as question_queries
from workflows.questions import tasks as question_tasks
from workflows.questions.items import Question
from workflows.runs import events, queries
from workflows.runs.items.runs import Execution
from workflows.runs.run import Run
from workflows.runs.status import RunStatus

log = logging.getLogger(__name__)

_PATIENCE = 3  # redemptions that a running execution may ignore before a new attempt takes over
_STALLS = 5  # looks in a row at which no slice of a fan-out had been done
_STALLED = "Some pages ended every worker that read them. The file is safe; look at the workers, then start it again."
_MACHINE_ATTEMPTS = 10  # then a machine step that never ends is a failure with a reason, not a loop


def drive_review(site: str, review: Review) -> None:
    """Drive a decided review on; expire or close an undecided one whose machine has not."""
    ref = ReviewRef(site, review.document_id, review.reviewId)
    run = Run(site, review.project_id, review.document_id, review.workflow_id)
    if escalations.is_due(ref, review):
        escalations.escalate(ref, run, review)
    elif ref.is_handed_over:
        delivery.drive(ref, review)
    elif review.status in UNDECIDED:
        _end_undecided(ref, run, review.queue or DEFAULT_QUEUE)
    elif review.status in DECIDED:
        _drive_decided(ref, run, review)


def resume_follow_up(site: str, due: FollowUp) -> None:
    """A worker does it, not the sweep, which other repairs wait for; until its message is taken it is not due again."""
    run = Run(site, due.project_id, due.documentId, due.workflowId)
    follow_ups.look_again(run, due, at=clock.in_seconds(settings.STEP_LEASE_SECONDS))
    enqueue_follow_up(run)


def resume_notice(site: str, due: SenderNotice) -> None:
    """As with a follow-up: a mail server may take its time."""
    notices.look_again(site, due)
    order_notice(site, due)


def resume_removal(site: str, due: DocumentRemoval) -> None:
    """As with a follow-up: it may take minutes, which no sweep has."""
    removals.look_again(due)
    order_removal(site, str(due.documentId))


def resume_unpacking(site: str, due: DocumentUnpacking) -> None:
    """As with a follow-up."""
    unpack.look_again(due)
    order_unpacking(site, due.documentId)


def resume_arrival(due: ArrivalBegin) -> None:
    """As with a follow-up; of a file that a batch has taken, or that was settled otherwise, nothing is due."""
    if bucket.was_settled(due):
        incoming_actions.rest(due)
        return
    incoming_actions.look_again(due)
    log.warning("incoming file sent again", extra={"attempt": int(due.tries)})
    take_incoming_again(due)


def look_at_batch(site: str, due: Batch) -> None:
    """A worker does it; until its message is taken it is not due again."""
    batches.look_again(due)
    orders.look(site, due.id)


def resume_question(site: str, due: Question) -> None:
    """Its message was lost, or ended its worker: it is sent again, and given up after so many times."""
    ref = question_queries.ref_of(site, due)
    if begins.were_enough(due):
        question_actions.give_up(ref, due)
        return
    behind = bool(message_delivery.waiting(settings.STEPS_QUEUE))  # then its message may well be among them: no try
    question_actions.look_again(ref, due, counts=not behind)
    log.warning("question sent again", extra={"run": due.workflow_id, "question": ref.number})
    question_tasks.send(ref, int(due.generation))


def resume_join(site: str, due: Join) -> None:
    """Slices of a fan-out that stands still are sent again: their messages were lost, or killed every worker."""
    run = Run(site, due.project_id, due.document_id, due.workflow_id)
    order = Order(run, int(due.step), int(due.attempt))
    if not fanout.drives(queries.execution(run), order):
        joins.close(due)
        return
    stands_still = len(due.done or ()) <= int(due.seen)
    paused = bool(due.waits_until) and str(due.waits_until) > clock.iso(clock.now())
    if stands_still and (paused or message_delivery.waiting(settings.SLICES_QUEUE)):
        # workers are behind or away, or a service does not answer: no slice's fault
        joins.look_again(due, stalls=int(due.stalls))
        return
    stalls = int(due.stalls) + 1 if stands_still else 0
    joins.look_again(due, stalls=stalls)
    if stalls > _STALLS:
        end_run(run, attempt=order.attempt, error="Stalled", sentence=_STALLED)
    elif stands_still:
        log.warning("slices sent again", extra={"run": run.workflow_id, "attempt": order.attempt})
        fanout.send_waiting(order, due, order_slice, lambda: None)


def _end_undecided(ref: ReviewRef, run: Run, queue: str) -> None:
    execution = queries.execution(run)
    if execution.status == RunStatus.RUNNING:
        redemption.expire(run, attempt=int(execution.engine_attempt))
    else:
        changes = redemption.closing(ref, ORPHAN, queue)
        transact(changes, events.lineage(run, "REVIEW_ORPHANED", facts={"review": ref.review_id}))


def _drive_decided(ref: ReviewRef, run: Run, review: Review) -> None:
    if review.reviewedAt:  # an alarm listens for how long
        waited = (clock.now() - clock.parse(review.reviewedAt)).total_seconds()
        log.warning("decision waits", extra={"run": run.workflow_id, "review": ref.review_id, "seconds": round(waited)})
    execution = queries.execution(run)
    if execution.status != RunStatus.RUNNING:  # it failed at this step, and somebody may have it go on
        redemption.look_again(ref, review, at=clock.in_seconds(settings.RUN_CHECK_SECONDS))
        return
    definition = queries.definition_of(execution)
    attempt = int(execution.engine_attempt)
    kind = execution.engine
    running = driver.state(definition, run, attempt, kind=kind) == "running"
    if running and int(review.drives or 0) < _PATIENCE:
        redemption.redeem(ref, str(review.decision_id))
        return
    if running:
        driver.stop(definition, run, attempt, "A newer attempt applies the decision.", kind=kind)
    _new_attempt(run, execution, why="decided and not applied", decided=review)


def check_run(site: str, execution: Execution) -> None:
    """Look whether the run's engine attempt still lives; where it does not, a new attempt goes on from here."""
    run = Run(site, execution.project_id, execution.document_id, execution.executionId)
    if execution.status != RunStatus.RUNNING:
        return
    definition = queries.definition_of(execution)
    attempt = int(execution.engine_attempt)
    state = driver.state(definition, run, attempt, kind=execution.engine)
    alive = state == "running" and (driver.remembers(execution) or not silence.is_lost(run, execution, definition))
    if alive or (execution.lease_until and execution.lease_until > clock.iso(clock.now())):
        attempts.look_again(run, execution, at=clock.in_seconds(settings.RUN_CHECK_SECONDS))
        return
    waits = definition.step(int(execution.currentStep)).type == "approval" and asked(run, execution) is not None
    # Attempts that only renewed a waiting review's token are not the step's; a review has a deadline of its own.
    if not waits and attempt - int(execution.step_attempt or 1) + 1 >= _MACHINE_ATTEMPTS:
        sentence = "The step was started ten times and never ended. The file is safe; look at the workers, then retry."
        end_run(run, attempt=attempt, error="TooManyAttempts", sentence=sentence)
        return
    if state == "missing" and execution.engine == engine_choice.chosen():
        # Never started, or forgotten: the same attempt may start under its own name.
        _start(run, execution, attempt, decided=_decided(run, execution))
        attempts.look_again(run, execution, at=clock.in_seconds(settings.RUN_CHECK_SECONDS))
        return
    why = "message was lost" if state == "running" else "engine execution ended"
    _new_attempt(run, execution, why=why, decided=_decided(run, execution))


def _decided(run: Run, execution: Execution) -> Review | None:
    """The run's decided review, if it waits at one: a new attempt then starts behind the review step."""
    review = asked(run, execution)
    return review if review and review.status in DECIDED else None


def _new_attempt(run: Run, execution: Execution, *, why: str, decided: Review | None) -> None:
    definition = queries.definition_of(execution)
    attempt = attempts.begin_next(run, attempt=int(execution.engine_attempt), why=why, definition=definition)
    log.warning("run restarted", extra={"run": run.workflow_id, "attempt": attempt})
    _start(run, execution, attempt, decided=decided)


def _start(run: Run, execution: Execution, attempt: int, *, decided: Review | None) -> None:
    definition = queries.definition_of(execution)
    document = queries.document_workflow(run.site, run.document_id, run.workflow_id)
    step = definition.step(int(execution.currentStep))
    found = queries.last_transition(run, execution) if step.type == "approval" else None
    result = redemption.decision_output(decided) if decided else _found(found)
    driver.start(
        run,
        definition,
        attempt=attempt,
        start_at=states.apply_state(step) if decided else step.name,
        file_name=document.data["file_name"],
        project_name=str(document.project_name or ""),
        review_seconds=_remaining(run, execution, step.type),
        result=result,
    )


def _found(transition: object) -> dict[str, object]:
    """What the assessment handed to the review step, as its transition keeps it."""
    if transition is None:
        return {}
    data = transition.data  # type: ignore[attr-defined]
    last = transition.SK.rsplit("#", 1)[-1]  # type: ignore[attr-defined]
    return {**(data.as_dict() if data else {}), "last": last}


def _remaining(run: Run, execution: Execution, kind: str) -> int:
    """Seconds that a restarted wait may last, so that the deadline people saw stays the deadline."""
    review = asked(run, execution) if kind == "approval" else None
    if review is None:
        return settings.REVIEW_TIMEOUT_SECONDS
    left = (clock.parse(review.deadline) - clock.now()).total_seconds() + settings.REVIEW_MARGIN_SECONDS
    return max(int(left), 1)

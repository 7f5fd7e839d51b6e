"""Writes of the engine: attempts, leases, external jobs, what a person stops or resumes."""

import datetime as dt
import json
import logging
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum

from django.conf import settings
from pynamodb.expressions.update import Action

from config import clock
from config.due import actions as due_work
from config.errors import Conflict, Refused, Unavailable
from config.transaction import EXISTS, Update, transact
from projects.audit.events import Actor
from workflows.definitions.blueprint import Definition, StepDefinition
from workflows.engine import driver
from workflows.runs import events, queries
from workflows.runs.actions import advance, document_rows
from workflows.runs.actions.document_rows import More
from workflows.runs.events import Trace
from workflows.runs.items import RESUMABLE, Execution, Outcome, Run, RunStatus, WorkflowSteps


def begin_next(run: Run, *, attempt: int, why: str, definition: Definition | None = None) -> int:
    """Make ``attempt + 1`` the run's driver, before its execution is started; the old one changes nothing any more.

    Raises:
        Conflict: another repair was first, or the run has ended.

    """
    check_at = clock.iso(clock.in_seconds(settings.RUN_CHECK_SECONDS))
    change = Update(
        advance.execution_key(run),
        [
            *advance.begin_attempt(attempt + 1),
            *due_work.postpone_actions(Execution, check_at, execution_id=run.workflow_id),
            *due_work.release_actions(),
            Execution.updatedAt.set(clock.iso(clock.now())),
        ],
        (Execution.engine_attempt == attempt) & (Execution.status == RunStatus.RUNNING),
    )
    facts, trace = {"attempt": attempt + 1, "why": why}, events.of_next_attempt(run, definition, attempt + 1)
    transact([change], events.lineage(run, "RUN_RESTARTED", facts=facts, trace=trace))
    return attempt + 1


def mark_stopped(run: Run, *, attempt: int) -> None:
    """What an engine that remembers nothing is told of. Raises: Conflict if the attempt drives the run no more."""
    drives = (Execution.engine_attempt == attempt) & (Execution.status == RunStatus.RUNNING)
    Execution.change(advance.execution_key(run), [Execution.stopped.set(attempt)], drives)


def mark_handed(run: Run, *, transition: str) -> None:
    """What follows ``transition`` was ordered: who comes with its answer once more need not do it again.

    Raises:
        Conflict: the run has moved on meanwhile, which says the same.

    """
    last = Execution.last_transition == transition
    Execution.change(advance.execution_key(run), [Execution.handed.set(transition)], last)


def check_run_again(execution: Execution, *, at: dt.datetime) -> None:
    """Move the run's place in the due index on, unless something else has moved it meanwhile."""
    with suppress(Conflict):
        due_work.postpone(execution, at=clock.iso(at))


def begin_external_job(
    run: Run, step: StepDefinition, *, attempt: int, owner: str, job: str, service: str, why: str, until: str
) -> None:  # fmt: skip
    """Remember the job, give the step back, and show on the board whom it waits for; ``why`` if no one answers.

    ``until``: when it is looked at again. No one has the step until then, and no one takes it for lost.

    Raises:
        Conflict: another worker has the step, or the run moved on; its job is the same, as it has the same token.

    """
    board = WorkflowSteps.data[step.name]
    changes = [
        Update(
            advance.execution_key(run),
            [Execution.job.set(job), Execution.lease_owner.remove(), Execution.lease_until.set(until)],
            advance.drives(attempt, step.order) & (Execution.lease_owner == owner),
        ),
        Update(
            advance.board_key(run),
            [
                board["waits_for"].set(service),
                board["waits_since"].set(clock.iso(clock.now())),
                board["waits_why"].set(why) if why else board["waits_why"].remove(),
                WorkflowSteps.updated_at.set(clock.iso(clock.now())),
            ],
            EXISTS,
        ),
    ]
    facts = {"service": service} | ({"reason": why} if why else {})
    trace = Trace(job_id=str(json.loads(job).get("id") or ""), retry_count=attempt - 1)
    transact(changes, events.lineage(run, f"{step.name.upper()}_WAITS", facts=facts, trace=trace))


def describe_external_job(run: Run, step: str, *, service: str, why: str) -> None:
    """Show on the board whom a step's slices wait for. Raises: Conflict if the run is gone."""
    board = WorkflowSteps.data[step]
    said = [board["waits_for"].set(service), board["waits_why"].set(why)]
    WorkflowSteps.change(advance.board_key(run), [*said, WorkflowSteps.updated_at.set(clock.iso(clock.now()))], EXISTS)


def keep_external_job(run: Run, *, step: int, attempt: int, owner: str, until: str) -> None:
    """Give the step back; everything else is known. Raises: Conflict if another worker has it."""
    gone = [Execution.lease_owner.remove(), Execution.lease_until.set(until)]
    mine = advance.drives(attempt, step) & (Execution.lease_owner == owner)
    Execution.change(advance.execution_key(run), gone, mine)


log = logging.getLogger(__name__)

_TRIES = 5  # a run that moves on while someone cancels it is cancelled where it then is


class ResumeWay(StrEnum):
    """How a run goes on: its failed pages once more, without them, the step that ended it again, or an earlier one."""

    RETRY = "retry"
    ACCEPT = "accept"
    AGAIN = "again"
    STAGE = "stage"


def cancel(run: Run, *, by: Actor) -> None:
    """End a run that a machine works on; slices and steps under way find that it has ended and stop.

    Raises:
        Refused: it has ended, or a person is asked, who can reject it.
        Conflict: it moves faster than it can be cancelled.

    """
    for _ in range(_TRIES):
        execution = queries.execution(run)
        definition = queries.definition_of(execution)
        if execution.status != RunStatus.RUNNING:
            raise Refused("This run has ended and cannot be cancelled.")
        if definition.step(int(execution.currentStep)).type == "approval":
            raise Refused("This run needs review. Reject it in its review instead.")
        attempt = int(execution.engine_attempt)
        try:
            done = advance.fail(
                run, definition, execution, attempt=attempt, error="Cancelled", sentence=f"Cancelled by {by.name}.",
                outcome=Outcome.CANCELLED, by=by,
            )  # fmt: skip
        except Conflict:
            continue
        events.publish_soon(done.event)
        _stop(run, definition, attempt, execution.engine)
        return
    raise Conflict("The run is moving to its next step. Try again in a moment.")


def _stop(run: Run, definition: Definition, attempt: int, kind: str | None) -> None:
    """The table says that it ended; an engine that does not hear of it is refused at its next message."""
    try:
        driver.stop(definition, run, attempt, "Cancelled by a user.", kind=kind)
    except Unavailable:
        log.warning("engine was not told of the cancelling", extra={"run": run.workflow_id})


@dataclass(frozen=True)
class _Resumption:
    step: StepDefinition
    execution: tuple[Action, ...] = ()
    facts: tuple[tuple[str, int], ...] = ()


def resume(run: Run, way: ResumeWay, *, by: Actor) -> None:
    """Have the next engine attempt go on; what earlier steps stored is used as it is.

    Raises:
        Refused: this run cannot go on that way.
        Conflict: someone else has it go on already, or its document was deleted or has a newer content.

    """
    execution = queries.execution(run)
    definition = queries.definition_of(execution)
    outcome = execution.outcome
    if way == ResumeWay.STAGE or outcome not in RESUMABLE or (way == ResumeWay.AGAIN) == (outcome == Outcome.PARTIAL):
        raise Refused("The run has changed. Nothing was done; reload the page.")
    _reopen(run, execution, _plan_resumption(run, execution, definition, way), way, by=by)


def resume_from(run: Run, execution: Execution, step: StepDefinition, folders: Collection[str], *, by: Actor) -> None:
    """Have the next attempt go on at ``step``, which makes what lies in these artifact ``folders`` anew.

    Raises: Refused, Conflict: as ``resume``.
    """
    if execution.outcome not in RESUMABLE:
        raise Refused("The run has changed. Nothing was done; reload the page.")
    anew = Execution.afresh.set(set(folders)) if folders else Execution.afresh.remove()
    # Pages that failed in what is done again are found anew; what failed before it is still missing.
    failed = [Execution.failed.remove()] if folders else []
    _reopen(run, execution, _Resumption(step, (Execution.only.remove(), anew, *failed)), ResumeWay.STAGE, by=by)


def _reopen(run: Run, execution: Execution, plan: _Resumption, way: ResumeWay, *, by: Actor) -> None:
    definition = queries.definition_of(execution)
    before = advance.position_of(run, definition, execution)
    attempt = before.attempt + 1
    after = replace(before, step=plan.step.order, attempt=attempt, outcome=None)
    # Still the newest run of its document, or beside the one whose result stays the document's.
    more = More(execution=plan.execution, project_document_if=document_rows.if_shows(before.document.workflow_id))
    changes = advance.write(before, after, clock.iso(clock.now()), more=more)
    facts = {"way": way.value, "step": plan.step.name, "attempt": attempt, **dict(plan.facts)}
    trace = events.of_next_attempt(run, definition, attempt)
    transact(changes, events.lineage(run, "RUN_RESUMED", by=by, facts=facts, trace=trace))
    _start(run, definition, plan.step, attempt)


def _plan_resumption(run: Run, execution: Execution, definition: Definition, way: ResumeWay) -> _Resumption:
    if way == ResumeWay.RETRY:
        pages = {float(index) for index in execution.failed or ()}
        only = (Execution.only.set(pages), Execution.failed.remove())
        return _Resumption(definition.steps[0], only, (("pages", len(pages)),))
    if way == ResumeWay.ACCEPT:
        return _Resumption(definition.named("assess"), (Execution.only.remove(), Execution.failed.remove()))
    step = definition.step(int(queries.last_transition(run, execution).fromStep))
    if step.type == "approval":
        raise Refused("This run ended at its review. Re-run or upload the file again.")
    return _Resumption(step)


def _start(run: Run, definition: Definition, step: StepDefinition, attempt: int) -> None:
    document = queries.document_workflow(run.site, run.document_id, run.workflow_id)
    try:
        driver.start(
            run,
            definition,
            attempt=attempt,
            start_at=step.name,
            file_name=str(document.data["file_name"]),
            project_name=str(document.project_name or ""),
        )
    except Unavailable:
        log.warning("engine did not answer, the sweeper starts the run", extra={"run": run.workflow_id})


def claim_step(run: Run, *, step: int, attempt: int, owner: str) -> Execution:
    """Take the step's lease; the same owner may take it again (its message came back).

    Raises:
        Conflict: another worker holds it, or the run is no longer at this step and attempt.

    """
    may = advance.drives(attempt, step) & due_work.lease_is_free(owner)
    return Execution.change(advance.execution_key(run), due_work.lease_actions(owner, due_work.lease_end()), may)


def release_step(run: Run, *, owner: str) -> None:
    """Give the step back before it is done: whoever finishes it claims it anew. Harmless where it was lost."""
    try:
        Execution.change(advance.execution_key(run), due_work.release_actions(), Execution.lease_owner == owner)
    except Conflict:
        return


def renew_step(run: Run, *, owner: str) -> None:
    """A worker's heartbeat. Raises: Conflict if the lease was lost: the work must stop."""
    prolong = Execution.lease_until.set(due_work.lease_end())
    Execution.change(advance.execution_key(run), [prolong], Execution.lease_owner == owner)

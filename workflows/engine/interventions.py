"""Interventions by people: cancel a run, or resume one that ended without a result."""

import logging
from collections.abc import Collection
from dataclasses import dataclass, replace

from pynamodb.expressions.update import Action

from config import clock
from config.errors import Conflict, Refused, Unavailable
from config.phrase import Sentence
from config.transaction import transact
from projects.audit.events import Actor
from workflows.definitions.blueprint import Definition, StepDefinition
from workflows.engine import driver
from workflows.runs import events, queries
from workflows.runs.actions import advance, document_rows
from workflows.runs.actions.document_rows import More
from workflows.runs.items import RESUMABLE, Execution, Outcome, ResumeWay, Run, RunStatus

log = logging.getLogger(__name__)

_CANCELLED = Sentence("Cancelled by %(name)s.")
_TRIES = 5  # retries: a run that moves on meanwhile is cancelled at its new step


def cancel(run: Run, *, by: Actor) -> None:
    """Cancel a run that a machine works on; its slices and steps notice that it has ended and stop.

    Raises:
        Refused: it has ended, or is in review and can be rejected there.
        Conflict: it keeps moving on.

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
                run, definition, execution, attempt=attempt, error="Cancelled", sentence=_CANCELLED.fill(name=by.name),
                outcome=Outcome.CANCELLED, by=by,
            )  # fmt: skip
        except Conflict:
            continue
        events.publish_soon(done.event)
        _stop(run, definition, attempt, execution.engine)
        return
    raise Conflict("The run is moving to its next step. Try again in a moment.")


def _stop(run: Run, definition: Definition, attempt: int, kind: str | None) -> None:
    """Stop the engine. If that fails, its next message is refused, since the table says that the run has ended."""
    try:
        driver.stop(definition, run, attempt, Sentence("Cancelled by a user."), kind=kind)
    except Unavailable:
        log.warning("engine was not told of the cancelling", extra={"run": run.workflow_id})


@dataclass(frozen=True)
class _Resumption:
    step: StepDefinition
    execution: tuple[Action, ...] = ()
    facts: tuple[tuple[str, int], ...] = ()


def resume(run: Run, way: ResumeWay, *, by: Actor) -> None:
    """Continue the run with a new engine attempt; the results of earlier steps are reused.

    Raises:
        Refused: this run cannot be resumed in this way.
        Conflict: someone else resumed it, or its document was deleted or has a new file version.

    """
    execution = queries.execution(run)
    definition = queries.definition_of(execution)
    outcome = execution.outcome
    if way == ResumeWay.STAGE or outcome not in RESUMABLE or (way == ResumeWay.AGAIN) == (outcome == Outcome.PARTIAL):
        raise Refused("The run has changed. Nothing was done; reload the page.")
    _reopen(run, execution, _plan_resumption(run, execution, definition, way), way, by=by)


def resume_from(run: Run, execution: Execution, step: StepDefinition, folders: Collection[str], *, by: Actor) -> None:
    """Continue at ``step`` with a new attempt that rewrites the artifacts in ``folders``.

    Raises: Refused, Conflict as ``resume``.
    """
    if execution.outcome not in RESUMABLE:
        raise Refused("The run has changed. Nothing was done; reload the page.")
    anew = Execution.afresh.set(set(folders)) if folders else Execution.afresh.remove()
    # Pages that failed in the repeated steps are found again; pages that failed earlier are still missing.
    failed = [Execution.failed.remove()] if folders else []
    _reopen(run, execution, _Resumption(step, (Execution.only.remove(), anew, *failed)), ResumeWay.STAGE, by=by)


def _reopen(run: Run, execution: Execution, plan: _Resumption, way: ResumeWay, *, by: Actor) -> None:
    definition = queries.definition_of(execution)
    before = advance.position_of(run, definition, execution)
    attempt = before.attempt + 1
    after = replace(before, step=plan.step.order, attempt=attempt, outcome=None)
    # It must still be the document's newest run, or stand beside the one whose result is in use.
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

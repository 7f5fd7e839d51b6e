"""One step of a run, whichever engine ordered it: claim, do the work, advance, say what follows."""

import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from django.conf import settings

from config.errors import ActionFailed, Conflict, CountersignError, StageFailed
from workflows.definitions.blueprint import DEFINITIONS, ROUTED, Definition, StepDefinition
from workflows.engine import choice, external_job, fanout, publication, step_actions, step_context, step_outcome
from workflows.engine.actions import joins, leases
from workflows.engine.fanout import Send
from workflows.engine.step_actions import StepAction
from workflows.engine.step_outcome import BelongsToSlices, StepOrder, StepOutcome
from workflows.routing import judge
from workflows.runs.items.documents import DocumentWorkflow
from workflows.runs.items.runs import Execution
from workflows.runs.run import Run
from workflows.stages.base import StageResult
from workflows.stages.registry import STAGES
from workflows.storage import files

log = logging.getLogger(__name__)


def perform(
    order: StepOrder, *, owner: str, keep: Callable[[], None], token: str | None, send: Send, large: bool = True
) -> Mapping[str, Any] | None:
    """Do the step, or find that it was done; returns what the engine goes on with, ``next`` above all.

    None if slices do it: the last of them answers ``token``. ``keep`` is called while it lasts: it keeps the
    order's message from being handed to another worker. ``send`` orders one slice. ``large``: also where others' single
    pages must not wait for it, which is so of large documents and of runs that stand aside.

    Raises:
        BelongsToSlices: it is such a step and this is not the place; nothing was done.
        Busy: another worker does it, or someone else's job is waited for by the message.
        StaleAttempt: a newer attempt drives the run; nothing was changed.
        StageFailed: the stage cannot do it, and trying again would not help.

    """
    try:
        execution = leases.claim(order.run, step=order.step, attempt=order.attempt, owner=owner)
    except Conflict:
        return step_outcome.earlier_answer(order)
    if not large and (execution.aside or int(execution.pages or 0) > settings.LARGE_PAGES):
        leases.release(order.run, owner=owner)
        raise BelongsToSlices
    definition = DEFINITIONS[execution.definition]
    step = definition.step(order.step)
    log.info("step begins", extra={"run": order.run.workflow_id, "step": step.name, "attempt": order.attempt})
    document = step_context.document_of(order.run)
    try:
        if step.type != "stage":
            return _at_once(order, definition, step, execution, document)
        heartbeat = step_outcome.heartbeat(order.run, owner, keep)
        result = _run_stage(order, step, execution, document, heartbeat, token=token, send=send)
        if result is None:
            leases.release(order.run, owner=owner)
            return None
        if step.name == ROUTED:
            result = _apply_rules(order.run, document, result, heartbeat)
        return step_outcome.conclude(order, definition, step, execution, result)
    except external_job.JobUnderWay as waits:
        return external_job.wait_for_job(order, step, execution, waits, owner=owner, token=token)
    except Conflict:  # the lease was lost on the way and the other worker was faster
        return step_outcome.earlier_answer(order)


def _at_once(
    order: StepOrder, definition: Definition, step: StepDefinition, execution: Execution, document: DocumentWorkflow
) -> Mapping[str, Any]:
    if step.type == "publish":
        return publication.publish(order, definition, step, execution, document)
    return step_outcome.leave(order, definition, step, execution, _do_step(order.run, step, execution, document))


def _do_step(run: Run, step: StepDefinition, execution: Execution, document: DocumentWorkflow) -> StepOutcome:
    """What a step does that is no stage. Raises: StageFailed if trying again would not help; Unavailable."""
    if step.type == "choice":
        chosen = choice.choose(run, step, execution, document)
        word = chosen.outcome or choice.OTHERWISE
        return StepOutcome(word, chosen.why, chosen.outcome, {"choice": word})
    try:
        said = step_actions.run_step_action(StepAction(run, step, document))
    except ActionFailed as error:
        raise StageFailed(str(error)) from error
    return StepOutcome("completed", said.words, bus_type=said.bus_type, bus_detail=said.bus_detail)


def give_back(order: StepOrder, *, owner: str) -> None:
    """After an error that no one foresaw: whoever has the step next must not wait for this worker's lease to end."""
    try:
        leases.release(order.run, owner=owner)
    except CountersignError:
        log.warning("the step's lease runs out by itself", extra={"run": order.run.workflow_id})


def _run_stage(
    order: StepOrder, step: StepDefinition, execution: Execution, document: DocumentWorkflow,
    heartbeat: Callable[[], None], *, token: str | None, send: Send,
) -> StageResult | None:  # fmt: skip
    stage = STAGES[step.name]
    folders = _stale(order, step, execution, document)
    if folders and joins.load(order.run, stage.name, order.attempt) is None:
        step_context.files_of(order.run, document).clear_artifacts(folders)
    opened = step_context.open_context(order.run, stage, document, execution, heartbeat)
    with opened as context, external_job.for_provider(step, execution):
        if stage.job is not None:
            external_job.for_job(step, stage.job, context, execution)
        if stage.slicing is None:
            return stage.run(context)
        return fanout.run(order, stage, context, token=token, send=send)


def _stale(order: StepOrder, step: StepDefinition, execution: Execution, document: DocumentWorkflow) -> Collection[str]:
    """What must not be taken for this run's: an earlier content's artifacts, and those that it is to make anew.

    A repair's attempt at the same step goes on with what the one before has made.
    """
    if execution.afresh and int(execution.step_attempt or 1) == order.attempt:
        return execution.afresh
    return files.ARTIFACTS if document.follows and step.order == 1 and not execution.only else ()


def _apply_rules(
    run: Run, document: DocumentWorkflow, result: StageResult, heartbeat: Callable[[], None]
) -> StageResult:
    """The rules are asked once all of it is known, and before a person may be: they choose whom to ask."""
    facts = judge.judge_document(run, document, pages=int(result.facts.get("pages", 0)), heartbeat=heartbeat)
    return replace(result, facts={**result.facts, **facts})

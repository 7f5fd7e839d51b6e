"""One step of a run, whichever engine ordered it: claim, do the work, advance, say what follows."""

import json
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from django.conf import settings

from config import logs
from config.errors import Conflict, CountersignError
from workflows.definitions.blueprint import ROUTED, StepDefinition
from workflows.engine import actions, external_job, fanout, joins, publication, step_actions, step_context, step_outcome
from workflows.engine.fanout import Send
from workflows.engine.step_work import BelongsToSlices, StepOrder, StepOutcome, StepWork
from workflows.routing import judge
from workflows.rules.routing import Facts, condition_sentences
from workflows.runs import queries
from workflows.runs.items import DocumentWorkflow, Execution, Run
from workflows.stages import results
from workflows.stages.base import StageResult
from workflows.stages.registry import STAGES
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

OTHERWISE = "otherwise"  # what a transition says if no case held


class Choice(NamedTuple):
    """``outcome``: empty if no case holds. ``why``: the case's conditions in words, and none of the document's."""

    outcome: str
    why: str


def take_case(work: StepWork) -> Mapping[str, Any]:
    """Leave the step by its first case that holds. Raises: Conflict if someone else was first; as ``choose``."""
    chosen = choose(work.run, work.step, work.execution, work.document)
    word = chosen.outcome or OTHERWISE
    return step_outcome.leave(work, StepOutcome(word, chosen.why, chosen.outcome, {"choice": word}))


def choose(run: Run, step: StepDefinition, execution: Execution, document: DocumentWorkflow) -> Choice:
    """The first case that holds. Raises: NotFound, Tampered if what was found or decided is gone."""
    return choose_case(step, _facts(run, execution, document))


def choose_case(step: StepDefinition, facts: Facts) -> Choice:
    """The first case of a choice that holds for what is known."""
    for case in step.cases:
        if condition_sentences(case.conditions, facts) is not None:
            return Choice(case.outcome, "; ".join(one.words for one in case.conditions))
    return Choice("", f"Not so: {'; '.join(one.words for case in step.cases for one in case.conditions)}")


def _facts(run: Run, execution: Execution, document: DocumentWorkflow) -> Facts:
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    found = json.loads(store.read_pinned(files.result(run.workflow_id), str(execution.result_sha256)))
    merged = results.merge_corrections(found, corrections(store, run, execution))
    return Facts(str(document.data["file_type"]), fields=_values(merged))


def corrections(store: DocumentFiles, run: Run, execution: Execution) -> Mapping[str, str | None]:
    """What people have corrected so far: a later decision's object holds what the ones before it corrected."""
    if not execution.decision_id:
        return {}
    sha256 = str(execution.decision_sha256)
    name = files.decision(run.workflow_id, execution.decision_id, sha256)
    found: dict[str, str | None] = json.loads(store.read_pinned(name, sha256))["corrections"]
    return found


def _values(merged: Mapping[str, Any]) -> dict[str, Sequence[str]]:
    classified = merged.get("classification") or {}
    about = {"document_type": merged.get("document_type"), "classification": classified.get("name")}
    named: dict[str, Sequence[str]] = {name: [str(value)] for name, value in about.items() if value}
    return named | {one["name"]: [str(one["value"])] for one in merged["fields"] if one.get("value")}


log = logging.getLogger(__name__)

# What a step does that is no stage, by its type; each leaves the step itself. An approval is its machine's.
AT_ONCE: Mapping[str, Callable[[StepWork], Mapping[str, Any]]] = {
    "publish": publication.publish,
    "choice": take_case,
    "notification": step_actions.act,
    "action": step_actions.act,
}


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
        execution = actions.claim_step(order.run, step=order.step, attempt=order.attempt, owner=owner)
    except Conflict:
        return step_outcome.earlier_answer(order)
    logs.follow_request(execution.request_id)
    if not large and (execution.aside or int(execution.pages or 0) > settings.LARGE_PAGES):
        actions.release_step(order.run, owner=owner)
        raise BelongsToSlices
    definition = queries.definition_of(execution)
    document = step_context.document_of(order.run)
    work = StepWork(order, definition, definition.step(order.step), execution, document)
    log.info("step begins", extra={"run": order.run.workflow_id, "step": work.step.name, "attempt": order.attempt})
    try:
        if work.step.type in AT_ONCE:
            return AT_ONCE[work.step.type](work)
        heartbeat = step_outcome.heartbeat(order.run, owner, keep)
        result = _run_stage(work, heartbeat, token=token, send=send)
        if result is None:
            actions.release_step(order.run, owner=owner)
            return None
        if work.step.name == ROUTED:
            result = _apply_rules(work, result, heartbeat)
        return step_outcome.conclude(work, result)
    except external_job.JobUnderWay as waits:
        return external_job.wait_for_job(work, waits, owner=owner, token=token)
    except Conflict:  # the lease was lost on the way and the other worker was faster
        return step_outcome.earlier_answer(order)


def give_back(order: StepOrder, *, owner: str) -> None:
    """After an error that no one foresaw: whoever has the step next must not wait for this worker's lease to end."""
    try:
        actions.release_step(order.run, owner=owner)
    except CountersignError:
        log.warning("the step's lease runs out by itself", extra={"run": order.run.workflow_id})


def _run_stage(
    work: StepWork, heartbeat: Callable[[], None], *, token: str | None, send: Send
) -> StageResult | None:  # fmt: skip
    stage = STAGES[work.step.name]
    folders = _stale(work)
    if folders and joins.load(work.run, stage.name, work.order.attempt) is None:
        step_context.files_of(work.run, work.document).clear_artifacts(folders)
    opened = step_context.open_context(work.run, stage, work.document, work.execution, heartbeat)
    with opened as context, external_job.for_provider(work.step, work.execution):
        if stage.job is not None:
            external_job.for_job(work.step, stage.job, context, work.execution)
        if stage.slicing is None:
            return stage.run(context)
        return fanout.run(work.order, stage, context, token=token, send=send)


def _stale(work: StepWork) -> Collection[str]:
    """What must not be taken for this run's: an earlier content's artifacts, and those that it is to make anew.

    A repair's attempt at the same step goes on with what the one before has made.
    """
    execution = work.execution
    if execution.afresh and int(execution.step_attempt or 1) == work.order.attempt:
        return execution.afresh
    return files.ARTIFACTS if work.document.follows and work.step.order == 1 and not execution.only else ()


def _apply_rules(work: StepWork, result: StageResult, heartbeat: Callable[[], None]) -> StageResult:
    """The rules are asked once all of it is known, and before a person may be: they choose whom to ask."""
    pages = int(result.facts.get("pages", 0))
    facts = judge.judge_document(work.run, work.document, pages=pages, heartbeat=heartbeat)
    return replace(result, facts={**result.facts, **facts})

"""One step of a run, for every engine: claim it, do the work, advance the run, and say what follows."""

import json
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from django.conf import settings

from config import logs
from config.errors import Conflict, CountersignError
from config.phrase import Sentence, join_phrases
from workflows.definitions.blueprint import OTHERWISE, ROUTED, StepDefinition
from workflows.definitions.composition import NOT, OPPOSITES
from workflows.definitions.rules import Facts, condition_sentences
from workflows.engine import (
    actions,
    external_job,
    fanout,
    joins,
    publication,
    step_actions,
    step_context,
    step_outcome,
    waits,
)
from workflows.engine.fanout import Send
from workflows.engine.step_work import BelongsToSlices, StepOrder, StepOutcome, StepWork
from workflows.routing import judge
from workflows.runs import queries, run_files
from workflows.runs.items import DocumentWorkflow, Execution, Run
from workflows.stages import results
from workflows.stages.base import StageResult
from workflows.stages.registry import STAGES
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

log = logging.getLogger(__name__)


_NONE = Sentence("Not so: %(conditions)s")


class Choice(NamedTuple):
    """``outcome``: empty if no case matches. ``why``: the case's conditions in words, with nothing of the document."""

    outcome: str
    why: str


def take_case(work: StepWork) -> Mapping[str, Any]:
    """Leave the step by its first matching case. Raises: Conflict if someone else was first; as ``choose``."""
    chosen = choose(work.run, work.step, work.execution, work.document)
    word = chosen.outcome or OTHERWISE
    return step_outcome.leave(work, StepOutcome(word, chosen.why, chosen.outcome, {"choice": word}))


def choose(run: Run, step: StepDefinition, execution: Execution, document: DocumentWorkflow) -> Choice:
    """Return the first matching case, or how a wait would end.

    Raises: NotFound, Tampered if the result or the decision is missing or changed.
    """
    return choose_case(step, _facts(run, execution, document))


def choose_case(step: StepDefinition, facts: Facts) -> Choice:
    """Return the first matching case of a choice, or how long a wait would last."""
    if step.type == "wait":
        return Choice("", waits.preview_wait(step, facts))
    for case in step.cases:
        if condition_sentences(case.conditions, facts) is not None:
            return Choice(case.outcome, join_phrases(one.words for one in case.conditions))
    missed = [one for case in step.cases for one in case.conditions]
    if all(case.outcome.startswith(NOT) for case in step.cases):
        # Each is the opposite of what the plan says: say that, if it is known to hold, rather than "not the opposite".
        planned = [replace(one, operator=OPPOSITES[one.operator]) for one in missed]
        if condition_sentences(planned, facts) is not None:
            return Choice("", join_phrases(one.words for one in planned))
    return Choice("", _NONE.fill(conditions=join_phrases(one.words for one in missed)))


def _facts(run: Run, execution: Execution, document: DocumentWorkflow) -> Facts:
    store = run_files.files_of(run)
    found = json.loads(store.read_pinned(files.result(run.workflow_id), str(execution.result_sha256)))
    return known_facts(str(document.data["file_type"]), found, corrections(store, run, execution))


def known_facts(file_type: str, found: Mapping[str, Any], corrected: Mapping[str, str | None]) -> Facts:
    """Return the facts for a choice or a wait: what was ``found``, with corrections."""
    return Facts(file_type, fields=_values(results.merge_corrections(found, corrected)))


def corrections(store: DocumentFiles, run: Run, execution: Execution) -> Mapping[str, str | None]:
    """Return people's corrections so far; a later decision includes those of earlier ones."""
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


# Handlers of steps that are not stages, by type; each leaves the step itself. An approval is handled by its machine.
AT_ONCE: Mapping[str, Callable[[StepWork], Mapping[str, Any]]] = {
    "publish": publication.publish,
    "choice": take_case,
    "notification": step_actions.act,
    "action": step_actions.act,
    "wait": lambda work: waits.wait(work, _facts(work.run, work.execution, work.document)),
}


def perform(
    order: StepOrder, *, owner: str, keep: Callable[[], None], token: str | None, send: Send, large: bool = True
) -> Mapping[str, Any] | None:
    """Do the step, or find that it was done; return what the engine continues with, above all ``next``.

    None if slices do it: the last of them answers ``token``. ``keep`` is called while it works and keeps the order's
    message invisible to other workers. ``send`` sends one slice. ``large``: this worker may do steps of large documents
    and lower-priority runs, which single pages must not wait for.

    Raises:
        BelongsToSlices: it is such a step and this worker may not do it; nothing was done.
        Busy: another worker does it, or its message waits for an external job.
        StaleAttempt: a newer attempt drives the run; nothing was changed.
        StageFailed: the stage cannot do it, and a retry would not help.

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
    document = queries.document_of(order.run)
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
    except external_job.JobUnderWay as job:
        return external_job.wait_for_job(work, job, owner=owner, token=token)
    except Conflict:  # the lease was lost meanwhile and another worker was faster
        return step_outcome.earlier_answer(order)


def give_back(order: StepOrder, *, owner: str) -> None:
    """Release the step after an unexpected error, so that the next worker need not wait for the lease to end."""
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
        run_files.files_of(work.run, work.document).clear_artifacts(folders)
    opened = step_context.open_context(work.run, stage, work.document, work.execution, heartbeat)
    with opened as context, external_job.for_provider(work.step, work.execution):
        if stage.job is not None:
            external_job.for_job(work.step, stage.job, context, work.execution)
        if stage.slicing is None:
            return stage.run(context)
        return fanout.run(work.order, stage, context, token=token, send=send)


def _stale(work: StepWork) -> Collection[str]:
    """Return the folders whose artifacts are not this run's: those of an earlier file version, and those to rewrite.

    An attempt that repairs the same step reuses what the one before has made.
    """
    execution = work.execution
    if execution.afresh and int(execution.step_attempt or 1) == work.order.attempt:
        return execution.afresh
    return files.ARTIFACTS if work.document.follows and work.step.order == 1 and not execution.only else ()


def _apply_rules(work: StepWork, result: StageResult, heartbeat: Callable[[], None]) -> StageResult:
    """Evaluate the rules once the result is known and before a review opens, as they choose its queue."""
    pages = int(result.facts.get("pages", 0))
    facts = judge.judge_document(work.run, work.document, pages=pages, heartbeat=heartbeat)
    return replace(result, facts={**result.facts, **facts})

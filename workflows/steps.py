"""One step of a run, whichever engine ordered it: claim, do the work, advance, say what follows."""

import json
import logging
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.conf import settings

from config import clock, table
from config.errors import Conflict, CountersignError, StaleAttempt
from config.transaction import EXISTS, Change, Update
from workflows import events, files, followups, frozen, judging, queries, results
from workflows.actions import leases, runs, segments
from workflows.actions.runs import Advance
from workflows.definitions import DEFINITIONS, REVIEW_REQUIRED, Definition, StepDefinition
from workflows.frozen import Run
from workflows.items.documents import DocumentWorkflow
from workflows.items.runs import Execution
from workflows.stages import STAGES
from workflows.stages.base import StageContext, StageResult
from workflows.status import END, Outcome, RunStatus, StepStatus
from workflows.storage import DocumentFiles

log = logging.getLogger(__name__)

FOLLOWED = "follow_up"  # in the answer of a step that published: something is to be done now
ROUTED = "assess"  # the step whose result the rules are asked about
_NEEDS_ORIGINAL = {"segment_prep", "format_parser"}


class Busy(CountersignError):
    """Another worker holds the step; look again after ``seconds``."""

    def __init__(self, seconds: float) -> None:
        super().__init__("Another worker does this step.")
        self.seconds = seconds


@dataclass(frozen=True)
class Order:
    """What a step message asks for."""

    run: Run
    step: int
    attempt: int


def perform(order: Order, *, owner: str, keep: Callable[[], None]) -> Mapping[str, Any]:
    """Do the step, or find that it was done; answers what the engine goes on with, ``next`` above all.

    ``keep`` is called while it lasts: it keeps the order's message from being handed to another worker.

    Raises:
        Busy: another worker does it.
        StaleAttempt: a newer attempt drives the run; nothing was changed.
        StageFailed: the stage cannot do it, and trying again would not help.

    """
    try:
        execution = leases.claim(order.run, step=order.step, attempt=order.attempt, owner=owner)
    except Conflict:
        return _done_before(order)
    definition = DEFINITIONS[execution.definition]
    step = definition.step(order.step)
    log.info("step begins", extra={"run": order.run.workflow_id, "step": step.name, "attempt": order.attempt})
    document = DocumentWorkflow.load(
        table.DOCUMENT_WORKFLOW.key(
            order.run.site, document_id=order.run.document_id, workflow_id=order.run.workflow_id
        )
    )
    try:
        if step.type == "publish":
            return _publish(order, definition, step, execution, document)
        heartbeat = _heartbeat(order.run, owner, keep)
        result = _run_stage(order, step, document, heartbeat)
        if step.name == ROUTED:
            result = _routed(order.run, document, result, heartbeat)
        return _advance(order, definition, step, execution, result)
    except Conflict:  # the lease was lost on the way and the other worker was faster
        return _done_before(order)


def _done_before(order: Order) -> Mapping[str, Any]:
    """The stored answer of a step that was advanced already: a redelivered message hands on again, harmlessly."""
    execution = queries.execution(order.run)
    if int(execution.engine_attempt) > order.attempt:
        raise StaleAttempt("A newer attempt drives this run.")
    here = int(execution.currentStep) == order.step and execution.status == RunStatus.RUNNING
    if here:
        until = clock.parse(execution.lease_until) if execution.lease_until else clock.now()
        raise Busy(max(1.0, (until - clock.now()).total_seconds()))
    done = queries.transition_from(order.run, order.step)
    if done is None:
        raise StaleAttempt("The run has moved on without this step.")
    return {"next": int(done.toStep), "last": str(done.SK).rsplit("#", 1)[-1], **_facts_of(done.data)}


def _facts_of(data: object) -> dict[str, Any]:
    return dict(data.as_dict()) if data is not None else {}  # type: ignore[attr-defined]


def _run_stage(
    order: Order, step: StepDefinition, document: DocumentWorkflow, heartbeat: Callable[[], None]
) -> StageResult:
    run = order.run
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    data = document.data
    if document.follows and step.order == 1:
        store.clear_artifacts()  # a stage must not take an earlier content's text for this one's
    with tempfile.TemporaryDirectory(prefix="countersign-") as folder:
        original = Path(folder) / "original"
        if step.name in _NEEDS_ORIGINAL:
            store.fetch(store.root + store.name_of(data["file_uri"]), original, version=document.s3version)
        context = StageContext(
            workflow_id=run.workflow_id,
            file_name=data["file_name"],
            file_type=data["file_type"],
            original=original,
            settings=frozen.from_json(document.settings),
            artifacts=store,
            heartbeat=heartbeat,
        )
        return STAGES[step.name].run(context)


def _routed(run: Run, document: DocumentWorkflow, result: StageResult, heartbeat: Callable[[], None]) -> StageResult:
    """The rules are asked once all of it is known, and before a person may be: they choose whom to ask."""
    facts = judging.judged(run, document, pages=int(result.facts.get("pages", 0)), heartbeat=heartbeat)
    return replace(result, facts={**result.facts, **facts})


def _heartbeat(run: Run, owner: str, keep: Callable[[], None]) -> Callable[[], None]:
    """Renews the lease and keeps the message at a third of the lease's length, however often a stage calls."""
    due = time.monotonic() + settings.STEP_LEASE_SECONDS / 3

    def beat() -> None:
        nonlocal due
        if time.monotonic() >= due:
            leases.renew(run, owner=owner)
            keep()
            due = time.monotonic() + settings.STEP_LEASE_SECONDS / 3

    return beat


def _advance(
    order: Order, definition: Definition, step: StepDefinition, execution: Execution, result: StageResult
) -> Mapping[str, Any]:
    facts = dict(result.facts)
    to = step.after(REVIEW_REQUIRED if facts.get(REVIEW_REQUIRED) else "")
    pinned = []
    if "result_sha256" in facts:
        pinned.append(Execution.result_sha256.set(facts["result_sha256"]))
    if "routing_sha256" in facts:
        pinned.append(Execution.routing_sha256.set(facts["routing_sha256"]))
    move = Advance(
        step,
        to,
        order.attempt,
        result=result.status,
        status=StepStatus(result.status),
        reason=result.reason,
        facts=facts,
        pinned=pinned,
    )
    also = _total(order.run, step, facts)
    done = runs.advance(order.run, definition, move, last=execution.last_transition, also=also)
    return {"next": to, "last": done.last, **facts}


def _total(run: Run, step: StepDefinition, facts: Mapping[str, Any]) -> list[Change]:
    """Segment rows come before the advance that says they are there."""
    if step.name != "segment_builder":
        return []
    count = int(facts.get("segment_count", 0))
    segments.write(run, count)
    key = table.DOCUMENT_WORKFLOW.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id)
    return [Update(key, [DocumentWorkflow.data["total_segments"].set(count)], EXISTS)]


def _publish(
    order: Order, definition: Definition, step: StepDefinition, execution: Execution, document: DocumentWorkflow
) -> Mapping[str, Any]:
    """Merge result and decision into the published object, end the run, tell the bus, and plan what follows."""
    run = order.run
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    found = json.loads(store.read_pinned(files.result(run.workflow_id), str(execution.result_sha256)))
    decision: dict[str, Any] | None = None
    if execution.decision_id:
        sha256 = str(execution.decision_sha256)
        name = files.decision(run.workflow_id, execution.decision_id, sha256)
        decision = json.loads(store.read_pinned(name, sha256))
    merged = results.merge(found, decision["corrections"] if decision else {}, decision=_public(decision))
    body = json.dumps(merged, ensure_ascii=False, sort_keys=True).encode()
    uri = store.write(files.output(run.workflow_id), body, "application/json")
    detail = {
        "outcome": Outcome.PUBLISHED.value,
        "reviewed": decision is not None,
        "uri": uri,
        "sha256": files.sha256(body),
    }
    event = events.lineage(run, "PUBLISHED", facts=detail, bus_type=events.PROCESSED, bus_detail=detail)
    also = followups.planned(run, document, execution)
    facts = detail | ({FOLLOWED: True} if also else {})
    move = Advance(step, END, order.attempt, result="completed", outcome=Outcome.PUBLISHED, facts=facts)
    done = runs.advance(run, definition, move, last=execution.last_transition, also=also, event=event)
    events.publish_soon(done.event)
    return {"next": END, "last": done.last, **facts}


def _public(decision: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """What the published object says of the decision; the corrections are in the fields."""
    if decision is None:
        return None
    return {name: decision[name] for name in ("decision_id", "decision", "reviewer", "reason", "at")}

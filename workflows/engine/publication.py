"""The step ``publish``: merge the result and the decision into the published object, and end the run."""

import json
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from config.errors import NotFound
from projects.audit.events import Actor
from projects.documents.actions.classification import Classified, set_classification
from workflows.engine.step_work import StepWork, hand_on
from workflows.publish import follow_ups
from workflows.runs import duplicates, events
from workflows.runs.actions import advance
from workflows.runs.actions.advance import Advance
from workflows.runs.items import END, DocumentWorkflow, Outcome, Run
from workflows.runs.run_files import files_of
from workflows.stages import results
from workflows.stages.assessment import needs_review
from workflows.stages.base import ArtifactStore
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

AUDITED = "audited"  # in the same answer: a sampled review of a result that needed none
FOLLOWED = "follow_up"  # in the answer of a step that published: follow-ups are due now


def publish(work: StepWork) -> Mapping[str, Any]:
    """Publish the result with the decision, end the run, publish the event, and plan the follow-ups.

    A machine's result beside a decided one is stored without an event and follow-ups; selecting it does these.
    """
    run, execution, document = work.run, work.execution, work.document
    store = files_of(run)
    found = json.loads(store.read_pinned(files.result(run.workflow_id), str(execution.result_sha256)))
    decision: dict[str, Any] | None = None
    if execution.decision_id:
        sha256 = str(execution.decision_sha256)
        name = files.decision(run.workflow_id, execution.decision_id, sha256)
        decision = json.loads(store.read_pinned(name, sha256))
    merged = compose_published(run, document, store, found, decision)
    beside = bool(advance.place_of(run, execution, Outcome.PUBLISHED).keeps)
    body = json.dumps(merged, ensure_ascii=False, sort_keys=True).encode()
    uri = store.write(files.output(run.workflow_id), body, "application/json")
    detail = {
        "outcome": Outcome.PUBLISHED.value,
        "reviewed": decision is not None,
        "uri": uri,
        "sha256": files.sha256(body),
    }
    word = "RESULT_STANDS_BESIDE" if beside else "PUBLISHED"
    event = events.lineage(run, word, facts=detail, bus_type=events.PROCESSED, bus_detail=detail)
    also = [] if beside else follow_ups.plan_follow_ups(run, document, execution)
    facts = detail | ({FOLLOWED: True} if also else {})
    if merged["review"]["reason"] == needs_review.AUDIT:
        facts |= {AUDITED: True}
    typed = None if beside else _classify_published(run, merged.get("type"), decision)
    move = Advance(
        work.step,
        END,
        work.order.attempt,
        result="completed",
        outcome=Outcome.PUBLISHED,
        facts=facts,
        classified=typed,
        execution=execution,
    )
    if decision:
        duplicates.remember_decided(run, document, merged)
    return hand_on(work, move, also=also, event=event)


def compose_published(
    run: Run,
    document: DocumentWorkflow,
    store: ArtifactStore,
    found: Mapping[str, Any],
    decision: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Return the published object: the result, a person's values where they differ, and the facts of the review."""
    decided = decision or {}
    merged = results.merge_corrections(
        found, decided.get("corrections") or {}, decision=_public(decision), answers=decided.get("answers")
    )
    return merged | {
        "documentId": run.document_id,
        "source": _source(run, document),
        "confidence": results.summarize_confidence(merged["fields"], found["fields"]),
        "review": _review(store, run, decision),
    }


def _classify_published(
    run: Run, kind: Mapping[str, Any] | None, decision: Mapping[str, Any] | None
) -> Classified | None:
    """Return the document type, found or chosen, for the publishing transaction; None if the project determined it."""
    if not kind:
        return None
    by = _typist(kind, decision)
    return set_classification(run.site, run.document_id, str(kind["id"]), name=str(kind["name"]), by=by)


def _typist(kind: Mapping[str, Any], decision: Mapping[str, Any] | None) -> Actor:
    """Return who determined the document type."""
    if decision and kind["source"] == "reviewer":
        return Actor(str(decision["reviewer"]["id"]), str(decision["reviewer"]["name"]))
    return Actor("system", "Classification")


def _source(run: Run, document: DocumentWorkflow) -> dict[str, Any]:
    """Describe the source file (seed 004)."""
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    key = store.root + store.name_of(str(document.data["file_uri"]))
    return {"bucket": settings.BUCKET_NAME, "key": key, "version": document.s3version}


def _review(store: ArtifactStore, run: Run, decision: Mapping[str, Any] | None) -> dict[str, Any]:
    """Describe the review: whether and why there was one, and the decision (seed 004)."""
    try:
        assessed = json.loads(store.read(files.assessment(run.workflow_id)))
    except NotFound:  # of a definition with a review but no assessment
        assessed = {"review_required": decision is not None, "reasons": []}
    decided = decision or {}
    return {
        "required": bool(assessed["review_required"] or decision),
        "reason": "; ".join(one["text"] for one in assessed["reasons"]) or None,
        "decision": decided.get("decision"),
        "decisionId": decided.get("decision_id"),
        "reviewer": decided.get("reviewer"),
        "reviewedAt": decided.get("at"),
    }


def _public(decision: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the decision as published, with each correction and what nobody checked."""
    if decision is None:
        return None
    said = {name: decision[name] for name in ("decision_id", "decision", "reviewer", "reason", "at")}
    return said | {name: decision.get(name) or [] for name in ("changes", "unseen")}

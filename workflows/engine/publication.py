"""The step publish: what was found and decided becomes the published object, and the run ends."""

import json
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from config.errors import NotFound
from projects.audit.events import Actor
from projects.documents.actions.classification import Classified, set_classification
from workflows.engine.step_work import StepWork, hand_on
from workflows.publish import follow_ups
from workflows.runs import earlier_copies, events
from workflows.runs.actions import advance
from workflows.runs.actions.advance import Advance
from workflows.runs.items import END, DocumentWorkflow, Outcome, Run
from workflows.stages import results
from workflows.stages.assessment import review_reasons
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

AUDITED = "audited"  # in the same answer: a person looked at what would have passed
FOLLOWED = "follow_up"  # in the answer of a step that published: something is to be done now


def publish(work: StepWork) -> Mapping[str, Any]:
    """Merge result and decision into the published object, end the run, tell the bus, and plan what follows.

    A machine's result beside one that a person decided is stored and not told: choosing it does that.
    """
    run, execution, document = work.run, work.execution, work.document
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    found = json.loads(store.read_pinned(files.result(run.workflow_id), str(execution.result_sha256)))
    decision: dict[str, Any] | None = None
    if execution.decision_id:
        sha256 = str(execution.decision_sha256)
        name = files.decision(run.workflow_id, execution.decision_id, sha256)
        decision = json.loads(store.read_pinned(name, sha256))
    decided = decision or {}
    merged = results.merge_corrections(
        found, decided.get("corrections") or {}, decision=_public(decision), answers=decided.get("answers")
    )
    beside = bool(advance.place_of(run, execution, Outcome.PUBLISHED).keeps)
    merged |= {
        "documentId": run.document_id,
        "source": _source(store, document),
        "confidence": results.summarize_confidence(merged["fields"], found["fields"]),
        "review": _review(store, run, decision),
    }
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
    if merged["review"]["reason"] == review_reasons.AUDIT:
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
        earlier_copies.remember_decided(run, document, merged)
    return hand_on(work, move, also=also, event=event)


def _classify_published(
    run: Run, kind: Mapping[str, Any] | None, decision: Mapping[str, Any] | None
) -> Classified | None:
    """What was found to be its type, or chosen, for the transaction that publishes; None if its project said it."""
    if not kind:
        return None
    by = _typist(kind, decision)
    return set_classification(run.site, run.document_id, str(kind["id"]), name=str(kind["name"]), by=by)


def _typist(kind: Mapping[str, Any], decision: Mapping[str, Any] | None) -> Actor:
    """Who said what the document is."""
    if decision and kind["source"] == "reviewer":
        return Actor(str(decision["reviewer"]["id"]), str(decision["reviewer"]["name"]))
    return Actor("system", "Classification")


def _source(store: DocumentFiles, document: DocumentWorkflow) -> dict[str, Any]:
    """The file that was read (seed 004)."""
    key = store.root + store.name_of(str(document.data["file_uri"]))
    return {"bucket": settings.BUCKET_NAME, "key": key, "version": document.s3version}


def _review(store: DocumentFiles, run: Run, decision: Mapping[str, Any] | None) -> dict[str, Any]:
    """Whether and why a person was asked, and who decided what (seed 004)."""
    try:
        assessed = json.loads(store.read(files.assessment(run.workflow_id)))
    except NotFound:  # of a definition that asks without an assessment
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
    """What the published object says of the decision: also each change by a person, and what no one has checked."""
    if decision is None:
        return None
    said = {name: decision[name] for name in ("decision_id", "decision", "reviewer", "reason", "at")}
    return said | {name: decision.get(name) or [] for name in ("changes", "unseen")}

"""Runs of the definition with two approvals: a receipt of a given total, brought to its first approval and on."""

import io
import uuid
from pathlib import Path

from config import clock
from projects.audit.events import Actor
from review.decide import claims, decisions
from review.decide.redemption import redeem_decision
from review.identity import Person, ReviewRef, review_id
from review.items.reviews import Review
from review.status import Decision
from tests.factories import PROJECT, PROJECT_ID, SITE, verdict
from tests.pump import Pump
from tests.tools.paper import Sheet, save
from workflows.definitions.blueprint import DOCUMENT_APPROVAL, Definition
from workflows.intake.actions import documents
from workflows.runs import queries, run_settings
from workflows.runs.items import Run
from workflows.runs.new_run import NewRun, Original
from workflows.storage.objects import DocumentFiles


def receipt(folder: Path, total: str) -> Path:
    """One page with a text layer."""
    sheet = Sheet(300, 400)
    lines = ["ACME TRADING LTD", "12 High Street, London", "RECEIPT", "Date: 2026-03-31", f"TOTAL {total} EUR"]
    for index, line in enumerate(lines):
        sheet.text(20, 40 + 24 * index, line, size=12)
    return save([sheet], folder / "receipt.pdf")


NOBODY = Actor("system", "test")


def begin(folder: Path, total: str, *, by: Actor = NOBODY, definition: Definition = DOCUMENT_APPROVAL) -> Run:
    """Fields of no doubt: the policy asks nobody, so that the definition alone does."""
    body = receipt(folder, total).read_bytes()
    document_id = str(uuid.uuid4())
    kept = DocumentFiles(SITE, PROJECT_ID, document_id).save_original(io.BytesIO(body), ".pdf", "application/pdf")
    project = {**PROJECT, "review_policy": {"default_threshold": 0.0}}
    return documents.start(
        NewRun(
            Run.new(SITE, PROJECT_ID, document_id),
            by=by,
            project=project,
            pinned=run_settings.freeze(project),
            original=Original("receipt.pdf", "application/pdf", len(body), kept.key, 1, kept.sha256, kept.version),
            definition=definition,
        )
    )


def at(run: Run) -> str:
    return str(queries.board(run.site, run.workflow_id).current_step)


def ref_at(run: Run, step: str) -> ReviewRef:
    execution = queries.execution(run)
    order = queries.definition_of(execution).named(step).order
    return ReviewRef(run.site, run.document_id, review_id(run.workflow_id, order, str(execution.result_sha256)))


def asked(run: Run, pump: Pump, step: str) -> ReviewRef:
    """Turn until the review of this approval is open."""
    before = pump.ran("open_review")
    pump.run(lambda: at(run) == step and pump.ran("open_review") > before)
    return ref_at(run, step)


def decide(run: Run, ref: ReviewRef, decision: Decision, *, by: Person, **corrections: str | None) -> None:
    """As a person whose undo window is over."""
    claims.claim_review(ref, run, by=by)
    chosen = verdict(ref, decision, **corrections)
    decisions.decide_review(ref, run, chosen, by=by)
    Review.change(ref.key, [Review.redeem_after.set(clock.iso(clock.now()))], Review.decision_id == chosen.decision_id)
    assert redeem_decision(ref, chosen.decision_id)


def moves(run: Run) -> list[tuple[str, str]]:
    """Step and result of each transition, without the steps that every document goes through."""
    names = {step.order: step.name for step in queries.definition_of(queries.execution(run)).steps}
    rows = queries.transitions(run.site, run.workflow_id).rows
    return [(names[int(row.fromStep)], row.result) for row in rows if int(row.fromStep) > 9]


def ended(run: Run) -> bool:
    return queries.execution(run).status != "running"

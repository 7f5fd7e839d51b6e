"""Open reviews without the machine's minutes: the run's rows, a stored result, the pause that the engine asks for."""

import dataclasses
import json
import uuid
from collections.abc import Sequence

from django.urls import reverse

from config import clock, table
from projects.audit.events import Actor
from review.decide import opening
from review.decide.opening import Pause
from review.identity import Person, ReviewRef
from review.items.reviews import Review
from tests.factories import REVIEW
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.intake.actions import documents
from workflows.runs import run_settings
from workflows.runs.actions import advance
from workflows.runs.items import Execution, Run
from workflows.runs.new_run import NewRun, Original
from workflows.stages.artifacts import write_json
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

SITE = "default"
SENDER = Actor("1", "1")
PROJECT = {
    "name": "Receipts",
    "fields": [
        {"name": "company", "label": "Company", "type": "text"},
        {"name": "date", "label": "Date", "type": "date"},
        {"name": "total", "label": "Total", "type": "amount"},
        {"name": "currency", "label": "Currency", "type": "currency"},
    ],
    "review_policy": {"default_threshold": 0.8, "thresholds": {"total": 0.9}, "required": ["company", "total"]},
}
VALUES = {"company": ("Grossmarkt Ruhr", 0.97), "date": ("2024-03-31", 0.93), "total": ("33.90", 0.55)}


def result(values=VALUES):
    found = []
    for i, spec in enumerate(run_settings.freeze(PROJECT).fields):
        field = dataclasses.asdict(spec)
        value, confidence = values.get(field["name"], (None, 0.0))
        box = [0.1, 0.1 + i / 10, 0.4, 0.13 + i / 10] if value else None
        candidates = [{"value": "38.90", "confidence": 0.4, "page": 0, "box": box}] if field["name"] == "total" else []
        found.append({
            **field, "value": value, "raw": value, "confidence": confidence, "page": 0 if value else None, "box": box,
            "source": "rules", "candidates": candidates,
        })  # fmt: skip
    page = {"index": 0, "width": 1240, "height": 1754, "image": files.page_image(0), "source": "ocr"}
    return {"version": 1, "document_type": "receipt", "pages": [page], "fields": found, "notes": []}


def open_review(
    name="receipt.pdf",
    *,
    values=VALUES,
    timeout=86_400,
    found=None,
    queue="",
    site=SITE,
    project_id="proj_test",
    document_id="",
    project_name="Receipts",
    unseen_allowed=False,
    check_share=0.0,
    quorum="",
    triage="",
    by=SENDER,
) -> tuple[Run, ReviewRef]:
    """``found``: the stored result, where it is not the one that ``values`` make. ``queue``: an id.

    ``by``: who uploaded it.
    """
    original = Original(name, "application/pdf", 10, "projects/p/x.pdf", 1)
    run = documents.start(
        NewRun(
            Run.new(site, project_id, document_id or str(uuid.uuid4())),
            by=by,
            project={**PROJECT, "name": project_name},
            pinned=run_settings.freeze(PROJECT),
            original=original,
        )
    )
    body = json.dumps(found or result(values)).encode()
    store = DocumentFiles(site, run.project_id, run.document_id)
    store.write(files.result(run.workflow_id), body, "application/json")
    sha = files.sha256(body)
    at_review = [Execution.currentStep.set(REVIEW), Execution.result_sha256.set(sha)]
    Execution.change(advance.execution_key(run), at_review, Execution.PK.exists())
    facts = {"result_sha256": sha, "unsure": 1, "pages": 1, "last": "none"}
    pictured = found is None or bool(found["pages"] and found["pages"][0].get("image"))
    weighed = triage or f"0.45|low_confidence|33.90|EUR|1|{'1' if pictured else ''}"
    write_assessment(run, ["Total 55 %, needs 90 %"], weighed)
    facts |= {"queue": queue} if queue else {}  # as the stage adds it of what the run froze
    facts |= {"unseen_allowed": True} if unseen_allowed else {}
    facts |= {"check_share": check_share} if check_share else {}
    facts |= {"quorum": quorum} if quorum else {}
    entered = clock.iso(clock.now())
    pause = Pause(run, 1, REVIEW, DOCUMENT_ANALYSIS.id, "token", entered, timeout, name, project_name, facts)
    opening.open_review(pause)
    return run, pause.ref


def write_assessment(run: Run, reasons: Sequence[str] = (), triage: str = "") -> None:
    """What a review reads when it is opened."""
    told = [{"field": "total", "code": "low_confidence", "text": one} for one in reasons]
    write_json(
        DocumentFiles(run.site, run.project_id, run.document_id),
        files.assessment(run.workflow_id),
        {"version": 1, "review_required": bool(told), "reasons": told, "triage": triage or None},
    )


def url(name: str, ref: ReviewRef) -> str:
    return reverse(f"review:{name}", args=[ref.document_id, ref.review_id])


def person(user) -> Person:
    return Person(str(user.pk), user.get_full_name())


def lapse(ref: ReviewRef) -> None:
    """The holder's lease has run out."""
    Review.change(ref.key, [Review.lease_until.set(clock.iso(clock.in_seconds(-60)))], Review.PK.exists())


def pass_deadline(ref: ReviewRef) -> None:
    Review.change(ref.key, [Review.deadline.set(clock.iso(clock.in_seconds(-60)))], Review.PK.exists())


def decisions_of(ref: ReviewRef) -> int:
    """How many decisions are recorded, undone ones too."""
    pk = table.REVIEW_DECISION.partition_key(ref.site, document_id=ref.document_id)
    prefix = table.REVIEW_DECISION.sort_prefix(review_id=ref.review_id)
    return len(Review.page(pk, sk=Review.SK.startswith(prefix)).rows)

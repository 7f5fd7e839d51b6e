"""Documents, runs and reviews made through the actions, so that a test cannot build a state that cannot be."""

import functools
import io
import json
import tempfile
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from config import clock
from projects.audit.events import Actor
from review import queries as review_queries
from review.changes import FieldChange
from review.decide import claims, decisions
from review.decide.decisions import Verdict
from review.identity import Person, ReviewRef, review_id
from review.items.reviews import Review
from review.status import Decision
from tests.pump import Pump
from tests.tools import samples
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS, Definition
from workflows.intake.actions import documents
from workflows.runs import queries, run_settings
from workflows.runs.actions import advance
from workflows.runs.items import Run
from workflows.runs.new_run import NewRun, Original
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

REVIEW = DOCUMENT_ANALYSIS.named("human_review").order
SITE = "default"
ROSA = Person("1", "Rosa Marin")
MARTA = Person("2", "Marta Kowalczyk")
PROJECT_ID = "proj_test"
PROJECT = {
    "name": "Receipts",
    "language": "en",
    "document_prompt": "",
    "ocr_model": "pp-ocrv5",
    "ocr_options": {},
    "fields": [
        {"name": "company", "label": "Company", "type": "text"},
        {"name": "date", "label": "Date", "type": "date"},
        {"name": "address", "label": "Address", "type": "text"},
        {"name": "total", "label": "Total", "type": "amount"},
        {"name": "invoice_number", "label": "Invoice number", "type": "text"},
        {"name": "currency", "label": "Currency", "type": "currency"},
    ],
    "review_policy": {"default_threshold": 0.8, "required": ["company", "date", "total"]},
}


@functools.cache
def sample_files() -> tuple[Path, ...]:
    return tuple(samples.write_samples(Path(tempfile.mkdtemp(prefix="countersign-samples-"))))


def start_run(
    file: Path | None = None, *, always_review: bool = False, site: str = SITE, project: dict[str, Any] = PROJECT,
    project_id: str = PROJECT_ID, pages: int | None = None, definition: Definition = DOCUMENT_ANALYSIS,
    workflow_id: str = "", folder_id: str = "",
) -> Run:  # fmt: skip
    """A run of the clean sample; ``always_review`` by a policy that no machine satisfies.

    ``workflow_id``: decides whether it is in an audit sample.
    """
    file = file or sample_files()[0]
    body = file.read_bytes()
    if always_review:
        project = {**project, "review_policy": {"default_threshold": 1.0}}
    document_id = str(uuid.uuid4())
    store = DocumentFiles(site, project_id, document_id)
    kept = store.save_original(io.BytesIO(body), file.suffix, "application/pdf")
    original = Original(file.name, "application/pdf", len(body), kept.key, pages, kept.sha256, kept.version)
    return documents.start(
        NewRun(
            Run(site, project_id, document_id, workflow_id or clock.new_ulid()),
            by=Actor("test", "test"),
            project=project,
            pinned=run_settings.settings_of(site, project_id, project)
            if {"classification_id", "analyzer"} & project.keys()
            else run_settings.freeze(project),
            original=original,
            definition=definition,
            folder_id=folder_id,
        )
    )


def ended_run(**wanted: Any) -> Run:
    """A run that has ended badly."""
    run = start_run(**wanted)
    advance.fail(run, DOCUMENT_ANALYSIS, queries.execution(run), attempt=1, error="E", sentence="Not readable.")
    return run


def ref_of(run: Run) -> ReviewRef:
    execution = queries.execution(run)
    assert execution.result_sha256
    return ReviewRef(run.site, run.document_id, review_id(run.workflow_id, REVIEW, execution.result_sha256))


def waiting_run(pump: Pump) -> tuple[Run, ReviewRef]:
    """A run whose review is open and has its token."""
    run, before = start_run(always_review=True), pump.ran("open_review")
    pump.run(lambda: pump.ran("open_review") > before)
    return run, ref_of(run)


def verdict(ref: ReviewRef, decision: Decision = Decision.APPROVE, **corrections: str | None) -> Verdict:
    """On what the page shows now, each correction with what it changes."""
    review = review_queries.get_review(ref)
    changes = changes_of(ref, review, corrections) if corrections else []
    return Verdict(
        decision_id=clock.new_ulid(),
        decision=decision,
        version=int(review.version),
        result_sha256=review.result_sha256,
        corrections=corrections,
        changes=changes,
        reason="" if decision == Decision.APPROVE else "Not ours",
        queue=review.queue,
    )


def changes_of(ref: ReviewRef, review: Review, corrections: Mapping[str, str | None]) -> list[FieldChange]:
    store = DocumentFiles(ref.site, review.project_id, ref.document_id)
    fields = json.loads(store.read(files.result(review.workflow_id)))["fields"]
    return [
        FieldChange(one["name"], one["label"], one["value"], corrections[one["name"]])
        for one in fields
        if one["name"] in corrections
    ]


def decided_run(pump: Pump, *, by: Person = ROSA) -> tuple[Run, ReviewRef, Verdict]:
    run, ref = waiting_run(pump)
    claims.claim_review(ref, run, by=by)
    chosen = verdict(ref, total="12.34")
    decisions.decide_review(ref, run, chosen, by=by)
    return run, ref, chosen


def review_of(ref: ReviewRef) -> Review:
    return review_queries.get_review(ref)

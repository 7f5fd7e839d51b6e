"""Files from the disk through the desk, as the process and demo commands need it: begin, follow, describe."""

import json
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.conf import settings

from config.errors import CountersignError, NotFound
from projects.audit import Actor
from projects.items.project import Project
from workflows import arrivals, files, inspecting, queries, uploads
from workflows.actions.documents import Original
from workflows.answers import PARTIAL_AT
from workflows.definitions import APPROVALS
from workflows.frozen import Run
from workflows.items.runs import WorkflowSteps
from workflows.status import Outcome, StepStatus
from workflows.storage import DocumentFiles

IN_REVIEW = "in_review"


@dataclass(frozen=True)
class Job:
    """One file: either its run, or the sentence that says why there is none."""

    path: Path
    run: Run | None
    error: str | None = None
    outcome: str | None = None  # an Outcome, ``in_review``, or None while it moves
    review_id: str | None = None


def begin(site: str, project: Project, path: Path, *, by: Actor, document_id: str | None = None) -> Job:
    """Look at the file, store it and start its run; a file that is refused is an answer, not an error.

    Raises:
        Unavailable: the desk does not answer.

    """
    document_id = document_id or str(uuid.uuid4())
    try:
        if not path.is_file():
            return Job(path, None, "There is no such file.", "failed")
        if path.stat().st_size > settings.UPLOAD_MAX_BYTES:
            return Job(path, None, uploads.too_large(), "failed")
        seen = inspecting.inspect(path, path.name, containers=False)
        stored: Any = project.data  # PynamoDB's maps are untyped
        plan = arrivals.planned(site, project.id, stored.as_dict(), seen.file_type)
    except (CountersignError, OSError) as error:
        return Job(path, None, str(error), "failed")
    store, size = DocumentFiles(site, project.id, document_id), path.stat().st_size
    with path.open("rb") as file:
        kept = store.save_original(file, seen.extension, seen.file_type)
    original = Original(path.name, seen.file_type, size, kept.key, seen.page_count, kept.sha256, kept.version)
    try:
        return Job(path, arrivals.start(plan, document_id=document_id, original=original, by=by))
    except Exception:
        arrivals.take_back(store, kept)
        raise


def look(job: Job) -> Job:
    """The job as it stands; settled once its run has ended or waits for a person."""
    if job.run is None or job.outcome:
        return job
    board = queries.board(job.run.site, job.run.workflow_id)
    if board.outcome:
        return replace(job, outcome=str(board.outcome))
    if board.current_step not in APPROVALS:
        return job
    review_id = _review_id(job.run)  # the review comes into being a moment after the step
    return replace(job, outcome=IN_REVIEW, review_id=review_id) if review_id else job


def _review_id(run: Run) -> str | None:
    event = queries.latest_event(run, "HUMAN_REVIEW_REQUIRED")
    return str(event.facts.as_dict()["review"]) if event else None


def describe(job: Job) -> dict[str, Any]:
    """One JSON object; confidence 0–1, page 0-based, box as fractions of the page."""
    shape: dict[str, Any] = {
        "file": str(job.path),
        "document_id": None,
        "workflow_id": None,
        "status": job.outcome or "running",
        "segments": 0,
        "fields": [],
        "review": {"required": False, "reasons": [], "review_id": None},
        "outputs": {},
        "error": job.error,
    }
    if job.run is None:
        return shape
    board = queries.board(job.run.site, job.run.workflow_id)
    store = DocumentFiles(job.run.site, job.run.project_id, job.run.document_id)
    names = {kind: name(job.run.workflow_id) for kind, name in _OUTPUTS.items()}
    found = {kind: content for kind, name in names.items() if (content := _json(store, name)) is not None}
    assessment = found.get("assessment", {})
    reasons = [reason["text"] for reason in assessment.get("reasons", ())]
    return shape | {
        "document_id": job.run.document_id,
        "workflow_id": job.run.workflow_id,
        "segments": int(board.page_count or 0),
        "fields": _fields(found.get("output") or found.get("result") or {}),
        "review": {
            "required": bool(assessment.get("review_required")),
            "reasons": reasons,
            "review_id": job.review_id,
        },
        "outputs": {kind: store.uri(names[kind]) for kind in found},
        "error": _error(board),
    }


_OUTPUTS = {"result": files.result, "assessment": files.assessment, "output": files.output}


def _fields(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    found: Iterable[Mapping[str, Any]] = result.get("fields", ())
    return [{key: field.get(key) for key in ("name", "value", "confidence", "page", "box")} for field in found]


def _error(board: WorkflowSteps) -> str | None:
    if board.outcome == Outcome.PARTIAL:
        return str(board.data[PARTIAL_AT]["reason"])
    steps = [step for step in board.data.as_dict().values() if isinstance(step, dict)]
    return next((step["error"] for step in steps if step.get("status") == StepStatus.FAILED and "error" in step), None)


def _json(store: DocumentFiles, name: str) -> Any:
    try:
        return json.loads(store.read(name))
    except NotFound:
        return None

"""Processing of local files for the process and demo commands: begin, follow, describe."""

import json
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.conf import settings

from config.errors import CountersignError, NotFound, Refused
from projects.audit.events import Actor
from projects.documents import queries as documents_queries
from projects.documents.items import ChildDocument, DocumentStatus, UnpackingStatus
from projects.settings.items import Project
from workflows.definitions.blueprint import is_approval
from workflows.intake import inspection_pool, upload
from workflows.intake.store import LocalFile, enter
from workflows.intake.tasks import order_unpacking_soon
from workflows.runs import queries
from workflows.runs.items import PARTIAL_AT, Outcome, Run, StepStatus, WorkflowSteps
from workflows.stages.formats import CONTAINERS
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

IN_REVIEW = "in_review"


@dataclass(frozen=True)
class Container:
    """An email or archive that was accepted: its document, from which others are extracted."""

    site: str
    project_id: str
    document_id: str
    file: str
    file_type: str


@dataclass(frozen=True)
class Job:
    """One file: its run, its container, or the reason why it has neither.

    ``children``: files extracted from a container so far; ``out_of``: the container that it was extracted from.
    """

    path: Path
    run: Run | None
    error: str | None = None
    outcome: str | None = None  # an Outcome, ``in_review``, ``unpacked``, or None while in progress
    review_id: str | None = None
    container: Container | None = None
    children: tuple["Job", ...] = ()
    out_of: Container | None = None


def is_loaded(site: str, project_id: str, document_id: str) -> bool:
    """Return True if the document has had a run in the project."""
    try:
        queries.project_document(site, project_id, document_id)
    except NotFound:
        return False
    return True


def begin_job(site: str, project: Project, path: Path, *, by: Actor, document_id: str | None = None) -> Job:
    """Inspect and store the file and start its run, or its extraction; a refusal is a result, not an error.

    Raises:
        Unavailable: a service does not answer.

    """
    document_id = document_id or str(uuid.uuid4())
    try:
        if not path.is_file():
            return Job(path, None, "There is no such file.", "failed")
        if path.stat().st_size > settings.UPLOAD_MAX_BYTES:
            return Job(path, None, upload.too_large(), "failed")
        found = inspection_pool.inspect(path, path.name, containers=True)
    except (CountersignError, OSError) as error:
        return Job(path, None, str(error), "failed")
    try:
        run = enter(site, project, document_id, LocalFile(path, path.name, found), by=by)
    except Refused as error:
        return Job(path, None, str(error), "failed")
    if run:
        return Job(path, run)
    order_unpacking_soon(site, document_id)
    return Job(path, None, container=Container(site, project.id, document_id, str(path), found.file_type))


def update_job(job: Job) -> Job:
    """Return the current job; settled once its run, or each file extracted from it, has ended or is in review."""
    if job.outcome:
        return job
    if job.container:
        return _look_into(job, job.container)
    if job.run is None:
        return job
    board = queries.board(job.run.site, job.run.workflow_id)
    if board.outcome:
        return replace(job, outcome=str(board.outcome))
    if not is_approval(str(board.current_step)):
        return job
    review_id = _review_id(job.run)  # the review is created a moment after the step
    return replace(job, outcome=IN_REVIEW, review_id=review_id) if review_id else job


def _look_into(job: Job, container: Container) -> Job:
    rows = documents_queries.document_rows(container.site, container.document_id)
    known = {_document_id(child): child for child in job.children}
    there = [one for one in rows.children if not one.deleted_at]
    children = [update_job(known.get(one.documentId) or _child(container, one)) for one in there]
    job = replace(job, children=tuple(children))
    record = rows.unpacking
    if record is None or record.status == UnpackingStatus.OPEN or not all(child.outcome for child in children):
        return job
    refused = [Job(Path(one["name"]), None, one["why"], "failed", out_of=container) for one in record.left_out]
    error = record.message or (None if children else record.why)
    outcome = DocumentStatus.UNPACKED if children else DocumentStatus.FAILED
    return replace(job, children=(*children, *refused), outcome=str(outcome), error=error)


def _child(container: Container, row: ChildDocument) -> Job:
    site, project_id = container.site, container.project_id
    if row.file_type in CONTAINERS:
        inner = Container(site, project_id, row.documentId, row.name, row.file_type)
        return Job(Path(row.name), None, container=inner, out_of=container)
    head = queries.project_document(site, project_id, row.documentId)
    return Job(Path(row.name), Run(site, project_id, row.documentId, str(head.workflow_id)), out_of=container)


def _document_id(job: Job) -> str | None:
    return job.run.document_id if job.run else job.container.document_id if job.container else None


def unfold_job(job: Job) -> Iterator[Job]:
    """Yield everything that was extracted from it, recursively, and then itself."""
    for child in job.children:
        yield from unfold_job(child)
    yield job


def _review_id(run: Run) -> str | None:
    event = queries.latest_event(run, "HUMAN_REVIEW_REQUIRED")
    return str(event.facts.as_dict()["review"]) if event else None


def describe_job(job: Job) -> dict[str, Any]:
    """Return a JSON object; confidence 0–1, page 0-based, box as fractions of the page.

    An email or archive lists the ids of its ``documents``. An extracted file has ``container``, the container's file,
    and ``container_id``, its document.
    """
    shape: dict[str, Any] = {
        "file": str(job.path),
        "document_id": _document_id(job),
        "workflow_id": None,
        "status": job.outcome or "running",
        "segments": 0,
        "fields": [],
        "review": {"required": False, "reasons": [], "review_id": None},
        "outputs": {},
        "error": job.error,
    }
    if job.out_of:
        shape |= {"container": job.out_of.file, "container_id": job.out_of.document_id}
    if job.container:
        shape["documents"] = [one for one in map(_document_id, job.children) if one]
    if job.run is None:
        return shape
    board = queries.board(job.run.site, job.run.workflow_id)
    store = DocumentFiles(job.run.site, job.run.project_id, job.run.document_id)
    names = {kind: name(job.run.workflow_id) for kind, name in _OUTPUTS.items()}
    found = {kind: content for kind, name in names.items() if (content := _json(store, name)) is not None}
    assessment = found.get("assessment", {})
    reasons = [reason["text"] for reason in assessment.get("reasons", ())]
    return shape | {
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

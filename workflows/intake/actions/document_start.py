"""A document enters: its rows and its first run come into being together, or not at all."""

import datetime as dt
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from config import clock, table
from config.errors import Unavailable
from config.transaction import Change, EventAt, Put, transact
from projects.documents.actions.documents import Content, NewDocument, create_document
from projects.documents.activity import ActivityType, record_activity
from workflows.engine import driver
from workflows.runs.actions import advance, document_rows
from workflows.runs.actions.document_rows import DocumentState, More
from workflows.runs.items import ProjectDocument
from workflows.runs.new_run import NewRun, Original
from workflows.runs.run import Run

log = logging.getLogger(__name__)


def start(new: NewRun, *, also: Sequence[Change] = ()) -> Run:
    """Create document, links, run, board and first event in one transaction, then start the engine.

    If the engine does not answer, the run stands and the sweeper starts it; nothing has to be uploaded again. ``also``
    is written with it or not at all.

    Raises:
        Conflict: the document exists, or one of ``also`` did not hold.
        Unavailable: the table does not answer; nothing was created.

    """
    changes, told = plan_entry(new, clock.now())
    transact([*changes, *also], *told)
    start_engine(new)
    return new.run


def plan_entry(new: NewRun, at: dt.datetime) -> tuple[list[Change], list[EventAt]]:
    """All that the document comes into being by together with its first run, and the events of it."""
    run, by, now = new.run, new.by, clock.iso(at)
    document = new_document(run, new.project, new.original, parent_id=new.parent_id)
    row = project_document(run, new.project, new.original, new.position.document, now, chosen=new.chosen)
    more = More(classification_id=document.classification_id)
    changes = advance.write(None, new.position, now, new_rows=new.rows(now), more=more)
    told = [
        new.begin_event,
        record_activity(run.site, run.document_id, ActivityType.CREATE, by=by, name=new.original.name),
    ]
    return [Put(row), *changes, *create_document(run.site, document, by=by, at=at)], told


def start_engine(new: NewRun) -> None:
    """Once the rows are written; if the engine does not answer, the sweeper starts the run."""
    ids = {"run": new.run.workflow_id, "document": new.run.document_id, "site": new.run.site}
    log.info("run created", extra=ids)
    try:
        driver.start(
            new.run,
            new.definition,
            attempt=1,
            start_at=new.definition.steps[0].name,
            file_name=new.original.name,
            project_name=new.project_name,
        )
    except Unavailable:
        log.warning("engine did not answer, the sweeper starts the run", extra=ids)


def content_of(original: Original) -> Content:
    return Content(original.file_type, original.file_size, original.s3_key, original.sha256, original.s3version or None)


def new_document(run: Run, project: Mapping[str, Any], original: Original, *, parent_id: str = "") -> NewDocument:
    return NewDocument(
        document_id=run.document_id,
        project_id=run.project_id,
        project_name=str(project.get("name") or ""),
        name=original.name,
        content=content_of(original),
        classification_id=str(project.get("classification_id") or ""),
        parent_id=parent_id,
        queue=str(project.get("review_queue") or ""),
    )


def project_document(
    run: Run, project: Mapping[str, Any], original: Original, state: DocumentState, now: str, *,
    chosen: Mapping[str, str] | None = None,
) -> ProjectDocument:  # fmt: skip
    key = table.PROJECT_DOCUMENT.key(run.site, project_id=run.project_id, document_id=run.document_id)
    return ProjectDocument(
        key.pk,
        key.sk,
        **document_rows.columns(run, state, now),
        data={
            "document_id": run.document_id,
            "project_id": run.project_id,
            "name": original.name,
            "file_type": original.file_type,
            "file_size": original.file_size,
            "status": state.step_status.value,
            "s3_key": original.s3_key,
            "language": str(project.get("language") or "en"),
            **(chosen or {}),
        },
        name=original.name,
        document_id=run.document_id,
        project_id=run.project_id,
        project_name=str(project.get("name") or "") or None,
        file_type=original.file_type,
        file_size=original.file_size,
        page_count=original.page_count,
        created_at=now,
    )

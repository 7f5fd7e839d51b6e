"""Writes that create a document, or add a file version, together with its run: all rows or none."""

import datetime as dt
import logging
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext
from pynamodb.expressions.update import Action

from config import clock, table
from config.errors import Conflict, Refused, Unavailable
from config.phrase import Phrase, Sentence
from config.transaction import EXISTS, Change, EventAt, Put, Update, transact
from projects.documents.actions.documents import CHECKSUM_TYPE, Content, NewDocument, create_document, version_row
from projects.documents.activity import ActivityChange, ActivityType, explain_lock, record_activity
from projects.documents.items import Document
from projects.documents.queries import get_document
from projects.folders import placing
from projects.folders.placing import Place
from workflows.engine import driver
from workflows.runs import queries
from workflows.runs.actions import advance, document_rows
from workflows.runs.actions.document_rows import DocumentState, More
from workflows.runs.items import ProjectDocument, Run, StepStatus, WorkflowSteps
from workflows.runs.new_run import NewRun, Original
from workflows.stages.formats import CONTAINERS

log = logging.getLogger(__name__)


def start(new: NewRun, *, also: Sequence[Change] = ()) -> Run:
    """Create document, links, run, board and first event in one transaction, then start the engine.

    If the engine does not answer, the run exists and the sweeper starts it; the upload need not be repeated. ``also``
    is written in the same transaction.

    Raises:
        Conflict: the document exists, or a condition of ``also`` failed.
        Refused: its folder is gone.
        Unavailable: the table does not answer; nothing was created.

    """

    def write(place: Place | None) -> None:
        changes, told = plan_entry(new, clock.now(), place)
        transact([*changes, *also], *told)

    placing.write_filed(new.run.site, new.folder_id, new.original.name, write)
    start_engine(new)
    return new.run


def plan_entry(new: NewRun, at: dt.datetime, place: Place | None = None) -> tuple[list[Change], list[EventAt]]:
    """Return all changes that create the document with its first run, and their events."""
    run, by, now = new.run, new.by, clock.iso(at)
    document = new_document(run, new.project, new.original, parent_id=new.parent_id, place=place)
    row = project_document(run, new.project, new.original, new.position.document, now, chosen=new.chosen)
    more = More(classification_id=document.classification_id)
    changes = advance.write(None, new.position, now, new_rows=new.rows(now).all, more=more)
    told = [
        new.begin_event,
        record_activity(run.site, run.document_id, ActivityType.CREATE, by=by, name=new.original.name),
    ]
    return [Put(row), *changes, *create_document(run.site, document, by=by, at=at)], told


def start_engine(new: NewRun) -> None:
    """Start the engine once the rows are written; if it does not answer, the sweeper starts the run."""
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


def new_document(
    run: Run, project: Mapping[str, Any], original: Original, *, parent_id: str = "", place: Place | None = None
) -> NewDocument:
    return NewDocument(
        document_id=run.document_id,
        project_id=run.project_id,
        project_name=str(project.get("name") or ""),
        name=original.name,
        content=content_of(original),
        classification_id=str(project.get("classification_id") or ""),
        parent_id=parent_id,
        queue=str(project.get("review_queue") or ""),
        place=place,
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


UNDER_WAY = Sentence("A run of this document is in progress or needs review. Upload the new version when it has ended.")
CONTAINER = Phrase(
    "Files were unpacked from this document, so it cannot be replaced. Upload the newer file as a new document."
)
SAME = Phrase("This exact file was already reviewed. To analyze it again, open its run and select Re-run.")
_ATTEMPTS = 8


def check_takes_content(site: str, document: Document) -> ProjectDocument:
    """Return the document's row in its project, unless work is in progress that a new file version would break.

    Raises:
        NotFound: the document was deleted.
        Refused: a run is in progress, or in review.

    """
    if document.contentType in CONTAINERS:
        raise Refused(CONTAINER)
    row = queries.project_document(site, document.project_id, document.document_id)
    if row.status == StepStatus.IN_PROGRESS:
        raise Refused(UNDER_WAY)
    return row


def add_content(new: NewRun) -> Run:
    """Make ``new.original`` the document's current file version and begin its run, in one transaction.

    Raises:
        NotFound: no such document, or it was deleted.
        Refused: someone else has it checked out; a run is in progress, perhaps of a version that was uploaded
            concurrently; or it is the same file whose result a person decided.
        Unavailable: the table does not answer; nothing was changed.

    """
    later = dt.timedelta()
    for attempt in range(_ATTEMPTS):
        document = get_document(new.run.site, new.run.document_id)
        if told := explain_lock(document, new.by):
            raise Refused(told)
        before = check_takes_content(new.run.site, document)
        if before.decided and new.original.sha256 and new.original.sha256 == document.checksum:
            raise Refused(SAME)
        run = replace(new.run, project_id=document.project_id)
        new = replace(new, run=run, follows=before.workflow_id)
        try:
            _write(new, document, before, clock.now() + later)
        except Conflict as conflict:
            if "project_document" in conflict.failed:
                raise Refused(UNDER_WAY) from conflict
            if "document" not in conflict.failed:  # another version has the same second in its key
                later += dt.timedelta(seconds=1)
            time.sleep(random.uniform(0.005, 0.03) * (attempt + 1))
        else:
            start_engine(new)
            return run
    raise Conflict(gettext("This document is being changed by others. Nothing was changed; try again in a moment."))


def _write(new: NewRun, document: Document, before: ProjectDocument, at: dt.datetime) -> None:
    run, original, by = new.run, new.original, new.by
    version = version_row(
        run.site, document.document_id, name=original.name, content=content_of(original), by=by, at=at
    )
    now = clock.iso(clock.now())
    more = More(
        project_document=_project_document(original),
        project_document_if=document_rows.if_at_rest(),
        document=_document(document, original, at, now),
        document_if=Document.revision == document.revision,
        # Without a queue it stays in its current one until it is assessed, so that it is never visible to more people.
        queue=str(new.project.get("review_queue") or "") or None,
    )
    # The document's revision guards ``before`` too: whoever started another run has bumped it.
    shown = document_rows.state_of_row(before)
    changes = [
        *advance.write(shown, new.position, now, new_rows=new.rows(now).all, more=more),
        Put(version),
        *_replace_page_images(new, before),
    ]
    changed = ActivityChange("content", document.checksum, original.sha256)
    transact(
        changes,
        new.begin_event,
        record_activity(
            run.site,
            document.document_id,
            ActivityType.MODIFY,
            by=by,
            changes=[changed],
            name=document.name,
            version=version.key,
        ),
    )


def _project_document(original: Original) -> list[Action]:
    """Set what the document's row in its project says about its file."""
    values = {"s3_key": original.s3_key, "file_type": original.file_type, "file_size": original.file_size}
    path: Any = ProjectDocument.data
    pages = ProjectDocument.page_count
    return [
        *(path[name].set(value) for name, value in values.items()),
        ProjectDocument.runs.remove(),
        ProjectDocument.file_type.set(original.file_type),
        ProjectDocument.file_size.set(original.file_size),
        pages.set(original.page_count) if original.page_count is not None else pages.remove(),
    ]


def _document(document: Document, original: Original, at: dt.datetime, now: str) -> list[Action]:
    content = content_of(original)
    values: dict[str, Any] = {
        "contentType": content.file_type,
        "contentLength": content.file_size,
        "checksum": content.sha256,
        "checksumType": CHECKSUM_TYPE if content.sha256 else None,
        "s3version": content.s3version,
        "s3_key": content.s3_key,
        "content_at": table.datetime_s(at),
        "file_type": content.file_type,
        "file_size": content.file_size,
        "lastModifiedDate": now,
        "revision": int(document.revision) + 1,
    }
    named = {name: getattr(Document, name) for name in values}
    return [named[name].set(value) if value is not None else named[name].remove() for name, value in values.items()]


def _replace_page_images(new: NewRun, before: ProjectDocument) -> list[Change]:
    """Hand the page images of earlier runs over to this run, and say so on those runs' pages."""
    site, newer = new.run.site, WorkflowSteps.replaced_by.set(new.run.workflow_id)
    earlier = sorted({*(before.runs or ()), *filter(None, [new.follows])})
    return [Update(table.WORKFLOW_STEPS.key(site, workflow_id=one), [newer], EXISTS) for one in earlier]

"""Import of documents of the seed-000 system, so that they are listed, counted, searched and re-run like any other.

Rows of that system stay as they are. Only what they lack is added, so its own code can still read them.
"""

import datetime as dt
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.utils.translation import gettext

from config import clock, table
from config.brokers import queues
from config.errors import Conflict, Refused
from config.phrase import Phrase
from config.transaction import EXISTS, Change, Put, Update, transact
from projects.audit.events import Actor, entity_event
from projects.documents.actions.documents import Content, NewDocument, create_document
from projects.documents.activity import ActivityType, record_activity
from projects.documents.items import DocumentStatus
from projects.settings import queries as project_queries
from projects.settings.items import Project
from workflows.definitions import versions
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.definitions.seed_000 import TEN_STEPS
from workflows.runs import events, queries, run_settings, seed_000
from workflows.runs.actions import advance, document_rows
from workflows.runs.actions.document_rows import DocumentState
from workflows.runs.items import (
    END,
    RUN_ENDS,
    DocumentWorkflow,
    Execution,
    Outcome,
    ProjectDocument,
    ProjectWorkflow,
    Run,
)

_OUTCOMES = {"completed": Outcome.PUBLISHED, "failed": Outcome.FAILED}
UNDER_WAY = Phrase("The system that processes this document has not finished it. Import it when it has.")


def import_page(site: str, project_id: str, *, by: Actor, cursor: str | None = None) -> str | None:
    """Import one page of a project's documents, most recently changed first; return the cursor of the next page.

    Idempotent. Documents that the other system has not finished are left for later.

    Raises:
        NotFound: no such project, or the cursor belongs to another list.

    """
    pk = table.PROJECT_DOCUMENT.gsi1_partition(site, project_id=project_id)
    page = ProjectDocument.page(pk, index="GSI1", newest_first=True, cursor=cursor)
    foreign = [row for row in page.rows if seed_000.is_foreign(row)]
    if foreign:
        project = project_queries.get_project(site, project_id)
        seed_000.fill_documents(foreign)
        for row in foreign:
            with suppress(Refused):
                import_document(site, project, row, by=by)
    return page.next


def open_run(run: Run, step: str, *, by: Actor) -> Run:
    """Prepare a run of that system to be re-run from ``step``; its document is imported first if necessary.

    Raises:
        NotFound: its document is gone.
        Refused: ``step`` is not the first step, or that system has not finished the run.

    """
    if step != versions.active_definition().steps[0].name:
        raise Refused(gettext("Another system made this run. Re-run it from its first step."))
    row = queries.project_document(run.site, run.project_id, run.document_id)
    if seed_000.is_foreign(row):
        seed_000.fill_documents([row])
        import_document(run.site, project_queries.get_project(run.site, run.project_id), row, by=by)
    return run


def import_document(site: str, project: Project, row: ProjectDocument, *, by: Actor) -> bool:
    """Import a document in one transaction. Return False if it was imported meanwhile.

    ``row``: the document's row in its project, filled in.

    Raises:
        Refused: that system has not finished it.

    """
    document_id = str(row.document_id)
    link = seed_000.newest_link(site, document_id)
    outcome = _OUTCOMES.get(str(row.status))
    if link is None or outcome is None:
        raise Refused(UNDER_WAY)
    run = Run(site, project.id, document_id, str(link.SK).partition("#")[2])
    at = _came_at(row, link)
    state = DocumentState(DocumentStatus(outcome), run.workflow_id)
    changes = [
        _fill_project_row(run, row, state, at, {"project_name": project.settings.name, "page_count": _pages(link)}),
        *_run_rows(run, project, row, link, at),
        *document_rows.write_document(run, None, state, clock.iso(at)),
        *create_document(site, _new_document(run, project, row, state.status), by=by, at=at),
    ]
    told = events.lineage(run, "IMPORTED", by=by, facts={"status": state.status.value})
    activity = record_activity(site, document_id, ActivityType.CREATE, by=by, name=str(row.name))
    audit = entity_event(site, "document", document_id, "imported", by=by, payload={"project": project.id})
    try:
        transact(changes, told, activity, audit)
    except Conflict:
        return False
    which = {"site": site, "project_id": project.id, "document_id": document_id, "at": clock.iso(clock.now())}
    queues.enqueue_soon(events.INDEX, settings.SEARCH_QUEUE, which)
    return True


def _came_at(row: ProjectDocument, link: DocumentWorkflow) -> dt.datetime:
    told = getattr(row, "created_at", None) or link.created_at
    return clock.parse(str(told)) if told else clock.now()


def _new_document(run: Run, project: Project, row: ProjectDocument, status: DocumentStatus) -> NewDocument:
    content = Content(str(row.file_type), int(row.file_size or 0), str(row.data["s3_key"]))
    name = project.settings.name
    return NewDocument(run.document_id, run.project_id, name, str(row.name), content, status=status)


def _fill_project_row(
    run: Run, row: ProjectDocument, state: DocumentState, at: dt.datetime, more: Mapping[str, Any]
) -> Update:
    """``more``: what the row itself lacks. Its position in the project's list stays."""
    changed = clock.iso(clock.parse(str(row.updated_at))) if getattr(row, "updated_at", None) else clock.iso(at)
    values: dict[str, Any] = {
        **document_rows.columns(run, state, changed),
        "name": row.name,
        "document_id": run.document_id,
        "project_id": run.project_id,
        "file_type": row.file_type,
        "file_size": row.file_size,
        "created_at": clock.iso(at),
        **more,
    }
    actions = [
        getattr(ProjectDocument, name).set(value)
        for name, value in values.items()
        if value is not None and name != "GSI1PK"
    ]
    key = table.PROJECT_DOCUMENT.key(run.site, project_id=run.project_id, document_id=run.document_id)
    new = EXISTS & ProjectDocument.document_id.does_not_exist()
    return Update(key, actions, new, name="project_document")


def _pages(link: DocumentWorkflow) -> int | None:
    return int(link.data.as_dict().get("total_segments") or 0) or None


def _run_rows(
    run: Run, project: Project, row: ProjectDocument, link: DocumentWorkflow, at: dt.datetime
) -> list[Change]:
    """Build the run's execution, which has ended, and its row in the list of all runs of a document or web page."""
    now, began = clock.iso(clock.now()), clock.iso(at)
    pinned = run_settings.to_json(replace(run_settings.freeze(_settings_of(project, link)), fields=()))
    key = table.DOCUMENT_WORKFLOW.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id)
    more = {"settings": pinned, "definition": TEN_STEPS.id, "project_name": project.settings.name, "name": row.name}
    actions = [getattr(DocumentWorkflow, name).set(value) for name, value in more.items()]
    own: Change = Update(key, actions, EXISTS)
    if link.key != key:
        data = link.data.as_dict()
        copied = DocumentWorkflow(*key, data=data, created_at=began, updated_at=now)
        for name, value in more.items():
            setattr(copied, name, value)
        own = Put(copied, overwrite=True)
    in_project = table.PROJECT_WORKFLOW.key(run.site, project_id=run.project_id, workflow_id=run.workflow_id)
    data = {"file_name": row.name, "status": link.data["status"]}
    listed = ProjectWorkflow(*in_project, data=data, created_at=began, updated_at=now)
    return [Put(_execution(run, _OUTCOMES[str(row.status)], link, began, now)), own, Put(listed, overwrite=True)]


def _settings_of(project: Project, link: DocumentWorkflow) -> Mapping[str, Any]:
    told = link.data.as_dict()
    own = {name: told[name] for name in ("language", "document_prompt") if told.get(name)}
    return {**project.data.as_dict(), **own}


def _execution(run: Run, outcome: Outcome, link: DocumentWorkflow, began: str, now: str) -> Execution:
    key = advance.execution_key(run)
    place = clock.ulid_of(clock.parse(began), run.workflow_id)  # its own id is not a ULID
    return Execution(
        key.pk,
        key.sk,
        **table.EXECUTION.gsi1(run.site, workflow_id=DOCUMENT_ANALYSIS.name, execution_id=place),
        executionId=run.workflow_id,
        workflow_id=run.workflow_id,
        workflowId=DOCUMENT_ANALYSIS.name,
        definition=TEN_STEPS.id,
        status=RUN_ENDS[outcome],
        outcome=outcome,
        currentStep=END,
        pages=_pages(link),
        engine_attempt=1,
        triggeredBy=events.SYSTEM.name,
        project_id=run.project_id,
        document_id=run.document_id,
        createdAt=began,
        updatedAt=now,
    )

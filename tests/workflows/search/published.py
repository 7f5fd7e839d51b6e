"""Documents that are published without the machine's minutes, and events as the bus hands them on."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from config import clock, table
from projects.audit.events import Actor
from tests.factories import PROJECT_ID, SITE, sample_files, start_run
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.runs import queries
from workflows.runs.actions import advance
from workflows.runs.actions.advance import Advance
from workflows.runs.items import END, DocumentWorkflow, Outcome, Run
from workflows.search.index import SearchPage, search_index
from workflows.search.models import SearchDocument, SearchPart
from workflows.search.tasks import index_document
from workflows.search.words import parse_terms
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

ROSA = Actor("1", "Rosa Marin")


def publish(
    *pages: str, site: str = SITE, fields: Mapping[str, str] | None = None, outcome: Outcome = Outcome.PUBLISHED,
    project_id: str = PROJECT_ID,
) -> Run:  # fmt: skip
    """The clean sample, whose pages say this; one step long."""
    run = start_run(sample_files()[0], site=site, project_id=project_id)
    store = DocumentFiles(site, run.project_id, run.document_id)
    for index, text in enumerate(pages):
        store.write(files.segment(index), json.dumps({"text_content": text}).encode(), "application/json")
    found = [{"name": name, "label": name.title(), "value": value, "page": 0} for name, value in (fields or {}).items()]
    store.write(files.output(run.workflow_id), json.dumps({"fields": found}).encode(), "application/json")
    end(run, outcome, pages=len(pages))
    return run


def end(run: Run, outcome: Outcome = Outcome.PUBLISHED, *, pages: int = 1) -> None:
    key = table.DOCUMENT_WORKFLOW.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id)
    DocumentWorkflow.change(key, [DocumentWorkflow.data["total_segments"].set(pages)], DocumentWorkflow.PK.exists())
    move = Advance(DOCUMENT_ANALYSIS.step(1), END, 1, result="completed", outcome=outcome)
    advance.advance(run, DOCUMENT_ANALYSIS, move, last=queries.execution(run).last_transition)


def hear(run: Run, *, at: str = "") -> None:
    """An event of this document comes to the search index."""
    kwargs: dict[str, Any] = {"site": run.site, "project_id": run.project_id, "document_id": run.document_id}
    index_document.apply(kwargs=kwargs | {"at": at or clock.iso(clock.now())}, throw=True)


def found(text: str, *, site: str = SITE) -> list[str]:
    """The ids of the documents, the latest first."""
    return [hit.entry.document_id for hit in search(text, site=site).hits]


def search(text: str, *, site: str = SITE, cursor: str | None = None) -> SearchPage:
    return search_index().find(site, parse_terms(text), cursor=cursor)


def everything(site: str = SITE) -> list[Sequence[object]]:
    """All that the index finds of a site, without the names of generations."""
    found = []
    for one in SearchDocument.objects.filter(site=site, is_found=True).order_by("document_id"):
        parts = SearchPart.objects.filter(document=one, generation=one.generation).order_by("position")
        rows = list(parts.values_list("position", "kind", "page", "label", "text"))
        found.append((one.document_id, one.project_id, one.name, one.run_id, one.created_at, rows))
    return found

"""Training examples of an extractor: the pages of a project's reviewed documents, with their reviewed values."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from config.errors import NotFound
from projects.settings.columns import TABLE
from workflows.learning import reviewed
from workflows.learning.extractors.training import Example
from workflows.learning.lessons import ReviewedDocument, ReviewedField
from workflows.learning.reviewed import DecidedRun
from workflows.runs import queries, run_files
from workflows.stages import artifacts, results, segment_analyzer
from workflows.stages.fields.candidates import Document
from workflows.stages.pages.layout import Page
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

MOST_DOCUMENTS = 300  # latest reviewed ones


def list_examples(site: str, project_id: str) -> list[Example]:
    """Yield the latest published runs with a decision, one per document; for tasks: two objects a review."""
    newest: dict[str, Example] = {}
    for decided in reviewed.list_decided_runs(site, project_id):
        if decided.run.document_id not in newest and (example := make_example(decided)):
            newest[decided.run.document_id] = example
        if len(newest) == MOST_DOCUMENTS:
            break
    return list(newest.values())


def make_example(decided: DecidedRun) -> Example | None:
    """Return None if no field of it was reviewed."""
    fields = [one for one in decided.seen_fields if one["type"] != TABLE]
    truths = {str(one["name"]): decided.correct(one) for one in fields}
    if not truths:
        return None
    document = ReviewedDocument(
        decided.run.workflow_id,
        tuple(ReviewedField(name, str(one["type"]), None, truths[name], {}) for one in fields if (name := one["name"])),
    )
    classification: Mapping[str, Any] = decided.result.get("classification") or {}
    return Example(
        id=decided.run.workflow_id,
        fingerprint=document.fingerprint,
        group=document.seller or decided.run.document_id,
        type_id=str(classification.get("id") or ""),
        specs=results.fields_of({"fields": fields}),
        truths=truths,
        read=lambda: read_pages(decided),
    )


def read_pages(decided: DecidedRun) -> Document | None:
    """Return the pages that fields are extracted from; None if they are gone or of a newer file version."""
    try:
        return _read_pages(decided)
    except NotFound:
        return None


def _read_pages(decided: DecidedRun) -> Document | None:
    run, count = decided.run, len(decided.result["pages"])
    document = queries.document_workflow(run.site, run.document_id, run.workflow_id)
    if queries.board(run.site, run.workflow_id).replaced_by:
        return None
    store = run_files.files_of(run, document)
    wanted = (index for index in range(count) if segment_analyzer.is_searched(index, count))
    return Document(tuple(_list_pages(store, wanted)))


def _list_pages(store: DocumentFiles, wanted: Iterable[int]) -> Iterator[Page]:
    for index in wanted:
        segment = artifacts.read_json(store, files.segment(index))
        if segment["status"] != "failed":
            yield segment_analyzer.page_of(segment)

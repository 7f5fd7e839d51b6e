"""The reviews of a project as what can be learned from: each published result beside what a person made of it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from config import table
from config.errors import NotFound, Tampered
from workflows.learning.lessons import ReviewedDocument, ReviewedField
from workflows.runs.items.documents import ProjectWorkflow
from workflows.runs.items.runs import Execution
from workflows.runs.run import Run
from workflows.runs.status import Outcome
from workflows.stages import results
from workflows.stages.document_types import of_result
from workflows.stages.segment_analyzer import SOURCE
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

MOST_RUNS, MOST_DOCUMENTS = 5_000, 1_000  # looked through, and learned from; the last ones
_AT_ONCE = 100


def list_reviewed_documents(site: str, project_id: str) -> list[ReviewedDocument]:
    """The last decided runs that were published, the newest first.

    For a task: a Query and a BatchGetItem each hundred runs, two objects each review. Rejected documents teach
    nothing, since no one looked at their fields; deleted ones are gone.
    """
    found: list[ReviewedDocument] = []
    for execution in _list_decided_runs(site, project_id):
        document = _document(site, execution)
        if document:
            found.append(document)
        if len(found) >= MOST_DOCUMENTS:
            break
    return found


def _list_decided_runs(site: str, project_id: str) -> Iterator[Execution]:
    pk = table.PROJECT_WORKFLOW.partition_key(site, project_id=project_id)
    prefix = ProjectWorkflow.SK.startswith(table.PROJECT_WORKFLOW.sort_prefix())
    cursor, looked = None, 0
    while looked < MOST_RUNS:
        page = ProjectWorkflow.page(pk, sk=prefix, limit=_AT_ONCE, cursor=cursor, newest_first=True)
        ids = [str(row.SK).rpartition("#")[2] for row in page.rows]
        rows = Execution.load_many([table.EXECUTION.key(site, execution_id=one) for one in ids])
        published = [one for one in rows if one.decision_sha256 and one.outcome == Outcome.PUBLISHED]
        yield from sorted(published, key=lambda one: one.executionId, reverse=True)
        looked, cursor = looked + len(ids), page.next
        if cursor is None:
            return


def _document(site: str, execution: Execution) -> ReviewedDocument | None:
    run = Run(site, execution.project_id, execution.document_id, execution.executionId)
    store = DocumentFiles(site, run.project_id, run.document_id)
    decided = files.decision(run.workflow_id, str(execution.decision_id), str(execution.decision_sha256))
    try:
        result = json.loads(store.read_pinned(files.result(run.workflow_id), str(execution.result_sha256)))
        decision = json.loads(store.read_pinned(decided, str(execution.decision_sha256)))
    except (NotFound, Tampered):
        return None
    corrections = decision.get("corrections") or {}
    typed = of_result.apply_type_choice(result, corrections.get(of_result.KEY))
    unseen = set(decision.get("unseen") or ())  # approved without a look: they teach nothing
    fields = tuple(_fields([one for one in typed["fields"] if one["name"] not in unseen], corrections))
    return ReviewedDocument(run.workflow_id, fields) if fields else None


def _fields(found: Sequence[Mapping[str, Any]], corrections: Mapping[str, str | None]) -> Iterator[ReviewedField]:
    """What rules read; what stands for nothing found, or came from elsewhere, is not theirs to be judged by."""
    for field in found:
        name, kind, value = str(field["name"]), str(field["type"]), field.get("value")
        if value is not None and field.get("source") != SOURCE:
            continue
        corrected = corrections.get(name)
        truth = results.to_stored_form(kind, corrected or "") if name in corrections else value
        if value is not None or truth is not None:
            yield ReviewedField(name, kind, value, truth, _evidence(field))


def _evidence(field: Mapping[str, Any]) -> dict[str, float]:
    """Of the candidate that became the value: the first."""
    candidates = field.get("candidates") or [{}]
    return {name: float(share) for name, share in (candidates[0].get("evidence") or {}).items()}

"""Reviewed documents of a project as training data: each published result beside its corrections."""

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from config import table
from config.errors import NotFound, Tampered
from projects.settings.columns import TABLE
from workflows.learning.lessons import ReviewedDocument, ReviewedField
from workflows.runs.items import Execution, Outcome, ProjectWorkflow, Run
from workflows.stages import results
from workflows.stages.assessment.answers import Answer
from workflows.stages.document_types import of_result
from workflows.stages.fields.candidates import RULES
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

MOST_RUNS, MOST_DOCUMENTS = 5_000, 1_000  # latest runs that are searched, and documents that are learned from
_AT_ONCE = 100
_REJECT = "reject"  # as in a decision's object


@dataclass(frozen=True)
class DecidedRun:
    """The decision on a published run. ``result``: for the type that was chosen.

    ``unseen``: approved unread, or illegible, so the answer is unknown.
    """

    run: Run
    result: Mapping[str, Any]
    corrections: Mapping[str, str | None]
    unseen: frozenset[str]

    @property
    def seen_fields(self) -> list[Mapping[str, Any]]:
        return [one for one in self.result["fields"] if one["name"] not in self.unseen]

    def correct(self, field: Mapping[str, Any]) -> str | None:
        """Return the field's value after the decision; None if the document does not have it."""
        name = str(field["name"])
        if name not in self.corrections:
            return field.get("value")
        return results.to_stored_form(str(field["type"]), self.corrections[name] or "")


def list_reviewed_documents(site: str, project_id: str) -> list[ReviewedDocument]:
    """List the latest published runs with a decision, newest first, as training data.

    For tasks: a Query and a BatchGetItem each hundred runs, two objects each review. Rejected documents are omitted,
    since nobody reviewed their fields, and so are deleted ones.
    """
    documents = (
        ReviewedDocument(decided.run.workflow_id, fields)
        for decided in list_decided_runs(site, project_id)
        if (fields := tuple(_fields(decided)))
    )
    return list(itertools.islice(documents, MOST_DOCUMENTS))


def count_decided_runs(site: str, project_id: str, most: int) -> int:
    """Count published runs with a decision, up to ``most``, among the latest ones; for pages."""
    return sum(1 for _ in itertools.islice(_list_decided_executions(site, project_id, 2 * _AT_ONCE), most))


def list_decided_runs(site: str, project_id: str) -> Iterator[DecidedRun]:
    """Yield published runs with a decision, newest first, without those whose files are gone; for tasks."""
    for execution in _list_decided_executions(site, project_id):
        if found := _load_decided_run(site, execution):
            yield found


def _list_decided_executions(site: str, project_id: str, most: int = MOST_RUNS) -> Iterator[Execution]:
    pk = table.PROJECT_WORKFLOW.partition_key(site, project_id=project_id)
    prefix = ProjectWorkflow.SK.startswith(table.PROJECT_WORKFLOW.sort_prefix())
    cursor, looked = None, 0
    while looked < most:
        page = ProjectWorkflow.page(pk, sk=prefix, limit=_AT_ONCE, cursor=cursor, newest_first=True)
        ids = [str(row.SK).rpartition("#")[2] for row in page.rows]
        rows = Execution.load_many([table.EXECUTION.key(site, execution_id=one) for one in ids])
        published = [one for one in rows if one.decision_sha256 and one.outcome == Outcome.PUBLISHED]
        yield from sorted(published, key=lambda one: one.executionId, reverse=True)
        looked, cursor = looked + len(ids), page.next
        if cursor is None:
            return


def _load_decided_run(site: str, execution: Execution) -> DecidedRun | None:
    run = Run(site, execution.project_id, execution.document_id, execution.executionId)
    store = DocumentFiles(site, run.project_id, run.document_id)
    try:
        result = json.loads(store.read_pinned(files.result(run.workflow_id), str(execution.result_sha256)))
        decision = _read_truth(store, execution)
    except (NotFound, Tampered):
        return None
    if decision.get("decision") == _REJECT:  # published, and rejected by a second review
        return None
    corrections = decision.get("corrections") or {}
    typed = of_result.apply_type_choice(result, corrections.get(of_result.KEY))
    untaught = {name for name, one in (decision.get("answers") or {}).items() if one == Answer.ILLEGIBLE}
    return DecidedRun(run, typed, corrections, frozenset({*(decision.get("unseen") or ()), *untaught}))


def _read_truth(store: DocumentFiles, execution: Execution) -> dict[str, Any]:
    """Return the decision, or what adjudication found if a second review differs.

    Raises: NotFound; Tampered.
    """
    sha256 = str(execution.truth_sha256 or execution.decision_sha256)
    name = files.decision(execution.executionId, str(execution.decision_id), sha256)
    if execution.truth_sha256:
        name = files.adjudication(execution.executionId, sha256)
    found: dict[str, Any] = json.loads(store.read_pinned(name, sha256))
    return found


def _fields(decided: DecidedRun) -> Iterator[ReviewedField]:
    """Yield fields extracted by rules; values that were not found or came from elsewhere are omitted."""
    for field in decided.seen_fields:
        value, truth = field.get("value"), decided.correct(field)
        if field["type"] == TABLE or (value is not None and field.get("source") != RULES):
            continue
        if value is not None or truth is not None:
            yield ReviewedField(str(field["name"]), str(field["type"]), value, truth, _evidence(field))


def _evidence(field: Mapping[str, Any]) -> dict[str, float]:
    """Return the evidence of the chosen candidate: the first."""
    candidates = field.get("candidates") or [{}]
    return {name: float(share) for name, share in (candidates[0].get("evidence") or {}).items()}

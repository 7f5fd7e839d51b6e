"""A choice: which way a run goes on, by its fields as they stand; the engine only follows."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from workflows.definitions.blueprint import StepDefinition
from workflows.engine import step_outcome
from workflows.engine.step_work import StepOutcome, StepWork
from workflows.rules.routing import Facts, condition_sentences
from workflows.runs.items import DocumentWorkflow, Execution, Run
from workflows.stages import results
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

OTHERWISE = "otherwise"  # what a transition says if no case held


class Choice(NamedTuple):
    """``outcome``: empty if no case holds. ``why``: the case's conditions in words, and none of the document's."""

    outcome: str
    why: str


def take_case(work: StepWork) -> Mapping[str, Any]:
    """Leave the step by its first case that holds. Raises: Conflict if someone else was first; as ``choose``."""
    chosen = choose(work.run, work.step, work.execution, work.document)
    word = chosen.outcome or OTHERWISE
    return step_outcome.leave(work, StepOutcome(word, chosen.why, chosen.outcome, {"choice": word}))


def choose(run: Run, step: StepDefinition, execution: Execution, document: DocumentWorkflow) -> Choice:
    """The first case that holds. Raises: NotFound, Tampered if what was found or decided is gone."""
    facts = _facts(run, execution, document)
    for case in step.cases:
        if condition_sentences(case.conditions, facts) is not None:
            return Choice(case.outcome, "; ".join(one.words for one in case.conditions))
    return Choice("", f"Not so: {'; '.join(one.words for case in step.cases for one in case.conditions)}")


def _facts(run: Run, execution: Execution, document: DocumentWorkflow) -> Facts:
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    found = json.loads(store.read_pinned(files.result(run.workflow_id), str(execution.result_sha256)))
    merged = results.merge_corrections(found, corrections(store, run, execution))
    return Facts(str(document.data["file_type"]), fields=_values(merged))


def corrections(store: DocumentFiles, run: Run, execution: Execution) -> Mapping[str, str | None]:
    """What people have corrected so far: a later decision's object holds what the ones before it corrected."""
    if not execution.decision_id:
        return {}
    sha256 = str(execution.decision_sha256)
    name = files.decision(run.workflow_id, execution.decision_id, sha256)
    found: dict[str, str | None] = json.loads(store.read_pinned(name, sha256))["corrections"]
    return found


def _values(merged: Mapping[str, Any]) -> dict[str, Sequence[str]]:
    classified = merged.get("classification") or {}
    about = {"document_type": merged.get("document_type"), "classification": classified.get("name")}
    named: dict[str, Sequence[str]] = {name: [str(value)] for name, value in about.items() if value}
    return named | {one["name"]: [str(one["value"])] for one in merged["fields"] if one.get("value")}

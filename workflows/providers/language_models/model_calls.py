"""The requests and answers of a run's models, stored for inspection by people.

One object a request, among the document's own, so that it is deleted with the document; a repetition replaces it.
"""

import dataclasses
import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from config.errors import NotFound
from projects.prompts import actions as prompt_actions
from projects.prompts.queries import PromptRef
from workflows.providers.language_models.language_model import ModelCall
from workflows.runs.items import Run
from workflows.runs.run_files import files_of
from workflows.storage import files

_PARAMETERS = ("temperature", "most_tokens", "context", "images", "tools", "json_schema")


def record_calls(run: Run, calls: Sequence[ModelCall]) -> None:
    """Store the calls of one request, and that the run used this version of the prompt.

    Raises: Unavailable: the table or S3 does not answer.
    """
    if not calls:
        return
    first = calls[0]
    _record_use(run, first.purpose, first.pinned.scope, first.pinned.version, first.pinned.label)
    text = json.dumps({"version": 1, "calls": [_to_json(one) for one in calls]}, ensure_ascii=False)
    body = text.encode(errors="replace")  # a model may write half of a surrogate pair
    name = files.model_call(run.workflow_id, first.purpose, first.index, first.number)
    files_of(run).write(name, body, "application/json")


@lru_cache(maxsize=256)
def _record_use(run: Run, purpose: str, scope: str, version: int, label: str) -> None:
    """Once a process: every page of a document uses the same version."""
    ref = PromptRef(run.site, run.project_id, purpose, scope)
    prompt_actions.record_use(ref, version, label, workflow_id=run.workflow_id, document_id=run.document_id)


def load_calls(run: Run, purpose: str, index: int, number: int = 0) -> list[dict[str, Any]]:
    """Load the calls for a page or part, or a question about the page, in order; empty if there were none."""
    store = files_of(run)
    try:
        body = store.read(files.model_call(run.workflow_id, purpose, index, number))
    except NotFound:
        return []
    calls: list[dict[str, Any]] = json.loads(body)["calls"]
    return calls


def _parameters_of(call: ModelCall) -> dict[str, Any]:
    """Return the parameters that were sent."""
    names = _PARAMETERS if call.sent_temperature else [one for one in _PARAMETERS if one != "temperature"]
    return {name: getattr(call.spec, name) for name in names}


def _to_json(call: ModelCall) -> dict[str, Any]:
    return {
        "purpose": call.purpose,
        "index": call.index,
        "scope": call.pinned.scope,
        "prompt_version": call.pinned.version,
        "label": call.pinned.label,
        "model": call.model,
        "model_id": call.spec.id,
        "model_name": call.spec.name,
        "parameters": _parameters_of(call),
        "prompt_sha256": hashlib.sha256(json.dumps(dataclasses.astuple(call.prompt)).encode()).hexdigest(),
        "left_out": call.left_out,
        "instructions": call.prompt.instructions,
        "message": call.prompt.message,
        "with_image": call.with_image,
        "corrections": list(call.corrections),
        "answer": call.answer,
        "problem": call.problem,
        "usage": dataclasses.asdict(call.usage),
    }

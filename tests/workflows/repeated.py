"""Ended runs to be run again, brought about by the actions of the machine and without a worker."""

import itertools
import json
from typing import Any

from projects.audit.events import Actor
from tests.factories import start_run
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.documents.actions import reruns
from workflows.engine import interventions
from workflows.runs import queries
from workflows.runs.actions import advance, segments
from workflows.runs.actions.advance import Advance
from workflows.runs.items import END, Outcome, Run
from workflows.runs.run_files import files_of
from workflows.storage import files

BY = Actor("1", "Rosa Marin")
_WAY = ("segment_prep", "paddleocr_processor", "segment_builder", "segment_analyzer", "assess")


def field(name: str, value: str | None, confidence: float = 0.9, **more: Any) -> dict[str, Any]:
    return {
        "name": name, "label": name.capitalize(), "type": "text", "value": value, "confidence": confidence, "page": 0,
        "threshold": 0.8, "required": False, **more,
    }  # fmt: skip


def run_to_repeat() -> Run:
    """Cancelled behind its analysis, without a result."""
    run = _advanced(start_run(), "assess")
    interventions.cancel(run, by=BY)
    return run


def published_run(*fields: dict[str, Any]) -> Run:
    """A run of one page whose result has these fields."""
    return publish(start_run(), *fields)


def publish(run: Run, *fields: dict[str, Any]) -> Run:
    _advanced(run, "assess")
    ends = Advance(DOCUMENT_ANALYSIS.named("assess"), END, 1, result="completed", outcome=Outcome.PUBLISHED)
    advance.advance(run, DOCUMENT_ANALYSIS, ends, last=queries.execution(run).last_transition)
    body = json.dumps({"document_type": "receipt", "fields": fields}).encode()
    for name in (files.result, files.output):
        files_of(run).write(name(run.workflow_id), body, "application/json")
    return run


def analysed_again(run: Run, pinned: Any, *fields: dict[str, Any]) -> Run:
    """A second run beside ``run``, published too."""
    return publish(reruns.analyse_again(run, pinned, by=BY), *fields)


def _advanced(run: Run, to: str) -> Run:
    execution = queries.execution(run)
    way = [DOCUMENT_ANALYSIS.named(name) for name in _WAY]
    for step, following in itertools.pairwise(way):
        if int(execution.currentStep) > step.order or step.order >= DOCUMENT_ANALYSIS.named(to).order:
            continue
        facts = {"segment_count": 1} if step.name == "segment_prep" else {}
        move = Advance(step, following.order, 1, result="completed", facts=facts)
        advance.advance(run, DOCUMENT_ANALYSIS, move, last=queries.execution(run).last_transition)
    segments.write(run, 1)
    return run

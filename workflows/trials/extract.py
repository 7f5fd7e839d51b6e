"""The fields of a document as a run would read them with this model and these prompts, by the same code."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from config import clock
from config.errors import StageFailed
from projects.prompts.prompt import uses_placeholder
from workflows.providers.language_models.language_model import LanguageModel
from workflows.stages import artifacts, results, segment_analyzer
from workflows.stages.assessment import review_reasons
from workflows.stages.base import StageContext
from workflows.stages.document_types import of_result, typed
from workflows.stages.services import Services
from workflows.storage import files
from workflows.trials.documents import ReadDocument
from workflows.trials.outcome import Meter
from workflows.trials.outcome import Outcome as Outcome  # noqa: PLC0414 - what is given back is found beside it
from workflows.trials.outcome import TrialField as TrialField  # noqa: PLC0414 - as above


def extract_fields(model: LanguageModel, document: ReadDocument) -> Outcome:
    """Ask ``model`` about the pages that fields are read from, each once or as often as its answers need.

    Nothing is written but what ``model`` itself notes and records.

    Raises:
        ProviderPaused: the model does not answer for now.
        Unavailable: S3 does not answer.

    """
    if uses_placeholder(model.prompts.find("extract", document.settings.classification_id).prompt, "examples"):
        model = dataclasses.replace(model, examples=document.examples)
    meter = Meter(model)
    context = document.context(Services(analyst=meter.model))
    try:
        segment_analyzer.run(context)
    except StageFailed as error:
        return meter.outcome(problem=str(error))
    result: Mapping[str, Any] = artifacts.read_json(context.artifacts, files.result(document.workflow_id))
    reasons = _find_reasons(context, result)
    problems = _list_problems(context, document)
    return meter.outcome(
        () if all(problems) else _list_fields(result, reasons),
        problem=typed.find_unanswered(context) or next(filter(None, problems), ""),
        reasons=[reason.text for reason in reasons],
        document_type=str(result.get("document_type") or ""),
    )


def _find_reasons(context: StageContext, result: Mapping[str, Any]) -> Sequence[review_reasons.Reason]:
    fields = results.fields_of(result) if of_result.type_entry(result) else context.settings.fields
    return review_reasons.find_review_reasons(result, fields, today=clock.now().date().isoformat())


def _list_problems(context: StageContext, document: ReadDocument) -> list[str]:
    """Why no answer about a page could be had or taken, page by page; empty if one was."""
    problems = []
    for index in document.searched:
        segment = artifacts.read_json(context.artifacts, files.segment(index))
        problem = segment["error"] if segment["status"] == "failed" else segment.get("unanswered")
        problems.append(f"Page {index + 1}: {problem}" if problem else "")
    return problems


def _list_fields(result: Mapping[str, Any], reasons: Sequence[review_reasons.Reason]) -> list[TrialField]:
    problems: dict[str | None, str] = {}
    for reason in reasons:
        problems.setdefault(reason.field, reason.text)
    return [_field(one, problems.get(one["name"], "")) for one in result["fields"]]


def _field(found: Mapping[str, Any], problem: str) -> TrialField:
    box = found["box"]
    return TrialField(
        name=found["name"],
        label=found["label"],
        type=found["type"],
        value=found["value"],
        confidence=float(found["confidence"] or 0.0),
        page=found["page"],
        box=(box[0], box[1], box[2], box[3]) if box else None,
        problem=problem,
    )

"""The fields of a document as a run would read them with this model and these prompts, by the same code."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from config import clock
from config.errors import StageFailed
from workflows.providers.language_model import LanguageModel, ModelCall
from workflows.runs.prices import cost
from workflows.stages import artifacts, results, review_reasons, segment_analyzer
from workflows.stages.base import StageContext
from workflows.stages.document_types import of_result
from workflows.stages.pages.layout import Box
from workflows.stages.services import Services
from workflows.stages.usage import Usage
from workflows.storage import files
from workflows.trials.documents import ReadDocument


@dataclass(frozen=True)
class TrialField:
    """``confidence``: 0–1. ``page``: 0-based. ``box``: fractions of the page; None if the value stands nowhere on it.

    ``problem``: why a person would be asked about it; empty if no one would.
    """

    name: str
    label: str
    type: str
    value: str | None
    confidence: float
    page: int | None
    box: Box | None
    problem: str


@dataclass(frozen=True)
class Outcome:
    """``reasons``: why a person would look at the document. ``problem``: why there are no fields, or not of all pages.

    ``seconds``: that the model took. ``cost``: in dollars; ``unpriced``: some of it has no price.
    """

    fields: tuple[TrialField, ...]
    calls: tuple[ModelCall, ...]
    tokens_in: int
    tokens_out: int
    seconds: float
    cost: Decimal
    problem: str = ""
    reasons: tuple[str, ...] = ()
    document_type: str = ""
    unpriced: bool = False


def extract_fields(model: LanguageModel, document: ReadDocument) -> Outcome:
    """Ask ``model`` about the pages that fields are read from, each once or as often as its answers need.

    Nothing is written but what ``model`` itself notes and records.

    Raises:
        ProviderPaused: the model does not answer for now.
        Unavailable: S3 does not answer.

    """
    used: list[Usage] = []
    calls: list[ModelCall] = []

    def note(one: Usage) -> None:
        used.append(one)
        model.note(one)

    def record(some: Sequence[ModelCall]) -> None:
        calls.extend(some)
        model.record(some)

    asked = dataclasses.replace(model, note=note, record=record)
    context = document.context(Services(analyst=asked))
    try:
        segment_analyzer.run(context)
        result: Mapping[str, Any] = artifacts.read_json(context.artifacts, files.result(document.workflow_id))
    except StageFailed as error:
        return _outcome({"fields": []}, (), calls, used, str(error))
    return _outcome(result, _find_reasons(context, result), calls, used, _find_failure(context, document))


def _find_reasons(context: StageContext, result: Mapping[str, Any]) -> Sequence[review_reasons.Reason]:
    fields = results.fields_of(result) if of_result.type_entry(result) else context.settings.fields
    return review_reasons.find_review_reasons(result, fields, today=clock.now().date().isoformat())


def _find_failure(context: StageContext, document: ReadDocument) -> str:
    """The sentence of the first page that failed."""
    for index in document.searched:
        segment = artifacts.read_json(context.artifacts, files.segment(index))
        if segment["status"] == "failed":
            return f"Page {index + 1}: {segment['error']}"
    return ""


def _outcome(
    result: Mapping[str, Any],
    reasons: Sequence[review_reasons.Reason],
    calls: Sequence[ModelCall],
    used: Sequence[Usage],
    problem: str,
) -> Outcome:
    micros = [cost(one) for one in used]
    problems: dict[str, str] = {}
    for reason in reasons:
        problems.setdefault(reason.field or "", reason.text)
    return Outcome(
        fields=tuple(_field(one, problems) for one in result["fields"]),
        calls=tuple(calls),
        tokens_in=sum(one.tokens_in for one in used),
        tokens_out=sum(one.tokens_out for one in used),
        seconds=sum(one.ms for one in used) / 1000,
        cost=Decimal(sum(one or 0 for one in micros)) / 1_000_000,
        problem=problem,
        reasons=tuple(reason.text for reason in reasons),
        document_type=str(result.get("document_type") or ""),
        unpriced=None in micros,
    )


def _field(found: Mapping[str, Any], problems: Mapping[str, str]) -> TrialField:
    box = found["box"]
    return TrialField(
        name=found["name"],
        label=found["label"],
        type=found["type"],
        value=found["value"],
        confidence=float(found["confidence"] or 0.0),
        page=found["page"],
        box=(box[0], box[1], box[2], box[3]) if box else None,
        problem=problems.get(found["name"], ""),
    )

"""Trials by purpose of the prompt: each runs on a sample document by the same code as a run."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext

from config import clock
from config.errors import NotFound, Refused, StageFailed
from config.phrase import Phrase
from projects.prompts.prompt import uses_placeholder
from workflows.providers.language_models.language_model import LanguageModel
from workflows.runs import pinned_types
from workflows.stages import artifacts, document_summarizer, results, segment_analyzer
from workflows.stages.assessment import needs_review
from workflows.stages.base import StageContext
from workflows.stages.document_types import of_result, typed
from workflows.stages.document_types.types import OWN, RatedType
from workflows.stages.fields import given
from workflows.stages.models import model_summary
from workflows.stages.services import PageInquiry, Services, TypeQuestion
from workflows.storage import files
from workflows.trials.documents import ReadDocument
from workflows.trials.outcome import Meter, Outcome, TrialField


def extract_fields(model: LanguageModel, document: ReadDocument) -> Outcome:
    """Extract the fields of each page with ``model``, with retries for invalid answers.

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


def _find_reasons(context: StageContext, result: Mapping[str, Any]) -> Sequence[needs_review.Reason]:
    fields = results.fields_of(result) if of_result.type_entry(result) else context.settings.fields
    return needs_review.find_review_reasons(result, fields, today=clock.now().date().isoformat())


def _list_problems(context: StageContext, document: ReadDocument) -> list[str]:
    """List why there is no valid answer for a page, by page; empty if there was one."""
    problems = []
    for index in document.searched:
        segment = artifacts.read_json(context.artifacts, files.segment(index))
        problem = segment["error"] if segment["status"] == "failed" else segment.get("unanswered")
        problems.append(Phrase("Page %(index)s: %(problem)s").fill(index=index + 1, problem=problem) if problem else "")
    return problems


def _list_fields(result: Mapping[str, Any], reasons: Sequence[needs_review.Reason]) -> list[TrialField]:
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


_NO_TYPES = Phrase("This project detects no document types. Turn detection on in its settings, or try another prompt.")


def try_purpose(purpose: str, model: LanguageModel, document: ReadDocument, question: str = "") -> Outcome:
    """``question``: a person's question about the first page, for the purpose ``answer``.

    Raises:
        NotFound: there is no such purpose.
        Refused: the project does not do this.
        ProviderPaused: the model does not answer for now.
        Unavailable: S3 does not answer.

    """
    meter = Meter(model)
    try:
        match purpose:
            case "extract":
                return extract_fields(model, document)
            case "classify":
                return _classify(meter, document)
            case "summarize":
                return _summarize(meter, document)
            case "answer":
                return _answer(meter, document, question)
    except StageFailed as error:
        return meter.outcome(problem=str(error))
    raise NotFound(gettext("This project has no such prompt."))


def _classify(meter: Meter, document: ReadDocument) -> Outcome:
    types = pinned_types.load_types(document.run.site, document.settings.types_sha256)
    if not types.types:
        raise Refused(_NO_TYPES)
    text = "\n".join(row.text for page in document.pages[: typed.ASKED] for row in page.layout.rows)
    settings = document.settings
    question = TypeQuestion(text, document.pages[0].image, types.types, settings.document_prompt, settings.language)
    reply = meter.model.classify(question)
    rated = sorted([*reply.candidates, RatedType(OWN, reply.none)], key=lambda one: -one.confidence)
    names = {one.id: one.name for one in types.types} | {OWN: Phrase("None of these")}
    best = rated[0]
    fields = [TrialField("type", Phrase("Document type"), "text", names[best.id], best.confidence)]
    return meter.outcome(fields, text="\n".join(f"{names[one.id]}: {one.confidence:.0%}" for one in rated))


def _summarize(meter: Meter, document: ReadDocument) -> Outcome:
    described = [_describe_page(document, index) for index in document.searched]
    settings = document.settings
    text, _ = model_summary.summarize(
        meter.model, described, language=settings.language, prompt=settings.document_prompt,
        type_id=settings.classification_id,
    )  # fmt: skip
    return meter.outcome(text=text)


def _describe_page(document: ReadDocument, index: int) -> str:
    """Describe the page as the document's own run did, which is the input of a summary."""
    segment = json.loads(document.files.base.read(files.segment(index)))
    return str(document_summarizer.summarize_segment(index, segment)["description"])


def _answer(meter: Meter, document: ReadDocument, question: str) -> Outcome:
    page, settings = document.pages[0], document.settings
    text = "\n".join(row.text for row in page.layout.rows)
    reply = meter.model.inquire(
        PageInquiry(
            question, text, page.image, settings.language, settings.document_prompt, type_id=settings.classification_id
        )
    )
    box = given.locate_text(reply.quote, page.words) if reply.quote and page.image else None
    field = TrialField("answer", Phrase("Answer"), "answer", reply.content, 0.0, page.index, box)
    quote = TrialField("quote", Phrase("Quote"), "answer", reply.quote or None, 0.0)
    return meter.outcome([field, quote])

"""What each purpose of a prompt does with a sample document; fields are in ``extract``."""

import json

from config.errors import NotFound, Refused, StageFailed
from workflows.providers.language_models.language_model import LanguageModel
from workflows.runs import pinned_types
from workflows.stages import document_summarizer
from workflows.stages.document_types import typed
from workflows.stages.document_types.types import OWN, RatedType
from workflows.stages.fields import given
from workflows.stages.models import model_summary
from workflows.stages.services import PageInquiry, TypeQuestion
from workflows.storage import files
from workflows.trials.documents import ReadDocument
from workflows.trials.extract import extract_fields
from workflows.trials.outcome import Meter, Outcome, TrialField

_NO_TYPES = "This project detects no document types. Turn detection on in its settings, or try another prompt."


def try_purpose(purpose: str, model: LanguageModel, document: ReadDocument, question: str = "") -> Outcome:
    """``question``: what a person asks about the first page, for the purpose ``answer``.

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
    raise NotFound("There is no such prompt in this project.")


def _classify(meter: Meter, document: ReadDocument) -> Outcome:
    types = pinned_types.load_types(document.run.site, document.settings.types_sha256)
    if not types.types:
        raise Refused(_NO_TYPES)
    text = "\n".join(row.text for page in document.pages[: typed.ASKED] for row in page.layout.rows)
    settings = document.settings
    question = TypeQuestion(text, document.pages[0].image, types.types, settings.document_prompt, settings.language)
    reply = meter.model.classify(question)
    rated = sorted([*reply.candidates, RatedType(OWN, reply.none)], key=lambda one: -one.confidence)
    names = {one.id: one.name for one in types.types} | {OWN: "None of these"}
    best = rated[0]
    fields = [TrialField("type", "Document type", "text", names[best.id], best.confidence)]
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
    """As the document's own run described it, which is what a summary is written from."""
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
    field = TrialField("answer", "Answer", "answer", reply.content, 0.0, page.index, box)
    quote = TrialField("quote", "Quote", "answer", reply.quote or None, 0.0)
    return meter.outcome([field, quote])

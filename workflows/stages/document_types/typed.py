"""Classification in the analysis: the type found by rules or a model, and with it the fields to extract."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from config.errors import NotFound
from workflows.stages import artifacts, usage
from workflows.stages.base import FieldSpec, StageContext
from workflows.stages.document_types import classifier
from workflows.stages.document_types.types import OWN, RatedType, TypeRanking, TypeSpec
from workflows.stages.fields.candidates import Document
from workflows.stages.services import TypeQuestion, UnusableAnswer
from workflows.stages.usage import Usage
from workflows.storage import files

ASKED = 4  # pages whose text a model gets: the type shows at the beginning
_KEPT = 3  # candidates for fields of types that were not chosen


def ask_type(context: StageContext, document: Callable[[], Document], is_invoice: Callable[[], bool]) -> None:
    """Ask the run's model once for the same text and store its answer, which determines the fields of each page.

    If no answer is valid, the rules' classification is stored instead and needs a review.

    Raises:
        StageFailed: the model cannot be used.
        ProviderPaused: the service does not answer.

    """
    if context.services.analyst is None or not context.types.types:
        return
    text = document().text
    key = files.sha256(text.encode())
    name = files.doctype(context.workflow_id)
    if _read_type_answer(context).get("text_sha256") == key:
        return
    settings = context.settings
    question = TypeQuestion(
        text, _first_page_image(context), context.types.types, settings.document_prompt, settings.language
    )
    kept: dict[str, Any] = {"text_sha256": key, "attempt": context.attempt}
    try:
        reply = context.services.analyst.classify(question)
    except UnusableAnswer as error:
        kept |= {"unanswered": str(error), "used": usage.usage_to_store(error.usage)}
        found = classifier.rank_types(document(), context.types.types, is_invoice=is_invoice())
    else:
        kept["used"] = usage.usage_to_store(reply.usage)
        rated = sorted(reply.candidates, key=lambda one: -one.confidence)
        found = TypeRanking(tuple(rated), reply.model, reply.none)
    artifacts.write_json(context.artifacts, name, kept | {"found": found.to_json()})


def find_unanswered(context: StageContext) -> str:
    """Return why rules chose the type although a model was asked, or an empty text."""
    asked = context.services.analyst is not None and context.types.types
    return str(_read_type_answer(context).get("unanswered", "")) if asked else ""


def _read_type_answer(context: StageContext) -> Mapping[str, Any]:
    try:
        kept: Mapping[str, Any] = artifacts.read_json(context.artifacts, files.doctype(context.workflow_id))
    except NotFound:
        return {}
    return kept


def _first_page_image(context: StageContext) -> bytes | None:
    try:
        return context.artifacts.read(files.page_image(0))
    except NotFound:  # text has no page image
        return None


def type_usage(context: StageContext) -> tuple[Usage, ...]:
    """Return the usage of this attempt's request; a later attempt reuses the answer."""
    kept = _read_type_answer(context)
    return usage.read_usage(kept["used"]) if kept and kept.get("attempt", 1) == context.attempt else ()


def find_page_type(context: StageContext) -> tuple[str, tuple[FieldSpec, ...]]:
    """Return the classification and fields for extraction: of the type that a model found, if any."""
    kept = _read_type_answer(context) if context.types.types else {}
    best = TypeRanking.from_stored(kept["found"]).best if kept else None
    if best is None:
        return context.settings.classification_id, context.settings.fields
    return best.id, context.types.by_id[best.id].fields


def classify_document(context: StageContext, document: Document, *, is_invoice: bool) -> TypeRanking | None:
    """Return None if the run has no types to choose from."""
    if not context.types.types:
        return None
    kept = _read_type_answer(context) if context.services.analyst is not None else {}
    if kept:
        return TypeRanking.from_stored(kept["found"])
    return classifier.rank_types(document, context.types.types, is_invoice=is_invoice)


Read = Callable[[FieldSpec], dict[str, Any]]


def type_result_entry(
    context: StageContext, rated: TypeRanking, read: Read
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the result's ``type`` (workflows/stages/document_types/of_result.py) and its fields."""
    none = TypeSpec(OWN, "None of these", 0, context.settings.fields)
    shares = [*rated.candidates, RatedType(OWN, rated.none)]
    chosen = rated.best.id if rated.best else OWN
    by_id = {**context.types.by_id, OWN: none}
    entries = {
        one.id: {**by_id[one.id].head, "confidence": one.confidence, "fields": [read(f) for f in by_id[one.id].fields]}
        for one in shares
    }
    kind = entries.pop(chosen)
    fields: list[dict[str, Any]] = kind.pop("fields")
    kind |= {
        "threshold": context.settings.default_threshold,
        "required": context.settings.typing == "required",
        "source": rated.source,
        "candidates": [one | {"fields": _shorten_fields(one["fields"])} for one in entries.values()],
    }
    return kind, fields


def _shorten_fields(fields: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{**one, "candidates": one["candidates"][:_KEPT]} for one in fields]

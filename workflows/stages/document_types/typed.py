"""A document's type in the analysis: found by rules or by a model, and with it the fields that are read."""

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

ASKED = 4  # pages whose text a model is shown: a paper says what it is at its beginning
_KEPT = 3  # candidates of a field of a type that was not chosen


def ask_type(context: StageContext, document: Callable[[], Document], is_invoice: Callable[[], bool]) -> None:
    """Ask the run's model, once for the same text, and keep its answer: pages are asked for the fields of that type.

    If no answer can be taken, what rules find is kept in its place, and a person looks at it.

    Raises:
        StageFailed: the model cannot be asked.
        ProviderPaused: no one answers.

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
    """Why rules chose the type although a model was asked for it; empty if they did not."""
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
    except NotFound:  # text has no picture
        return None


def type_usage(context: StageContext) -> tuple[Usage, ...]:
    """What asking a model for the type took in this attempt: a later one reads the answer and pays nothing."""
    kept = _read_type_answer(context)
    return usage.read_usage(kept["used"]) if kept and kept.get("attempt", 1) == context.attempt else ()


def find_page_type(context: StageContext) -> tuple[str, tuple[FieldSpec, ...]]:
    """The classification that pages are read by, and its fields: of the type that a model found, where one did."""
    kept = _read_type_answer(context) if context.types.types else {}
    best = TypeRanking.from_stored(kept["found"]).best if kept else None
    if best is None:
        return context.settings.classification_id, context.settings.fields
    return best.id, context.types.by_id[best.id].fields


def classify_document(context: StageContext, document: Document, *, is_invoice: bool) -> TypeRanking | None:
    """None if the run has no types to find one among."""
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
    """The result's ``type`` (workflows/stages/document_types/of_result.py), and the fields that go with it."""
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

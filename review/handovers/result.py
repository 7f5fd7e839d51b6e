"""A review request stored as a result like a run's, so that the same review page works on it."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext

from config.errors import NotFound, Refused
from projects.schemas import queries as schema_queries
from projects.schemas.governed import list_governed_fields
from projects.schemas.governing import BOOLEANS
from projects.settings.columns import TABLE
from review.handovers.question import FieldAsked, Question
from workflows.stages import results
from workflows.stages.base import FieldSpec
from workflows.storage import files


def specs_of(site: str, question: Question) -> tuple[FieldSpec, ...]:
    """Return the field specs: the document type's attributes, then the caller's additional fields.

    Raises:
        Refused: the document type does not exist, or an allowed value has the wrong type.

    """
    governed: dict[str, FieldSpec] = {}
    policy = question.policy
    if question.schema_id:
        try:
            governing = schema_queries.get_governing(site, question.schema_id)
        except NotFound as error:
            raise Refused(
                gettext("Document type “%(schema_id)s” does not exist on site %(site)s.")
                % {"schema_id": question.schema_id, "site": site}
            ) from error
        for one in list_governed_fields((), policy.thresholds, governing):
            if one.type == TABLE:  # callers cannot send rows
                continue
            threshold = policy.default_threshold if one.threshold is None else one.threshold
            governed[one.name] = FieldSpec(
                one.name, one.label, one.type, one.required, threshold, one.allowed, one.default, one.date_range
            )
    own = (_spec(field, question) for field in question.fields if field.name not in governed)
    return (*governed.values(), *own)


def _spec(field: FieldAsked, question: Question) -> FieldSpec:
    threshold = question.policy.thresholds.get(field.name, question.policy.default_threshold)
    allowed = BOOLEANS if field.type == "boolean" else tuple(_list_allowed(field))
    label = field.label or field.name.replace("_", " ").capitalize()
    return FieldSpec(field.name, label, field.type, field.required, threshold, allowed)


def _list_allowed(field: FieldAsked) -> list[str]:
    stored = [results.to_stored_form(field.type, value) for value in field.allowed]
    if None in stored:
        raise Refused(
            gettext("Field %(name)s: an allowed value is not a valid %(type)s. %(type_2)s")
            % {"name": field.name, "type": field.type, "type_2": results.WRITE.get(field.type, "")}
        )
    return list(dict.fromkeys(str(one) for one in stored))


def result_content(question: Question, specs: Sequence[FieldSpec], sizes: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Build result.json; deterministic. ``sizes``: width and height of each page."""
    asked = {field.name: field for field in question.fields}
    return {
        "version": 1,
        "document_type": "question",
        "pages": [
            {"index": i, "width": width, "height": height, "image": files.page_image(i)}
            for i, (width, height) in enumerate(sizes)
        ],
        "fields": [_field(spec, asked.get(spec.name), len(sizes)) for spec in specs],
        "notes": [question.reason] if question.reason else [],
        "text": question.text,
    }


def _field(spec: FieldSpec, asked: FieldAsked | None, pages: int) -> dict[str, Any]:
    raw = asked.value if asked else None
    value = results.to_allowed_form(spec, raw) or results.to_stored_form(spec.type, raw) or raw.strip() if raw else None
    defaulted = not value and bool(spec.default)
    placed = asked is not None and asked.page is not None and asked.page < pages
    return {
        **dataclasses.asdict(spec),
        "value": spec.default if defaulted else value or None,
        "raw": raw,
        "confidence": 1.0 if defaulted else asked.confidence if asked and value else None,
        "page": asked.page if asked and placed else None,
        "box": list(asked.box) if asked and placed and asked.box else None,
        "source": "default" if defaulted else "caller",
        "candidates": [],
    }


def answer_fields(
    stored: Mapping[str, Any], corrections: Mapping[str, str | None], *, approved: bool
) -> list[dict[str, Any]]:
    """Return the final fields: the caller's values, replaced by approved corrections."""
    merged = results.merge_corrections({"classification": None, **stored}, corrections if approved else {})
    return [
        {"name": one["name"], "value": one["value"], "corrected": one["source"] == "reviewer"}
        for one in merged["fields"]
    ]

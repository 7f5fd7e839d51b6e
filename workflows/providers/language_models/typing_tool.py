"""The tool schema for document types, and the validation of answers."""

from collections.abc import Mapping, Sequence
from typing import Any

from workflows.providers.language_models.answers import SHARE, Problems
from workflows.stages.document_types.types import OWN, RatedType, TypeSpec

TOOL = "record_type"
NONE = "none_of_these"
_WITHIN = 0.05  # how far the sum of shares may be from 1: models do not add up well


def type_answer_schema(types: Sequence[TypeSpec]) -> dict[str, Any]:
    """Return the tool that the model has to call: types by id, since names are not unique."""
    known = [one.id for one in types]
    told = "; ".join(f"{one.id} = {describe_type(one)}" for one in types)
    rated = {
        "type": "object",
        "properties": {"type": {"type": "string", "enum": [*known, NONE]}, "confidence": SHARE},
        "required": ["type", "confidence"],
    }
    likely = {"type": "array", "items": rated, "minItems": 1, "description": f"The likeliest first. {told}"}
    return {
        "name": TOOL,
        "description": "Record which type of document this is. Call it exactly once.",
        "inputSchema": {"json": {"type": "object", "properties": {"types": likely}, "required": ["types"]}},
    }


def describe_type(one: TypeSpec) -> str:
    labels = ", ".join(spec.label for spec in one.fields[:12])
    return f"“{one.name}”, which has {labels}" if labels else f"“{one.name}”"


def check_type_answer(answer: Any, types: Sequence[TypeSpec]) -> tuple[RatedType, ...] | Problems:
    """Return every type and none (``OWN``) with its share; the rest goes to none."""
    entries = answer.get("types") if isinstance(answer, Mapping) else None
    if not isinstance(entries, list) or not entries:
        return Problems(("types has to be a list with at least one entry.",))
    known = {one.id: one.id for one in types} | {NONE: OWN}
    shares = dict.fromkeys(known.values(), 0.0)
    problems = []
    for entry in entries:
        name, share = (entry.get("type"), entry.get("confidence")) if isinstance(entry, Mapping) else (None, None)
        if name not in known:
            problems.append(f"{str(name)[:60]!r} is none of the types that were named.")
        elif isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            problems.append(f"{name}: confidence has to be a number from 0 to 1.")
        else:
            shares[known[name]] = max(shares[known[name]], float(share))
    if problems:
        return Problems(tuple(problems))
    whole = sum(shares.values())
    if whole > 1 + _WITHIN:
        shares = {name: share / whole for name, share in shares.items()}
    elif whole < 1:
        shares[OWN] += 1 - whole
    return tuple(RatedType(name, round(share, 4)) for name, share in shares.items())

"""Reasons for a review: each field against its threshold, its type and its plausible range."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from projects.settings.columns import TABLE
from workflows.stages.assessment.field_rules import Warn, describe_odd_value, list_contradictions, name_day
from workflows.stages.assessment.proofs import evidence_of
from workflows.stages.document_copy import WORDS, Copy
from workflows.stages.document_types import of_result
from workflows.stages.extractor.learned import SOURCE as EXTRACTOR
from workflows.stages.fields import dates
from workflows.stages.fields.candidates import GUESSED, RULES
from workflows.stages.results import Field, to_allowed_form, to_stored_form

_DOUBTS = frozenset({"low_confidence", "unverified"})  # codes that any other reason says more than
_READ_HERE = frozenset({RULES, EXTRACTOR})  # sources that read dates in the document's order
AUDIT = "Audit sample: randomly selected for review"


@dataclass(frozen=True)
class Reason:
    """A reason for a review.

    ``code``: low_confidence, ambiguous, unverified, missing, invalid, not_allowed, rule, check, type, unreadable, copy,
    entity, audit. ``field`` None: the document as a whole.
    """

    field: str | None
    code: str
    text: str


def find_review_reasons(result: Mapping[str, Any], fields: Iterable[Field], *, today: str) -> list[Reason]:
    """List the reasons for a review, mere doubts last; empty for none. ``today``: ISO date."""
    found = {field["name"]: field for field in result["fields"]}
    whole = [Reason(None, "unreadable", note) for note in result.get("notes", [])]
    if doubt := of_result.describe_type_doubt(result):
        whole.append(Reason(None, "type", doubt))
    fields = tuple(fields)
    asked = {field.name: _reason(field, found.get(field.name, {}), today) for field in fields}
    # Contradictions are not repeated for a field with a reason of its own, but say more than doubt alone.
    told = {name for name, one in asked.items() if one and one.code not in _DOUBTS}
    checks = [one for one in result.get("checks", ()) if one["field"] in asked and one["field"] not in told]
    failed = [Reason(one["field"], "check", one["text"]) for one in checks]
    told |= {one["field"] for one in checks}
    stored = {
        name: str(one["value"]) for name, one in found.items() if one.get("value") and _is_stored(asked.get(name))
    }
    failed += [
        Reason(_place(one, asked), "check", one.text)
        for one in list_contradictions(fields, stored)
        if told.isdisjoint({one.field, one.beside})
    ]
    contradicted = {one.field for one in failed}
    asking = [one for name, one in asked.items() if one and name not in contradicted]
    # The queue names the first of a document, so doubts come last.
    return [*whole, *sorted([*asking, *failed], key=lambda one: one.code in _DOUBTS)]


def _place(one: Warn, asked: Mapping[str, Reason | None]) -> str:
    """Return the field of a contradiction between two that is to be looked at: the doubted one, if only that is."""
    return one.beside if asked.get(one.beside) and not asked.get(one.field) else one.field


def _is_stored(reason: Reason | None) -> bool:
    return reason is None or reason.code not in {"invalid", "not_allowed"}


def _reason(field: Field, found: Mapping[str, Any], today: str) -> Reason | None:
    value = found.get("value")
    if not value:
        return Reason(field.name, "missing", f"{field.label} not found") if field.required else None
    stored = to_stored_form(field.type, value)
    if stored is None:
        return Reason(field.name, "invalid", f"{field.label} “{value[:40]}” is not a valid {field.type}")
    if (field.allowed or field.type == TABLE) and to_allowed_form(field, value) is None:
        return Reason(field.name, "not_allowed", f"{field.label} “{value[:40]}” is not an allowed value")
    doubt = _find_doubt(field, found, stored)
    if doubt is None or doubt.code in _DOUBTS:
        odd = describe_odd_value(field, stored, today)
        return Reason(field.name, "rule", odd) if odd else doubt
    return doubt


def _find_doubt(field: Field, found: Mapping[str, Any], stored: str) -> Reason | None:
    """Return why a valid value is uncertain. An ambiguous date is, whatever the threshold."""
    rated = found.get("confidence", 0.0)
    if other := _list_other_days(found):
        return Reason(field.name, "ambiguous", f"{field.label} could be {' or '.join(map(name_day, [stored, *other]))}")
    if rated is None or float(rated) < field.threshold:
        return Reason(field.name, "low_confidence", f"{field.label} {_describe_rating(rated, field.threshold)}")
    if "limit" in found and not found["proof"] and (doubt := _describe_limit(found["limit"], float(rated))):
        return Reason(field.name, "unverified", f"{field.label} {doubt}")
    return None


def _list_other_days(found: Mapping[str, Any]) -> list[str]:
    """List other readings of the date; none if the document shows its order."""
    if found.get("source") not in _READ_HERE or GUESSED not in evidence_of(found):
        return []
    return [one for one in dates.list_readings(str(found["raw"])) if one != found["value"]]


def _describe_limit(limit: float | None, rated: float) -> str:
    """Empty if this confidence keeps the project's error limit."""
    if limit is None:
        return "is not verified; too few reviews to rely on its confidence"
    return "" if rated >= limit else f"{_describe_rating(rated, limit)} to keep the error limit"


def _describe_rating(rated: float | None, threshold: float) -> str:
    if rated is None:  # another system may have no confidence
        return "has no confidence"
    # Rounded down: 79.6 % must not look like the 80 % it misses.
    return f"{int(float(rated) * 100 + 1e-9)} %, needs {round(threshold * 100)} %"


def is_sampled(workflow_id: str, share: float) -> bool:
    """Return whether a run is in the random ``share`` (0–1) of audits; deterministic by run."""
    place = int.from_bytes(hashlib.sha256(f"audit {workflow_id}".encode()).digest()[:8], "big")
    return place < share * 2**64


def build_assessment(
    result: Mapping[str, Any], fields: Sequence[Field], *, result_sha256: str, today: str, sampled: bool = False,
    copies: Sequence[Copy] = (), entities: Sequence[str] = (),
) -> dict[str, Any]:  # fmt: skip
    """Return the content of assessment.json. ``sampled``: reviewed as an audit, without doubts.

    ``entities``: what is inconsistent with known suppliers and other entities.
    """
    kinds = dict.fromkeys(one.kind for one in copies)
    found = [Reason(None, "copy", WORDS[one]) for one in kinds]
    found += [Reason(None, "entity", one) for one in entities]
    found += find_review_reasons(result, fields, today=today)
    if sampled and not found:
        found = [Reason(None, "audit", AUDIT)]
    return {
        "version": 1,
        "result_sha256": result_sha256,
        "review_required": bool(found),
        "reasons": [asdict(reason) for reason in found],
    }

"""Why a document goes to review: each field against its threshold, its type and what is plausible."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from projects.settings.values import date_range
from workflows.stages.assessment.field_rules import find_odd_date, list_contradictions, name_day
from workflows.stages.assessment.proofs import evidence_of
from workflows.stages.document_copy import WORDS, Copy
from workflows.stages.document_types import of_result
from workflows.stages.extractor.learned import SOURCE as EXTRACTOR
from workflows.stages.fields import dates
from workflows.stages.fields.candidates import GUESSED, RULES
from workflows.stages.results import Field, to_allowed_form, to_stored_form

_READ_HERE = frozenset({RULES, EXTRACTOR})  # sources that read dates by the order of their paper
AUDIT = "Audit sample: randomly selected for review"


@dataclass(frozen=True)
class Reason:
    """``code``: low_confidence, ambiguous, unverified, missing, invalid, not_allowed, rule, check, type, unreadable,
    copy, entity, audit.

    ``field`` None: the document as a whole.
    """

    field: str | None
    code: str
    text: str


def find_review_reasons(result: Mapping[str, Any], fields: Iterable[Field], *, today: str) -> list[Reason]:
    """Why a person should look, most telling first within a field; empty means no one needs to. ``today``: ISO date."""
    found = {field["name"]: field for field in result["fields"]}
    whole = [Reason(None, "unreadable", note) for note in result.get("notes", [])]
    if doubt := of_result.describe_type_doubt(result):
        whole.append(Reason(None, "type", doubt))
    fields = tuple(fields)
    asked = {field.name: _reason(field, found.get(field.name, {}), today) for field in fields}
    # What does not fit together is not said twice of a field that is looked at anyhow.
    checks = [one for one in result.get("checks", ()) if one["field"] in asked and asked[one["field"]] is None]
    failed = [Reason(one["field"], "check", one["text"]) for one in checks]
    told = {one["field"] for one in checks} | {name for name, one in asked.items() if one}
    stored = {
        name: str(one["value"]) for name, one in found.items() if one.get("value") and _is_stored(asked.get(name))
    }
    failed += [
        Reason(one.field, "check", one.text)
        for one in list_contradictions(fields, stored)
        if told.isdisjoint({one.field, one.beside})
    ]
    return [*whole, *(reason for reason in asked.values() if reason is not None), *failed]


def _is_stored(reason: Reason | None) -> bool:
    return reason is None or reason.code not in {"invalid", "not_allowed"}


def _reason(field: Field, found: Mapping[str, Any], today: str) -> Reason | None:
    value = found.get("value")
    if not value:
        return Reason(field.name, "missing", f"{field.label} not found") if field.required else None
    stored = to_stored_form(field.type, value)
    if stored is None:
        return Reason(field.name, "invalid", f"{field.label} “{value[:40]}” is not a valid {field.type}")
    if to_allowed_form(field, value) is None:
        return Reason(field.name, "not_allowed", f"{field.label} “{value[:40]}” is not an allowed value")
    if doubt := _find_doubt(field, found, stored):
        return doubt
    odd = find_odd_date(stored, today, date_range(field.name, field.type, field.date_range))
    return Reason(field.name, "rule", f"{field.label} {value} {odd}") if odd else None


def _find_doubt(field: Field, found: Mapping[str, Any], stored: str) -> Reason | None:
    """Why a possible value is not sure. A day that is one of two is doubted whatever the threshold is."""
    rated = found.get("confidence", 0.0)
    if other := _list_other_days(found):
        return Reason(field.name, "ambiguous", f"{field.label} could be {' or '.join(map(name_day, [stored, *other]))}")
    if rated is None or float(rated) < field.threshold:
        return Reason(field.name, "low_confidence", f"{field.label} {_describe_rating(rated, field.threshold)}")
    if "limit" in found and not found["proof"] and (doubt := _describe_limit(found["limit"], float(rated))):
        return Reason(field.name, "unverified", f"{field.label} {doubt}")
    return None


def _list_other_days(found: Mapping[str, Any]) -> list[str]:
    """The days that other countries read in the date; none if its paper tells the order."""
    if found.get("source") not in _READ_HERE or GUESSED not in evidence_of(found):
        return []
    return [one for one in dates.list_readings(str(found["raw"])) if one != found["value"]]


def _describe_limit(limit: float | None, rated: float) -> str:
    """Empty if what reviews told of values this sure keeps the project's error limit."""
    if limit is None:
        return "is not verified; too few reviews to rely on its confidence"
    return "" if rated >= limit else f"{_describe_rating(rated, limit)} to keep the error limit"


def _describe_rating(rated: float | None, threshold: float) -> str:
    if rated is None:  # another system may not know
        return "comes without a confidence"
    # Rounded down: 79.6 % must not read as the 80 % it misses.
    return f"{int(float(rated) * 100 + 1e-9)} %, needs {round(threshold * 100)} %"


def is_sampled(workflow_id: str, share: float) -> bool:
    """Whether a run is among the ``share`` (0–1) that is looked at for no reason but that; the same at each asking."""
    place = int.from_bytes(hashlib.sha256(f"audit {workflow_id}".encode()).digest()[:8], "big")
    return place < share * 2**64


def build_assessment(
    result: Mapping[str, Any], fields: Sequence[Field], *, result_sha256: str, today: str, sampled: bool = False,
    copies: Sequence[Copy] = (), entities: Sequence[str] = (),
) -> dict[str, Any]:  # fmt: skip
    """The content of assessment.json. ``sampled``: a person looks though nothing is in doubt.

    ``entities``: what of the document does not fit what is kept of suppliers and others.
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

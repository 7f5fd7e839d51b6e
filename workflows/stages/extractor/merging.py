"""Merging of learned values with others: agreement is evidence, and proved values stay."""

from collections.abc import Mapping, Sequence
from typing import Any

from projects.settings.columns import TABLE
from workflows.stages import results
from workflows.stages.assessment import proofs
from workflows.stages.extractor.choosing import HINTS, Choice, Hint, choose_values, confidence_of
from workflows.stages.extractor.learned import SOURCE, LearnedField
from workflows.stages.extractor.words import Words
from workflows.stages.field_spec import FieldSpec
from workflows.stages.fields import confidence, dates
from workflows.stages.fields.candidates import GUESSED, RULES, SPELLED, Candidate, Document

AGREED, DISPUTED = "learned", "disputed"  # evidence: the learned value agrees, or differs
_OPEN = frozenset({RULES, "default"})  # sources whose values it may replace
_SHOWN = 2  # learned candidates shown to the reviewer
# Replaces a value of the rules only if more likely right than wrong. Trained on generated receipts alone, F1 on 24
# others fell from 0.916 to 0.875 without this, and to 0.906 with it.
_SURE_ENOUGH = 0.5


def add_learned_values(
    fields: Sequence[Mapping[str, Any]],
    document: Document,
    learned: Mapping[str, LearnedField],
    *,
    calibrated: frozenset[str] = frozenset(),
) -> list[dict[str, Any]]:
    """Return the result's fields merged with learned values.

    ``calibrated``: fields with calibrated confidence, which weighs the agreement itself.
    """
    held = [dict(one) for one in fields]
    mine = [one for one in held if one["name"] in learned and one["type"] != TABLE]
    if not mine:
        return held
    words = Words(document)
    adds_up = any(proofs.find_proof(one, adds_up=False) == "sums" for one in held if one["type"] != TABLE)
    for one in mine:
        spec, known = FieldSpec.from_stored(one), learned[str(one["name"])]
        choices = [choice for choice in choose_values(words, spec, list_hints(one), known) if choice.share > 0]
        if choices and choices[0].value:
            proved = bool(proofs.find_proof(one, adds_up=adds_up))
            own = [_describe_choice(choice, known, document) for choice in choices if choice.value]
            _merge(one, own[:_SHOWN], proved=proved, is_calibrated=spec.name in calibrated)
    return held


def list_hints(field: Mapping[str, Any]) -> list[Hint]:
    """Return the rules' values with the prior's confidence: a calibration must not affect the learned part."""
    weights = confidence.prior_weights(str(field["name"]))
    found = []
    for one in field["candidates"]:
        evidence = one.get("evidence") or {}
        if "on_page" in evidence and "agreed" not in evidence:
            continue  # found by a service only
        if GUESSED in evidence and SPELLED in evidence:
            continue  # another country's reading of the previous one
        box = tuple(one["box"]) if one.get("box") else None
        found.append(
            Hint(one["value"], one.get("raw") or "", one.get("page"), box, confidence.share(weights, evidence))
        )
    return found[:HINTS]


def describe_candidates(found: Sequence[Candidate]) -> list[dict[str, Any]]:
    """Return the rules' candidates as stored in a result's field."""
    return [
        {"value": one.value, "raw": one.raw, "page": one.page, "box": list(one.box), "evidence": dict(one.evidence)}
        for one in found
    ]


def _merge(field: dict[str, Any], own: Sequence[dict[str, Any]], *, proved: bool, is_calibrated: bool) -> None:
    """``own``: learned values as candidates, best first."""
    best, kind, value = own[0], str(field["type"]), field["value"]
    if value is not None and results.normalise_value(kind, value) == results.normalise_value(kind, best["value"]):
        _note(field, AGREED)
        if not is_calibrated and not _is_guessed(field):
            field["confidence"] = max(field["confidence"], best["confidence"])
        return
    if value is not None:
        _note(field, DISPUTED)
    is_surer = value is None or (field["source"] in _OPEN and best["confidence"] >= _SURE_ENOUGH)
    if is_surer and not proved:
        shown = {name: best[name] for name in ("value", "raw", "confidence", "page", "box")}
        field.update(shown | {"source": SOURCE})
        field["candidates"] = _without_repeats(kind, [best, *field["candidates"], *own[1:]])
    else:
        field["candidates"] = _without_repeats(kind, [*field["candidates"], *own])


def _is_guessed(field: dict[str, Any]) -> bool:
    """Agreement on the same digits does not confirm the order of day and month."""
    return bool(field["candidates"] and (field["candidates"][0].get("evidence") or {}).get(GUESSED))


def _note(field: dict[str, Any], evidence: str) -> None:
    if field["candidates"]:
        first, *others = field["candidates"]
        field["candidates"] = [first | {"evidence": {**(first.get("evidence") or {}), evidence: 1.0}}, *others]


def _describe_choice(one: Choice, learned: LearnedField, document: Document) -> dict[str, Any]:
    """A date with ambiguous order does not gain confidence because its place was learned."""
    believed, evidence = confidence_of(one.share, learned), {SOURCE: round(one.share, 3)}
    if dates.depends_on_order(one.raw) and not dates.tells_order(document.text):
        believed, evidence[GUESSED] = min(believed, confidence.ONE_OF_TWO), 1.0
    return {
        "value": one.value,
        "raw": one.raw,
        "confidence": round(believed, 4),
        "page": one.page,
        "box": [round(edge, 5) for edge in one.box] if one.box else None,
        "evidence": evidence,
    }


def _without_repeats(kind: str, candidates: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for one in candidates:
        found.setdefault(results.normalise_value(kind, one["value"]), one)
    return list(found.values())

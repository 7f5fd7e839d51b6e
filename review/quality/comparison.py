"""Comparison of two decisions on the same result, field by field. Pure functions."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from config.phrase import Phrase
from review.status import Decision
from workflows.stages import results
from workflows.stages.document_types import of_result

TYPE_LABEL = Phrase("Document type")


@dataclass(frozen=True)
class FieldPair:
    """One field in both decisions, in stored form; None: no value. ``found``: the extracted value."""

    name: str
    label: str
    type: str
    found: str | None
    first: str | None
    second: str | None
    first_answer: str = ""
    second_answer: str = ""

    @property
    def is_same(self) -> bool:
        return self.equals(self.first, self.second)

    def equals(self, one: str | None, other: str | None) -> bool:
        if self.name == of_result.KEY:
            return one == other
        return results.normalise_value(self.type, one) == results.normalise_value(self.type, other)

    @property
    def corrected_by_first(self) -> bool:
        return not self.equals(self.found, self.first)

    @property
    def corrected_by_second(self) -> bool:
        return not self.equals(self.found, self.second)


@dataclass(frozen=True)
class Comparison:
    """``pairs``: fields of two approvals; otherwise no field is compared."""

    first: Decision
    second: Decision
    pairs: tuple[FieldPair, ...] = field(default_factory=tuple)

    @property
    def is_decided_alike(self) -> bool:
        return self.first == self.second

    @property
    def differences(self) -> tuple[FieldPair, ...]:
        return tuple(one for one in self.pairs if not one.is_same)

    @property
    def is_same(self) -> bool:
        return self.is_decided_alike and not self.differences


def compare_decisions(result: Mapping[str, Any], first: Mapping[str, Any], second: Mapping[str, Any]) -> Comparison:
    """``result``: the result of both; ``first`` and ``second``: the decisions' objects."""
    one, other = Decision(first["decision"]), Decision(second["decision"])
    if one != Decision.APPROVE or other != Decision.APPROVE:
        return Comparison(one, other)
    return Comparison(one, other, (*_compare_types(result, first, second), *_compare_fields(result, first, second)))


def compare_known(result: Mapping[str, Any], known: Mapping[str, str | None], decided: Mapping[str, Any]) -> Comparison:
    """Compare a decision with ``known`` values, field → stored value, on those fields only."""
    truth = {"decision": Decision.APPROVE, "corrections": dict(known)}
    found = compare_decisions(result, truth, decided)
    return replace(found, pairs=tuple(one for one in found.pairs if one.name in known))


def _compare_types(
    result: Mapping[str, Any], first: Mapping[str, Any], second: Mapping[str, Any]
) -> tuple[FieldPair, ...]:
    found = (of_result.type_entry(result) or {}).get("id")
    if found is None:
        return ()
    chosen = [(one.get("corrections") or {}).get(of_result.KEY, found) for one in (first, second)]
    return (FieldPair(of_result.KEY, TYPE_LABEL, "text", found, *chosen),)


def _compare_fields(
    result: Mapping[str, Any], first: Mapping[str, Any], second: Mapping[str, Any]
) -> tuple[FieldPair, ...]:
    """Compare the fields of both decisions, which may be of two document types."""
    typed = [
        of_result.apply_type_choice(result, (one.get("corrections") or {}).get(of_result.KEY))
        for one in (first, second)
    ]
    fields = {str(one["name"]): one for found in reversed(typed) for one in found["fields"]}
    return tuple(
        FieldPair(
            name,
            str(one.get("label") or name),
            str(one["type"]),
            one.get("value"),
            value_of(one, first),
            value_of(one, second),
            *(str((decided.get("answers") or {}).get(name) or "") for decided in (first, second)),
        )
        for name, one in fields.items()
    )


def value_of(found: Mapping[str, Any], decided: Mapping[str, Any]) -> str | None:
    """Return a field's value after a decision, in stored form; None if the document does not have it."""
    corrections, name = decided.get("corrections") or {}, str(found["name"])
    if name not in corrections:
        return found.get("value")
    return results.to_stored_form(str(found["type"]), corrections[name] or "")

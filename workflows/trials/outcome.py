"""Outcomes of trials: values, reasons for a review, and usage."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from projects.models.cost_words import describe_sum
from workflows.providers.language_models.language_model import LanguageModel, ModelCall
from workflows.runs.prices import cost
from workflows.stages.pages.layout import Box
from workflows.stages.usage import Usage, sum_usage


@dataclass(frozen=True)
class TrialField:
    """``type``: of a field; or answer, which has no confidence. ``confidence``: 0–1. ``page``: 0-based.

    ``box``: fractions of the page; None if the value is nowhere on it. ``problem``: why it would need review, or empty.
    """

    name: str
    label: str
    type: str
    value: str | None
    confidence: float
    page: int | None = None
    box: Box | None = None
    problem: str = ""


@dataclass(frozen=True)
class Outcome:
    """``reasons``: why the document would need review. ``problem``: why there are no fields, or not of all pages.

    ``text``: the output, if the purpose is a text. ``seconds``: taken by the model. ``cost``: in dollars; ``unpriced``:
    some of it has no price.
    """

    fields: tuple[TrialField, ...]
    calls: tuple[ModelCall, ...]
    tokens_in: int
    tokens_out: int
    seconds: float
    cost: Decimal
    problem: str = ""
    reasons: tuple[str, ...] = ()
    document_type: str = ""
    text: str = ""
    unpriced: bool = False


@dataclass
class Meter:
    """Collects a model's requests and usage, in addition to its own callbacks."""

    of: LanguageModel
    used: list[Usage] = field(default_factory=list)
    calls: list[ModelCall] = field(default_factory=list)

    @property
    def model(self) -> LanguageModel:
        return dataclasses.replace(self.of, note=self._note, record=self._record)

    def _note(self, one: Usage) -> None:
        self.used.append(one)
        self.of.note(one)

    def _record(self, some: Sequence[ModelCall]) -> None:
        self.calls.extend(some)
        self.of.record(some)

    def outcome(
        self,
        fields: Sequence[TrialField] = (),
        *,
        text: str = "",
        problem: str = "",
        reasons: Sequence[str] = (),
        document_type: str = "",
    ) -> Outcome:
        micros = [cost(one) for one in sum_usage(self.used)]  # pages are noted apart, without a price of their own
        return Outcome(
            fields=tuple(fields),
            calls=tuple(self.calls),
            tokens_in=sum(one.tokens_in for one in self.used),
            tokens_out=sum(one.tokens_out for one in self.used),
            seconds=sum(one.ms for one in self.used) / 1000,
            cost=Decimal(sum(one or 0 for one in micros)) / 1_000_000,
            problem=problem,
            reasons=tuple(reasons),
            document_type=document_type,
            text=text,
            unpriced=None in micros,
        )


@dataclass(frozen=True)
class StoredOutcome:
    """An outcome as stored; ``calls``: each as the page of a run's calls shows it."""

    fields: tuple[TrialField, ...]
    calls: tuple[Mapping[str, Any], ...]
    tokens_in: int
    tokens_out: int
    seconds: float
    micros: int
    problem: str
    reasons: tuple[str, ...]
    text: str
    unpriced: bool

    @property
    def money(self) -> str:
        return describe_sum(self.micros, unpriced=self.unpriced)

    @property
    def needs_review(self) -> bool:
        return bool(self.reasons)


def outcome_to_json(found: Outcome) -> dict[str, Any]:
    return {
        "fields": [dataclasses.asdict(one) for one in found.fields],
        "calls": [_call_to_json(one) for one in found.calls],
        "tokens_in": found.tokens_in,
        "tokens_out": found.tokens_out,
        "seconds": found.seconds,
        "micros": round(found.cost * 1_000_000),
        "problem": found.problem,
        "reasons": list(found.reasons),
        "text": found.text,
        "unpriced": found.unpriced,
    }


def outcome_from(stored: Mapping[str, Any]) -> StoredOutcome:
    fields = tuple(TrialField(**{**one, "box": tuple(one["box"]) if one["box"] else None}) for one in stored["fields"])
    rest = {name: value for name, value in stored.items() if name not in {"fields", "calls", "reasons"}}
    return StoredOutcome(fields=fields, calls=tuple(stored["calls"]), reasons=tuple(stored["reasons"]), **rest)


def _call_to_json(call: ModelCall) -> dict[str, Any]:
    given = call.answer
    return {
        "index": call.index,
        "model": call.model,
        "instructions": call.prompt.instructions,
        "message": call.prompt.message,
        "with_image": call.with_image,
        "words": given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, indent=2),
        "problem": call.problem,
    }

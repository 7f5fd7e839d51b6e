"""Which rules hold for a document, what they ask for, and why; pure, for whoever asks about one document.

Each ruleset decides at most once: the first of its rules that holds. What several rulesets ask for is laid together in
their order: of queue, definition and settings the first word counts, actions follow each other.
"""

import dataclasses
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any

_NUMBER = re.compile(r"-?(0|[1-9]\d{0,30})(\.\d{1,30})?")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_SHOWN = 80  # characters of a found value that an explanation repeats


class When(StrEnum):
    """When a rule is asked, stored as written. Before the analysis only the kind of file is known."""

    UPLOAD = "upload"
    ANALYSIS = "analysis"


class Source(StrEnum):
    """Seed 002's kinds of condition, stored as written."""

    CONTENT_TYPE = "CONTENT_TYPE"
    TEXT = "TEXT"
    BARCODE = "BARCODE"
    FIELD = "FIELD"
    ATTRIBUTE = "ATTRIBUTE"


class Operator(StrEnum):
    EQ = "EQ"
    NE = "NE"
    CONTAINS = "CONTAINS"
    GT = "GT"
    GE = "GE"
    LT = "LT"
    LE = "LE"
    EXISTS = "EXISTS"


KNOWN: Mapping[When, tuple[Source, ...]] = {
    When.UPLOAD: (Source.CONTENT_TYPE,),
    When.ANALYSIS: tuple(Source),
}
WORDS: Mapping[Operator, str] = {
    Operator.EQ: "is",
    Operator.NE: "is not",
    Operator.CONTAINS: "contains",
    Operator.GT: "is greater than",
    Operator.GE: "is at least",
    Operator.LT: "is less than",
    Operator.LE: "is at most",
    Operator.EXISTS: "is there",
}
NAMES: Mapping[Source, str] = {
    Source.CONTENT_TYPE: "Type of file",
    Source.TEXT: "Text",
    Source.BARCODE: "Barcode",
    Source.FIELD: "Field",
    Source.ATTRIBUTE: "Attribute",
}
_COMPARISONS = (Operator.GT, Operator.GE, Operator.LT, Operator.LE)
_KEYED = (Source.FIELD, Source.ATTRIBUTE)


@dataclass(frozen=True)
class Condition:
    """``key``: the field's name or the attribute's key, for those two sources. ``value``: empty for EXISTS."""

    source: Source
    operator: Operator
    value: str = ""
    key: str = ""

    @property
    def words(self) -> str:
        """``Field total is at least 1000``, as people read it."""
        what = f"{NAMES[self.source]} {self.key}".strip()
        value = "" if self.operator == Operator.EXISTS else f" “{self.value}”"
        return f"{what} {WORDS[self.operator]}{value}"


@dataclass(frozen=True)
class Act:
    """Something to do with the document once it is published. ``type``: an ActionType, as stored."""

    type: str
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Effect:
    """What a rule asks for; empty is no word on it. ``threshold``: 0–1.

    Definition and settings can be asked for before the run only.
    """

    definition: str = ""
    classification: str = ""
    language: str = ""
    threshold: float | None = None
    queue: str = ""
    actions: tuple[Act, ...] = ()


NO_EFFECT = Effect()


@dataclass(frozen=True)
class Rule:
    """One rule as a run pins it, with its ruleset's own place in the order."""

    id: str
    ruleset_id: str
    description: str
    when: When
    conditions: tuple[Condition, ...]
    effect: Effect
    priority: int = 0
    ruleset: str = ""
    ruleset_priority: int = 0

    @property
    def place(self) -> tuple[int, str, int, str]:
        """Small numbers first; ids settle what people gave the same number."""
        return self.ruleset_priority, self.ruleset_id, self.priority, self.id


@dataclass(frozen=True)
class Facts:
    """What is known of a document. ``pages``: the text of some of its pages. Values as stored, several for a key."""

    content_type: str
    pages: Sequence[str] = ()
    barcodes: Sequence[str] = ()
    fields: Mapping[str, Sequence[str]] = field(default_factory=dict)
    attributes: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def values_of(self, condition: Condition) -> Sequence[str]:
        match condition.source:
            case Source.CONTENT_TYPE:
                return (self.content_type,)
            case Source.TEXT:
                return self.pages
            case Source.BARCODE:
                return self.barcodes
            case Source.FIELD:
                return self.fields.get(condition.key, ())
        return self.attributes.get(condition.key, ())


@dataclass(frozen=True)
class Decision:
    """The rule that decided for its ruleset, and because of what, a sentence a condition."""

    rule_id: str
    ruleset_id: str
    rule: str
    ruleset: str
    why: tuple[str, ...]


@dataclass(frozen=True)
class Judgement:
    """What the rules say about one document at one time."""

    decisions: tuple[Decision, ...] = ()
    effect: Effect = NO_EFFECT

    @property
    def facts(self) -> dict[str, str]:
        """For the event that records it: the rules by the names that people gave them, nothing of the document."""
        return {"rules": "; ".join(one.rule for one in self.decisions)} if self.decisions else {}


@dataclass(frozen=True)
class Routing:
    """What a run freezes: the rulebook it pinned (sha256, empty for none), and what that said of the new document."""

    book: str = ""
    judgement: Judgement = Judgement()

    def to_json(self) -> str | None:
        return json.dumps(to_plain(self), ensure_ascii=False, separators=(",", ":")) if self != UNROUTED else None


UNROUTED = Routing()


def judge_rules(rules: Iterable[Rule], facts: Facts, when: When) -> Judgement:
    decisions: list[Decision] = []
    effect = Effect()
    settled: set[str] = set()
    for rule in sorted(rules, key=lambda one: one.place):
        if rule.when != when or rule.ruleset_id in settled:
            continue
        why = rule_reasons(rule, facts)
        if why is None:
            continue
        settled.add(rule.ruleset_id)
        decisions.append(Decision(rule.id, rule.ruleset_id, rule.description, rule.ruleset, why))
        effect = _merge_effects(effect, rule.effect)
    return Judgement(tuple(decisions), effect)


def _merge_effects(first: Effect, then: Effect) -> Effect:
    return Effect(
        definition=first.definition or then.definition,
        classification=first.classification or then.classification,
        language=first.language or then.language,
        threshold=then.threshold if first.threshold is None else first.threshold,
        queue=first.queue or then.queue,
        actions=first.actions + then.actions,
    )


def rule_reasons(rule: Rule, facts: Facts) -> tuple[str, ...] | None:
    """Why the rule holds, or None if it does not: all conditions have to be met, and everything meets none."""
    return condition_sentences(rule.conditions, facts) if rule.conditions else ("No conditions",)


def condition_sentences(conditions: Sequence[Condition], facts: Facts) -> tuple[str, ...] | None:
    """A sentence for each condition, or None if one is not met."""
    found = [_find_matching_value(condition, facts.values_of(condition)) for condition in conditions]
    if any(value is None for value in found):
        return None
    return tuple(_explain_condition(condition, value or "") for condition, value in zip(conditions, found, strict=True))


def _explain_condition(condition: Condition, value: str) -> str:
    if condition.source == Source.TEXT or condition.operator == Operator.EXISTS:
        return condition.words
    shown = value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…"
    return (
        condition.words if _fold_text(shown) == _fold_text(condition.value) else f"{condition.words}: it is “{shown}”"
    )


def _find_matching_value(condition: Condition, values: Sequence[str]) -> str | None:
    """The first value that meets the condition; of "is not", only if all of them do."""
    there = [value for value in values if value.strip()]
    met = [value for value in there if _holds(condition, value)]
    return None if not met or (condition.operator == Operator.NE and len(met) < len(there)) else met[0]


def _holds(condition: Condition, value: str) -> bool:
    match condition.operator:
        case Operator.EXISTS:
            return True
        case Operator.CONTAINS:
            return _fold_text(condition.value) in _fold_text(value)
        case Operator.EQ | Operator.NE:
            order = _compare_values(value, condition.value) if condition.source in _KEYED else None
            same = _fold_text(value) == _fold_text(condition.value) if order is None else order == 0
            return same == (condition.operator == Operator.EQ)
    order = _compare_values(value, condition.value)
    return order is not None and _COMPARED[condition.operator](order)


_COMPARED = {
    Operator.GT: lambda order: order > 0,
    Operator.GE: lambda order: order >= 0,
    Operator.LT: lambda order: order < 0,
    Operator.LE: lambda order: order <= 0,
}


def _compare_values(one: str, other: str) -> int | None:
    """-1, 0 or 1 of two numbers, or of two days; None for what is neither: text has no order that people agree on.

    A number with a leading zero is an id.
    """
    if _NUMBER.fullmatch(one.strip()) and _NUMBER.fullmatch(other.strip()):
        left, right = Decimal(one.strip()), Decimal(other.strip())
        return (left > right) - (left < right)
    if _DATE.fullmatch(one.strip()) and _DATE.fullmatch(other.strip()):
        return (one.strip() > other.strip()) - (one.strip() < other.strip())
    return None


def is_comparable(value: str) -> bool:
    """Whether GT, GE, LT and LE can be asked with this value."""
    return bool(_NUMBER.fullmatch(value) or _DATE.fullmatch(value))


def any_rule_reads(rules: Iterable[Rule], source: Source) -> bool:
    """Whether anybody has to look this up after the analysis."""
    return any(one.source == source for rule in rules if rule.when == When.ANALYSIS for one in rule.conditions)


def _fold_text(text: str) -> str:
    return " ".join(text.casefold().split())


# --- as JSON -----------------------------------------------------------------
def to_plain(value: Any) -> Any:
    """A rule, an effect or a judgement as JSON can hold it."""
    return json.loads(json.dumps(dataclasses.asdict(value)))

"""Rules: which ones match a document, what they ask for, and why. Pure functions on one document.

Each ruleset decides at most once, by its first matching rule. The effects of several rulesets are merged in their
order: for queue, definition and settings the first value wins, actions are appended.
"""

import dataclasses
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any

from config.phrase import Phrase, Sentence

_NUMBER = re.compile(r"-?(0|[1-9]\d{0,30})(\.\d{1,30})?")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_SHOWN = 80  # characters of a value that an explanation quotes


class When(StrEnum):
    """When a rule is evaluated, stored as written. Before the analysis only the kind of file is known."""

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
    Operator.NE: Phrase("is not"),
    Operator.CONTAINS: "contains",
    Operator.GT: Phrase("is greater than"),
    Operator.GE: Phrase("is at least"),
    Operator.LT: Phrase("is less than"),
    Operator.LE: Phrase("is at most"),
    Operator.EXISTS: Phrase("is there"),
}
NAMES: Mapping[Source, str] = {
    Source.CONTENT_TYPE: Phrase("Type of file"),
    Source.TEXT: Phrase("Text"),
    Source.BARCODE: Phrase("Barcode"),
    Source.FIELD: Phrase("Field"),
    Source.ATTRIBUTE: Phrase("Attribute"),
}
# As sentences, which pages translate: a run's history and its reviews keep them as text.
_NAMED: Mapping[Source, Sentence] = {
    Source.FIELD: Sentence("Field %(key)s"),
    Source.ATTRIBUTE: Sentence("Attribute %(key)s"),
}
_SAID: Mapping[Operator, Sentence] = {
    Operator.EQ: Sentence("%(what)s is “%(value)s”"),
    Operator.NE: Sentence("%(what)s is not “%(value)s”"),
    Operator.CONTAINS: Sentence("%(what)s contains “%(value)s”"),
    Operator.GT: Sentence("%(what)s is greater than “%(value)s”"),
    Operator.GE: Sentence("%(what)s is at least “%(value)s”"),
    Operator.LT: Sentence("%(what)s is less than “%(value)s”"),
    Operator.LE: Sentence("%(what)s is at most “%(value)s”"),
    Operator.EXISTS: Sentence("%(what)s is there"),
}
_COMPARISONS = (Operator.GT, Operator.GE, Operator.LT, Operator.LE)
_KEYED = (Source.FIELD, Source.ATTRIBUTE)


@dataclass(frozen=True)
class Condition:
    """``key``: the field's name or the attribute's key, for these two sources. ``value``: empty for EXISTS."""

    source: Source
    operator: Operator
    value: str = ""
    key: str = ""

    @property
    def words(self) -> Phrase:
        """Return the condition as people read it: ``Field total is at least 1000``."""
        named = _NAMED.get(self.source) if self.key else None
        what = named.fill(key=self.key) if named else NAMES[self.source]
        return _SAID[self.operator].fill(what=what, value=self.value)


@dataclass(frozen=True)
class Act:
    """An action on the document after its publication. ``type``: an ActionType, as stored."""

    type: str
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Effect:
    """The effect of a rule; empty values set nothing. ``threshold``: 0–1.

    Definition and settings can be set before the run only.
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
    """A rule as a run pins it, with its ruleset's place in the order."""

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
        """Return the sort key: lower numbers first, ids break ties."""
        return self.ruleset_priority, self.ruleset_id, self.priority, self.id


@dataclass(frozen=True)
class Facts:
    """What is known of a document. ``pages``: the text of some pages.

    Values are as stored, possibly several for a key.
    """

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
    """The rule that decided for its ruleset, and why: a sentence for each condition."""

    rule_id: str
    ruleset_id: str
    rule: str
    ruleset: str
    why: tuple[str, ...]


@dataclass(frozen=True)
class Judgement:
    """The result of evaluating the rules on one document at one time."""

    decisions: tuple[Decision, ...] = ()
    effect: Effect = NO_EFFECT

    @property
    def facts(self) -> dict[str, str]:
        """Return the facts for the audit event: the names of the rules, and nothing of the document."""
        return {"rules": "; ".join(one.rule for one in self.decisions)} if self.decisions else {}


@dataclass(frozen=True)
class Routing:
    """What a run freezes: the pinned rulebook (sha256, empty for none) and its result for the new document."""

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
    """Return why the rule matches, or None if it does not: all conditions must be met; no conditions always match."""
    return condition_sentences(rule.conditions, facts) if rule.conditions else (Phrase("No conditions"),)


def condition_sentences(conditions: Sequence[Condition], facts: Facts) -> tuple[str, ...] | None:
    """Return a sentence for each condition, or None if one is not met."""
    found = [_find_matching_value(condition, facts.values_of(condition)) for condition in conditions]
    if any(value is None for value in found):
        return None
    return tuple(_explain_condition(condition, value or "") for condition, value in zip(conditions, found, strict=True))


def _explain_condition(condition: Condition, value: str) -> str:
    if condition.source == Source.TEXT or condition.operator == Operator.EXISTS:
        return condition.words
    shown = value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…"
    return (
        condition.words
        if _fold_text(shown) == _fold_text(condition.value)
        else Sentence("%(condition)s: it is “%(value)s”").fill(condition=condition.words, value=shown)
    )


def _find_matching_value(condition: Condition, values: Sequence[str]) -> str | None:
    """Return the first value that meets the condition; for "is not", only if all values do."""
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
    """Compare two numbers or two days as -1, 0 or 1. None for anything else: text has no agreed order.

    A number with a leading zero is an id.
    """
    if _NUMBER.fullmatch(one.strip()) and _NUMBER.fullmatch(other.strip()):
        left, right = Decimal(one.strip()), Decimal(other.strip())
        return (left > right) - (left < right)
    if _DATE.fullmatch(one.strip()) and _DATE.fullmatch(other.strip()):
        return (one.strip() > other.strip()) - (one.strip() < other.strip())
    return None


def is_comparable(value: str) -> bool:
    """Return True if the value can be used with GT, GE, LT and LE."""
    return bool(_NUMBER.fullmatch(value) or _DATE.fullmatch(value))


def any_rule_reads(rules: Iterable[Rule], source: Source) -> bool:
    """Return True if any rule needs this source to be read after the analysis."""
    return any(one.source == source for rule in rules if rule.when == When.ANALYSIS for one in rule.conditions)


def _fold_text(text: str) -> str:
    return " ".join(text.casefold().split())


# --- as JSON -----------------------------------------------------------------
def to_plain(value: Any) -> Any:
    """Convert a rule, an effect or a judgement to JSON types."""
    return json.loads(json.dumps(dataclasses.asdict(value)))

"""Parsing of rules, effects and judgements from JSON, as ``rules.to_plain`` wrote them to the table and to S3."""

import json
from collections.abc import Mapping
from typing import Any

from workflows.definitions.rules import (
    UNROUTED,
    Act,
    Condition,
    Decision,
    Effect,
    Judgement,
    Operator,
    Routing,
    Rule,
    Source,
    When,
)


def rule_from(data: Mapping[str, Any]) -> Rule:
    conditions = tuple(condition_from(one) for one in data["conditions"])
    return Rule(**{**data, "when": When(data["when"]), "conditions": conditions, "effect": effect_from(data["effect"])})


def condition_from(data: Mapping[str, Any]) -> Condition:
    return Condition(Source(data["source"]), Operator(data["operator"]), data.get("value", ""), data.get("key", ""))


def effect_from(data: Mapping[str, Any]) -> Effect:
    threshold = data.get("threshold")
    acts = tuple(Act(one["type"], dict(one.get("parameters") or {})) for one in data.get("actions") or ())
    words = {name: str(data.get(name) or "") for name in ("definition", "classification", "language", "queue")}
    return Effect(**words, threshold=None if threshold is None else float(threshold), actions=acts)


def judgement_from(data: Mapping[str, Any]) -> Judgement:
    decisions = tuple(Decision(**{**one, "why": tuple(one["why"])}) for one in data["decisions"])
    return Judgement(decisions, effect_from(data["effect"]))


def read_routing(text: str | None) -> Routing:
    """Parse a run's routing; empty for runs from before there were rules."""
    data = json.loads(text) if text else None
    return Routing(data["book"], judgement_from(data["judgement"])) if data else UNROUTED

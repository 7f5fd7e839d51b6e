"""Writes of rules: both rows of a rule, its ruleset's version and the audit event in one transaction."""

from dataclasses import dataclass
from typing import Any

from pynamodb.expressions.update import Action

from config import clock, table
from config.errors import Conflict, Refused
from config.transaction import Change, Delete, Put, Update, transact
from projects.audit.events import Actor, entity_event
from workflows.routing import pinned_rules
from workflows.routing.actions.rulesets import touch_ruleset, who_was_first
from workflows.routing.items import ACTIVE, INACTIVE, StoredRule
from workflows.rules import routing
from workflows.rules.routing import KNOWN, Condition, Effect, When


@dataclass(frozen=True)
class RuleDraft:
    """What someone typed about a rule. ``priority``: 0 to 999,999, the smaller first."""

    description: str
    priority: int
    on: bool
    when: When
    conditions: tuple[Condition, ...]
    effect: Effect

    @property
    def status(self) -> str:
        return ACTIVE if self.on else INACTIVE

    @property
    def facts(self) -> dict[str, Any]:
        """As the audit tells it: plain values, lists as text."""
        return {
            "description": self.description,
            "priority": self.priority,
            "status": self.status,
            "when": self.when.value,
            "conditions": "; ".join(one.words for one in self.conditions),
            "effect": _drop_empty_entries(routing.to_plain(self.effect)),
        }


def create_rule(site: str, ruleset_id: str, draft: RuleDraft, *, by: Actor, rule_id: str) -> StoredRule:
    """Make the rule, or answer the one that the same form made before.

    Raises:
        Refused: it asks for what is not known then, or its ruleset is full.
        Conflict: the id is someone else's rule, or the ruleset was moved meanwhile.
        NotFound: no such ruleset.

    """
    _check(draft)
    ruleset = pinned_rules.get_ruleset(site, ruleset_id)
    if len(pinned_rules.list_rules(site, ruleset_id)) >= pinned_rules.MOST_RULES:
        raise Refused(f"A ruleset can have up to {pinned_rules.MOST_RULES} rules. Create another ruleset.")
    row = _row(site, ruleset_id, rule_id, draft, version=1, by=by, created_by=by.id)
    event = entity_event(site, "rule", rule_id, "created", by=by, payload={"ruleset": ruleset_id} | draft.facts)
    try:
        transact(
            [Put(row, name="rule"), Put(_by_status(site, row), overwrite=True), touch_ruleset(ruleset, by=by)], event
        )
    except Conflict as error:
        if "rule" not in error.failed:
            raise Conflict(who_was_first(site, ruleset_id)) from error
        made = pinned_rules.get_rule(site, ruleset_id, rule_id)
        if made.created_by != by.id:
            raise
        return made
    return row


def update_rule(site: str, ruleset_id: str, rule_id: str, draft: RuleDraft, *, version: int, by: Actor) -> None:
    """Change the rule that ``version`` showed; what is there already is not written.

    Raises:
        Refused: it asks for what is not known then.
        Conflict: someone changed it since; the message names who and when.
        NotFound: no such ruleset or rule.

    """
    _check(draft)
    before = pinned_rules.get_rule(site, ruleset_id, rule_id)
    if int(before.version) == version and draft_of(before) == draft:
        return
    row = _row(site, ruleset_id, rule_id, draft, version=version + 1, by=by, created_by=before.created_by or "")
    payload = {"ruleset": ruleset_id} | _diff_facts(draft_of(before).facts, draft.facts)
    changes: list[Change] = [
        Update(row.key, _set_every_attribute(row), StoredRule.version == version),
        touch_ruleset(pinned_rules.get_ruleset(site, ruleset_id), by=by),
        *_move_rule(_by_status(site, before), _by_status(site, row)),
    ]
    try:
        transact(changes, entity_event(site, "rule", rule_id, "updated", by=by, payload=payload))
    except Conflict as error:
        raise Conflict(_who_was_first(pinned_rules.get_rule(site, ruleset_id, rule_id))) from error


def delete_rule(site: str, ruleset_id: str, rule_id: str, *, version: int, by: Actor) -> None:
    """Delete the rule that ``version`` showed; runs that have begun keep the copy that they pinned.

    Raises:
        Conflict: someone changed it since; the message names who and when.
        NotFound: no such ruleset or rule, or it was deleted.

    """
    before = pinned_rules.get_rule(site, ruleset_id, rule_id)
    changes: list[Change] = [
        Delete(before.key, StoredRule.version == version),
        Delete(_by_status(site, before).key),
        touch_ruleset(pinned_rules.get_ruleset(site, ruleset_id), by=by),
    ]
    payload = {"ruleset": ruleset_id} | draft_of(before).facts
    try:
        transact(changes, entity_event(site, "rule", rule_id, "deleted", by=by, payload=payload))
    except Conflict as error:
        raise Conflict(_who_was_first(pinned_rules.get_rule(site, ruleset_id, rule_id))) from error


def _diff_facts(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    return {name: {"before": before[name], "after": value} for name, value in after.items() if before[name] != value}


def draft_of(stored: StoredRule) -> RuleDraft:
    found = stored.rule
    return RuleDraft(
        found.description, found.priority, stored.is_on, found.when, found.conditions, found.effect
    )  # fmt: skip


def _check(draft: RuleDraft) -> None:
    """The form says the same beside the input; this is for whoever comes without it."""
    unknown = [one.words for one in draft.conditions if one.source not in KNOWN[draft.when]]
    if unknown:
        raise Refused(f"{unknown[0]} is only available after analysis. Change the stage or remove the condition.")
    effect = draft.effect
    if draft.when == When.ANALYSIS and (
        effect.definition or effect.classification or effect.language or effect.threshold is not None
    ):
        raise Refused("Rules after analysis can only set queue and actions.")


def _move_rule(before: StoredRule, row: StoredRule) -> list[Change]:
    put = Put(row, overwrite=True)
    return [put] if before.key == row.key else [Delete(before.key), put]


def _set_every_attribute(row: StoredRule) -> list[Action]:
    """Every attribute as the row has it, for an update that a put could not make conditional on a version."""
    actions: list[Action] = []
    for attribute in StoredRule.get_attributes().values():
        value = getattr(row, str(attribute.attr_name))
        if attribute.attr_name in {"PK", "SK"}:
            continue
        actions.append(attribute.remove() if value is None else attribute.set(value))
    return actions


def _row(
    site: str, ruleset_id: str, rule_id: str, draft: RuleDraft, *, version: int, by: Actor, created_by: str
) -> StoredRule:
    parts: dict[str, Any] = {"ruleset_id": ruleset_id, "rule_id": rule_id, "priority": draft.priority}
    return StoredRule(
        *table.RULE.key(site, **parts),
        **table.RULE.gsi1(site, **parts),
        rulesetId=ruleset_id,
        documentId=rule_id,
        description=draft.description,
        name=draft.description,
        priority=draft.priority,
        workflowId=draft.effect.definition or None,
        conditions=[_drop_empty_entries(routing.to_plain(one)) for one in draft.conditions],
        status=draft.status,
        when=draft.when.value,
        effect=_drop_empty_entries(routing.to_plain(draft.effect)),
        version=version,
        created_by=created_by,
        updated_by=by.name,
        updated_at=clock.iso(clock.now()),
    )


def _by_status(site: str, row: StoredRule) -> StoredRule:
    parts: dict[str, Any] = {"ruleset_id": row.rulesetId, "rule_id": row.documentId, "priority": int(row.priority)}
    copy = StoredRule(
        *table.RULE_BY_STATUS.key(site, status=row.status, **parts), **table.RULE_BY_STATUS.gsi1(site, **parts)
    )
    for name in row.get_attributes():
        if name not in {"PK", "SK", "GSI1PK", "GSI1SK"}:
            setattr(copy, name, getattr(row, name))
    return copy


def _drop_empty_entries(data: dict[str, Any]) -> dict[str, Any]:
    """Without what says nothing: a row holds what was asked for."""
    return {name: value for name, value in data.items() if value not in (None, "", [], {})}


def _who_was_first(stored: StoredRule) -> str:
    at = f" on {clock.parse(stored.updated_at):%d %b %Y at %H:%M:%S} UTC" if stored.updated_at else ""
    return (
        f"{stored.updated_by or 'Another user'} changed this rule{at}. Your change was not saved. Check the current "
        "rule and try again."
    )

"""Writes of rulesets, rules and field mappings: one conditional transaction each, with its audit event."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock, table
from config.errors import Conflict, NotFound, Refused
from config.phrase import Phrase, Sentence, tell_who_was_first
from config.transaction import EXISTS, Change, Delete, Put, Update, transact
from projects.audit.events import Actor, entity_event
from workflows.definitions import rules
from workflows.definitions.rules import KNOWN, Effect, When
from workflows.definitions.rules import Condition as RoutingCondition
from workflows.routing import pinned_rules
from workflows.routing.items import ACTIVE, INACTIVE, Ruleset, StoredMapping, StoredRule


@dataclass(frozen=True)
class MappingDraft:
    """The input of a mapping. ``pairs``: field and attribute. ``project_id`` empty: for every project."""

    name: str
    description: str
    on: bool
    pairs: tuple[tuple[str, str], ...]
    project_id: str = ""

    @property
    def stored(self) -> dict[str, Any]:
        """Return the attributes of the row; None for missing ones."""
        return {
            "name": self.name,
            "description": self.description or None,
            "status": ACTIVE if self.on else INACTIVE,
            "attributes": [{"field": field, "attributeKey": key} for field, key in self.pairs],
            "project_id": self.project_id or None,
        }

    @property
    def facts(self) -> dict[str, Any]:
        """Return the facts for the audit event: plain values."""
        words = "; ".join(f"{field} → {key}" for field, key in self.pairs)
        return {name: value or "" for name, value in self.stored.items()} | {"attributes": words}


def create_mapping(site: str, draft: MappingDraft, *, by: Actor, mapping_id: str) -> StoredMapping:
    """Create the mapping, or return the one that the same form created before.

    Raises:
        Refused: the site has the maximum number, as all are read at each upload.
        Conflict: the id belongs to another mapping.

    """
    if len(pinned_rules.list_mappings(site)) >= pinned_rules.MOST_MAPPINGS:
        raise Refused(
            gettext("A site can have up to %(most_mappings)s field mappings. Extend an existing one.")
            % {"most_mappings": pinned_rules.MOST_MAPPINGS}
        )
    values: dict[str, Any] = table.MAPPING.gsi1(site, name=draft.name) | draft.stored
    row = StoredMapping(
        *table.MAPPING.key(site, document_id=mapping_id),
        **values,
        documentId=mapping_id,
        version=1,
        created_by=by.id,
        updated_by=by.name,
        updated_at=clock.iso(clock.now()),
    )
    try:
        transact([Put(row)], entity_event(site, "mapping", mapping_id, "created", by=by, payload=draft.facts))
    except Conflict:
        made = pinned_rules.get_mapping(site, mapping_id)
        if made.created_by != by.id:
            raise
        return made
    return row


def update_mapping(site: str, mapping_id: str, draft: MappingDraft, *, version: int, by: Actor) -> None:
    """Change the mapping if it is still at ``version``; without changes nothing is written.

    Raises:
        Conflict: someone changed it since; the message says who and when.
        NotFound: no such mapping.

    """
    before = pinned_rules.get_mapping(site, mapping_id)
    stored = mapping_draft_of(before)
    changed = {
        name: {"before": stored.facts[name], "after": value}
        for name, value in draft.facts.items()
        if stored.facts[name] != value
    }
    if int(before.version) == version and not changed:
        return
    # Older rows have no version until they are saved here for the first time.
    same: Condition = StoredMapping.version == version if version else StoredMapping.version.does_not_exist()
    values = draft.stored | {"version": version + 1, "updated_by": by.name, "updated_at": clock.iso(clock.now())}
    values["GSI1SK"] = table.MAPPING.gsi1(site, name=draft.name)["GSI1SK"]
    actions = [
        getattr(StoredMapping, name).remove() if value is None else getattr(StoredMapping, name).set(value)
        for name, value in values.items()
    ]
    event = entity_event(site, "mapping", mapping_id, "updated", by=by, payload=changed)
    try:
        transact([Update(before.key, actions, EXISTS & same)], event)
    except Conflict as error:
        raise Conflict(_who_saved_mapping(pinned_rules.get_mapping(site, mapping_id))) from error


def mapping_draft_of(stored: StoredMapping) -> MappingDraft:
    found = stored.mapping
    return MappingDraft(stored.name, stored.description or "", stored.is_on, found.pairs, found.project_id)


def _who_saved_mapping(stored: StoredMapping) -> str:
    told = Sentence(
        "%(who)s changed this field mapping on %(time)s UTC. Your change was not saved. Check the current "
        "mapping and try again."
    )
    bare = Sentence(
        "%(who)s changed this field mapping. Your change was not saved. Check the current mapping and try again."
    )
    return tell_who_was_first(told, bare, by=stored.updated_by, at=stored.updated_at)


@dataclass(frozen=True)
class RulesetDraft:
    """The input of a ruleset. ``priority``: 0 to 999,999, lower first."""

    description: str
    priority: int
    on: bool

    @property
    def status(self) -> str:
        return ACTIVE if self.on else INACTIVE

    @property
    def facts(self) -> dict[str, Any]:
        return {"description": self.description, "priority": self.priority, "status": self.status}


def create_ruleset(site: str, draft: RulesetDraft, *, by: Actor, ruleset_id: str) -> Ruleset:
    """Create the ruleset, or return the one that the same form created before.

    Raises:
        Refused: the site has the maximum number, as all are read at each upload.
        Conflict: the id belongs to another ruleset.

    """
    there = pinned_rules.list_rulesets(site)
    if made := next((one for one in there if one.documentId == ruleset_id), None):
        return _check_same_author(made, by)
    if len(there) >= pinned_rules.MOST_RULESETS:
        raise Refused(
            gettext("A site can have up to %(most_rulesets)s rulesets. Add the rules to an existing one.")
            % {"most_rulesets": pinned_rules.MOST_RULESETS}
        )
    row = _ruleset_row(site, ruleset_id, draft, version=1, by=by)
    row.created_by = by.id
    event = entity_event(site, "ruleset", ruleset_id, "created", by=by, payload=_name(draft) | draft.facts)
    try:
        transact([Put(row)], event)
    except Conflict:
        return _check_same_author(pinned_rules.get_ruleset(site, ruleset_id), by)
    return row


def _name(draft: "RulesetDraft | RuleDraft") -> dict[str, Any]:
    """Return the name for the audit log: the description of rules and rulesets."""
    return {"name": draft.description}


def _check_same_author(made: Ruleset, by: Actor) -> Ruleset:
    if made.created_by != by.id:
        raise Conflict(gettext("This form was already used to create a ruleset. Reload the list."))
    return made


def update_ruleset(site: str, ruleset_id: str, draft: RulesetDraft, *, version: int, by: Actor) -> None:
    """Change the ruleset if it is still at ``version``; if its position changes, it moves in one transaction.

    Raises:
        Conflict: someone changed it or one of its rules since; the message says who and when.
        NotFound: no such ruleset.

    """
    before = pinned_rules.get_ruleset(site, ruleset_id)
    stored = RulesetDraft(before.description, int(before.priority), before.is_on).facts
    changed = {name: {"before": stored[name], "after": value} for name, value in draft.facts.items()}
    changed = {name: change for name, change in changed.items() if change["before"] != change["after"]}
    if int(before.version) == version and not changed:
        return
    row = _ruleset_row(site, ruleset_id, draft, version=version + 1, by=by)
    row.created_by = before.created_by
    event = entity_event(site, "ruleset", ruleset_id, "updated", by=by, payload=_name(draft) | changed)
    try:
        transact(_move_ruleset(before, row, Ruleset.version == version), event)
    except Conflict as error:
        raise Conflict(who_was_first(site, ruleset_id)) from error


def _move_ruleset(before: Ruleset, row: Ruleset, seen: Condition) -> list[Change]:
    if before.key != row.key:
        return [Delete(before.key, seen), Put(row)]
    values = {name: getattr(row, name) for name in ("description", "name", "version", "updated_by", "updated_at")}
    return [Update(row.key, [getattr(Ruleset, name).set(value) for name, value in values.items()], seen)]


def touch_ruleset(ruleset: Ruleset, *, by: Actor) -> Update:
    """Bump the ruleset's version with a change of its rules, so that an open page of it becomes stale."""
    actions = [
        Ruleset.version.set(Ruleset.version + 1),
        Ruleset.updated_by.set(by.name),
        Ruleset.updated_at.set(clock.iso(clock.now())),
    ]
    return Update(ruleset.key, actions, Ruleset.PK.exists())


def _ruleset_row(site: str, ruleset_id: str, draft: RulesetDraft, *, version: int, by: Actor) -> Ruleset:
    parts: dict[str, Any] = {"ruleset_id": ruleset_id, "status": draft.status, "priority": draft.priority}
    return Ruleset(
        *table.RULESET.key(site, **parts),
        **table.RULESET.gsi1(site, **parts),
        documentId=ruleset_id,
        description=draft.description,
        name=draft.description,
        priority=draft.priority,
        status=draft.status,
        version=version,
        updated_by=by.name,
        updated_at=clock.iso(clock.now()),
    )


def who_was_first(site: str, ruleset_id: str) -> str:
    try:
        now = pinned_rules.get_ruleset(site, ruleset_id)
    except NotFound:
        return Phrase("This ruleset no longer exists.")
    told = Sentence(
        "%(who)s changed this ruleset or one of its rules on %(time)s UTC. Your change was not saved. "
        "Check the current ruleset and try again."
    )
    bare = Sentence(
        "%(who)s changed this ruleset or one of its rules. Your change was not saved. "
        "Check the current ruleset and try again."
    )
    return tell_who_was_first(told, bare, by=now.updated_by, at=now.updated_at)


@dataclass(frozen=True)
class RuleDraft:
    """The input of a rule. ``priority``: 0 to 999,999, lower first."""

    description: str
    priority: int
    on: bool
    when: When
    conditions: tuple[RoutingCondition, ...]
    effect: Effect

    @property
    def status(self) -> str:
        return ACTIVE if self.on else INACTIVE

    @property
    def facts(self) -> dict[str, Any]:
        """Return the facts for the audit event: plain values, lists as text."""
        return {
            "description": self.description,
            "priority": self.priority,
            "status": self.status,
            "when": self.when.value,
            "conditions": "; ".join(one.words for one in self.conditions),
            "effect": _drop_empty_entries(rules.to_plain(self.effect)),
        }


def create_rule(site: str, ruleset_id: str, draft: RuleDraft, *, by: Actor, rule_id: str) -> StoredRule:
    """Create the rule, or return the one that the same form created before.

    Raises:
        Refused: it needs facts that are unknown at that time, or its ruleset is full.
        Conflict: the id belongs to another rule, or the ruleset was moved meanwhile.
        NotFound: no such ruleset.

    """
    _check(draft)
    ruleset = pinned_rules.get_ruleset(site, ruleset_id)
    if len(pinned_rules.list_rules(site, ruleset_id)) >= pinned_rules.MOST_RULES:
        raise Refused(
            gettext("A ruleset can have up to %(most_rules)s rules. Create another ruleset.")
            % {"most_rules": pinned_rules.MOST_RULES}
        )
    row = _rule_row(site, ruleset_id, rule_id, draft, version=1, by=by, created_by=by.id)
    payload = _name(draft) | {"ruleset": ruleset.description} | draft.facts
    event = entity_event(site, "rule", rule_id, "created", by=by, payload=payload)
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
    """Change the rule if it is still at ``version``; without changes nothing is written.

    Raises:
        Refused: it needs facts that are unknown at that time.
        Conflict: someone changed it since; the message says who and when.
        NotFound: no such ruleset or rule.

    """
    _check(draft)
    before = pinned_rules.get_rule(site, ruleset_id, rule_id)
    if int(before.version) == version and rule_draft_of(before) == draft:
        return
    row = _rule_row(site, ruleset_id, rule_id, draft, version=version + 1, by=by, created_by=before.created_by or "")
    ruleset = pinned_rules.get_ruleset(site, ruleset_id)
    differing = _diff_facts(rule_draft_of(before).facts, draft.facts)
    payload = _name(draft) | {"ruleset": ruleset.description} | differing
    changes: list[Change] = [
        Update(row.key, _set_every_attribute(row), StoredRule.version == version),
        touch_ruleset(ruleset, by=by),
        *_move_rule(_by_status(site, before), _by_status(site, row)),
    ]
    try:
        transact(changes, entity_event(site, "rule", rule_id, "updated", by=by, payload=payload))
    except Conflict as error:
        raise Conflict(_who_saved_rule(pinned_rules.get_rule(site, ruleset_id, rule_id))) from error


def delete_rule(site: str, ruleset_id: str, rule_id: str, *, version: int, by: Actor) -> None:
    """Delete the rule if it is still at ``version``; runs keep the copy that they pinned.

    Raises:
        Conflict: someone changed it since; the message says who and when.
        NotFound: no such ruleset or rule, or it was deleted.

    """
    before, ruleset = pinned_rules.get_rule(site, ruleset_id, rule_id), pinned_rules.get_ruleset(site, ruleset_id)
    draft = rule_draft_of(before)
    changes: list[Change] = [
        Delete(before.key, StoredRule.version == version),
        Delete(_by_status(site, before).key),
        touch_ruleset(ruleset, by=by),
    ]
    payload = _name(draft) | {"ruleset": ruleset.description} | draft.facts
    try:
        transact(changes, entity_event(site, "rule", rule_id, "deleted", by=by, payload=payload))
    except Conflict as error:
        raise Conflict(_who_saved_rule(pinned_rules.get_rule(site, ruleset_id, rule_id))) from error


def _diff_facts(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    return {name: {"before": before[name], "after": value} for name, value in after.items() if before[name] != value}


def rule_draft_of(stored: StoredRule) -> RuleDraft:
    found = stored.rule
    return RuleDraft(
        found.description, found.priority, stored.is_on, found.when, found.conditions, found.effect
    )  # fmt: skip


def _check(draft: RuleDraft) -> None:
    """The form shows the same errors beside the input; this is for callers without it."""
    unknown = [one.words for one in draft.conditions if one.source not in KNOWN[draft.when]]
    if unknown:
        raise Refused(
            gettext("%(unknown)s is only available after analysis. Change the stage or remove the condition.")
            % {"unknown": unknown[0]}
        )
    effect = draft.effect
    if draft.when == When.ANALYSIS and (
        effect.definition or effect.classification or effect.language or effect.threshold is not None
    ):
        raise Refused(gettext("Rules after analysis can only set queue and actions."))


def _move_rule(before: StoredRule, row: StoredRule) -> list[Change]:
    put = Put(row, overwrite=True)
    return [put] if before.key == row.key else [Delete(before.key), put]


def _set_every_attribute(row: StoredRule) -> list[Action]:
    """Return an update of all attributes, as a put cannot replace this row conditionally on its version."""
    actions: list[Action] = []
    for attribute in StoredRule.get_attributes().values():
        value = getattr(row, str(attribute.attr_name))
        if attribute.attr_name in {"PK", "SK"}:
            continue
        actions.append(attribute.remove() if value is None else attribute.set(value))
    return actions


def _rule_row(
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
        conditions=[_drop_empty_entries(rules.to_plain(one)) for one in draft.conditions],
        status=draft.status,
        when=draft.when.value,
        effect=_drop_empty_entries(rules.to_plain(draft.effect)),
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
    """Drop empty entries."""
    return {name: value for name, value in data.items() if value not in (None, "", [], {})}


def _who_saved_rule(stored: StoredRule) -> str:
    told = Sentence(
        "%(who)s changed this rule on %(time)s UTC. Your change was not saved. Check the current rule and try again."
    )
    bare = Sentence("%(who)s changed this rule. Your change was not saved. Check the current rule and try again.")
    return tell_who_was_first(told, bare, by=stored.updated_by, at=stored.updated_at)

"""Writes of rulesets: one conditional transaction each, with its audit event."""

from dataclasses import dataclass
from typing import Any

from pynamodb.expressions.condition import Condition

from config import clock, table
from config.errors import Conflict, NotFound, Refused
from config.transaction import Change, Delete, Put, Update, transact
from projects.audit.events import Actor, entity_event
from workflows.routing import pinned_rules
from workflows.routing.items import ACTIVE, INACTIVE, Ruleset


@dataclass(frozen=True)
class RulesetDraft:
    """What someone typed about a ruleset. ``priority``: 0 to 999,999, the smaller first."""

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
    """Make the ruleset, or answer the one that the same form made before.

    Raises:
        Refused: the site has as many as can be read at each upload.
        Conflict: the id is someone else's ruleset.

    """
    there = pinned_rules.list_rulesets(site)
    if made := next((one for one in there if one.documentId == ruleset_id), None):
        return _check_same_author(made, by)
    if len(there) >= pinned_rules.MOST_RULESETS:
        raise Refused(f"A site can have up to {pinned_rules.MOST_RULESETS} rulesets. Add the rules to an existing one.")
    row = _row(site, ruleset_id, draft, version=1, by=by)
    row.created_by = by.id
    event = entity_event(site, "ruleset", ruleset_id, "created", by=by, payload=draft.facts)
    try:
        transact([Put(row)], event)
    except Conflict:
        return _check_same_author(pinned_rules.get_ruleset(site, ruleset_id), by)
    return row


def _check_same_author(made: Ruleset, by: Actor) -> Ruleset:
    if made.created_by != by.id:
        raise Conflict("This form was already used to create a ruleset. Reload the list.")
    return made


def update_ruleset(site: str, ruleset_id: str, draft: RulesetDraft, *, version: int, by: Actor) -> None:
    """Change the ruleset that ``version`` showed; where its place in the order changes, it moves in one transaction.

    Raises:
        Conflict: someone changed it or one of its rules since; the message names who and when.
        NotFound: no such ruleset.

    """
    before = pinned_rules.get_ruleset(site, ruleset_id)
    stored = RulesetDraft(before.description, int(before.priority), before.is_on).facts
    changed = {name: {"before": stored[name], "after": value} for name, value in draft.facts.items()}
    changed = {name: change for name, change in changed.items() if change["before"] != change["after"]}
    if int(before.version) == version and not changed:
        return
    row = _row(site, ruleset_id, draft, version=version + 1, by=by)
    row.created_by = before.created_by
    event = entity_event(site, "ruleset", ruleset_id, "updated", by=by, payload=changed)
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
    """The part of a rule's change that its ruleset sees: a new version, so that a page of it that is open is old."""
    actions = [
        Ruleset.version.set(Ruleset.version + 1),
        Ruleset.updated_by.set(by.name),
        Ruleset.updated_at.set(clock.iso(clock.now())),
    ]
    return Update(ruleset.key, actions, Ruleset.PK.exists())


def _row(site: str, ruleset_id: str, draft: RulesetDraft, *, version: int, by: Actor) -> Ruleset:
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
        return "This ruleset no longer exists."
    at = f" on {clock.parse(now.updated_at):%d %b %Y at %H:%M:%S} UTC" if now.updated_at else ""
    return (
        f"{now.updated_by or 'Another user'} changed this ruleset or one of its rules{at}. Your change was not saved. "
        "Check the current ruleset and try again."
    )

"""Reads of the site's current rules, and the immutable object with a copy that runs pin."""

import json
from dataclasses import asdict, dataclass
from functools import lru_cache

from django.utils.translation import gettext

from config import table
from config.errors import NotFound
from config.table import InvalidKey
from workflows.definitions import stored_rules
from workflows.definitions.rules import Rule, to_plain
from workflows.routing.field_mapping import FieldMapping, read_mapping
from workflows.routing.items import ACTIVE, Ruleset, StoredMapping, StoredRule
from workflows.storage import files
from workflows.storage.objects import SiteFiles

_PARTS = ("rules", "mappings")
MOST_MAPPINGS = 50
MOST_RULESETS, MOST_RULES = 50, 50  # of a site and of a ruleset, as a site's rules are read at each upload


@dataclass(frozen=True)
class PinnedRules:
    """Everything that decides where a document goes, as of the start of its run."""

    rules: tuple[Rule, ...] = ()
    mappings: tuple[FieldMapping, ...] = ()


def list_rulesets(site: str) -> list[Ruleset]:
    """List the site's rulesets, active ones first, in order: one strongly consistent Query."""
    found = Ruleset.page(table.RULESET.partition_key(site), limit=MOST_RULESETS * 2, consistent=True)
    return list(found.rows)


def get_ruleset(site: str, ruleset_id: str) -> Ruleset:
    """Strongly consistent; its key has mutable parts, so it is searched among all. Raises: NotFound."""
    found = next((one for one in list_rulesets(site) if one.documentId == ruleset_id), None)
    if found is None:
        raise NotFound(gettext("Ruleset not found."))
    return found


def list_rules(site: str, ruleset_id: str) -> list[StoredRule]:
    """List a ruleset's rules in order: one strongly consistent Query.

    Raises:
        NotFound: the id is invalid in a key.

    """
    try:
        pk = table.RULE.partition_key(site, ruleset_id=ruleset_id)
    except InvalidKey as error:
        raise NotFound(gettext("Ruleset not found.")) from error
    prefix = StoredRule.SK.startswith(table.RULE.sort_prefix())
    found = StoredRule.page(pk, sk=prefix, limit=MOST_RULES * 2, consistent=True)
    return sorted(found.rows, key=lambda one: (int(one.priority), one.documentId))


def get_rule(site: str, ruleset_id: str, rule_id: str) -> StoredRule:
    """Strongly consistent. Raises: NotFound."""
    try:
        return StoredRule.load(table.RULE.key(site, ruleset_id=ruleset_id, rule_id=rule_id))
    except (NotFound, InvalidKey) as error:
        raise NotFound(gettext("Rule not found.")) from error


def list_mappings(site: str) -> list[StoredMapping]:
    """List the site's mappings by name: a Query, and a batch read if there are any."""
    page = StoredMapping.page(table.MAPPING.gsi1_partition(site), index="GSI1", limit=MOST_MAPPINGS * 2)
    found = {one.key: one for one in StoredMapping.load_many([row.key for row in page.rows])}
    return [found[row.key] for row in page.rows if row.key in found]


def get_mapping(site: str, mapping_id: str) -> StoredMapping:
    """Strongly consistent. Raises: NotFound."""
    try:
        return StoredMapping.load(table.MAPPING.key(site, document_id=mapping_id))
    except (NotFound, InvalidKey) as error:
        raise NotFound(gettext("Field mapping not found.")) from error


def current_rules(site: str) -> PinnedRules:
    """Read the current rules: a Query each for mappings and rulesets, and one for rules if a ruleset is active."""
    on = _rulesets_on(site)
    return PinnedRules(_rules_on(site, on) if on else (), _mappings(site))


def _mappings(site: str) -> tuple[FieldMapping, ...]:
    return tuple(one.mapping for one in list_mappings(site) if one.is_on)


def _rulesets_on(site: str) -> dict[str, Ruleset]:
    prefix = Ruleset.SK.startswith(table.RULESET.sort_prefix(status=ACTIVE))
    page = Ruleset.page(table.RULESET.partition_key(site), sk=prefix, limit=MOST_RULESETS * 2, consistent=True)
    return {one.documentId: one for one in page.rows}


def _rules_on(site: str, on: dict[str, Ruleset]) -> tuple[Rule, ...]:
    prefix = StoredRule.SK.startswith(table.RULE_BY_STATUS.sort_prefix(status=ACTIVE))
    pk = table.RULE_BY_STATUS.partition_key(site)
    page = StoredRule.page(pk, sk=prefix, limit=MOST_RULESETS * MOST_RULES, consistent=True)
    return tuple(_place_rule(one, on[one.rulesetId]) for one in page.rows if one.rulesetId in on)


def _place_rule(stored: StoredRule, of: Ruleset) -> Rule:
    found = asdict(stored.rule) | {"ruleset": of.description, "ruleset_priority": int(of.priority)}
    return stored_rules.rule_from(found)


def pin_rules(site: str, book: PinnedRules) -> str:
    """Store the rules and return their sha256; empty if there are none."""
    if book == PinnedRules():
        return ""
    content = {"version": 1} | {name: [to_plain(one) for one in getattr(book, name)] for name in _PARTS}
    return SiteFiles(site).pin_json(files.pinned_rules, content)


@lru_cache(maxsize=32)
def load_pinned_rules(site: str, sha256: str) -> PinnedRules:
    """Load the rules that a run pinned.

    Raises:
        NotFound, Tampered: they are missing, or not what was pinned.

    """
    if not sha256:
        return PinnedRules()
    data = json.loads(SiteFiles(site).read_pinned(files.pinned_rules(sha256), sha256))
    rules = tuple(stored_rules.rule_from(one) for one in data["rules"])
    return PinnedRules(rules, tuple(read_mapping(one) for one in data.get("mappings", ())))

"""The site's rules as they stand, and the copy of them that runs pin: reads, and one object that never changes."""

import json
from dataclasses import asdict, dataclass
from functools import lru_cache

from config import table
from config.errors import NotFound
from config.table import InvalidKey
from workflows.routing.items import ACTIVE, Ruleset, StoredMapping, StoredRule
from workflows.rules import routing, stored_rules
from workflows.rules.field_mapping import FieldMapping, read_mapping
from workflows.rules.routing import Rule
from workflows.storage import files
from workflows.storage.objects import SiteFiles

_PARTS = ("rules", "mappings")
MOST_MAPPINGS = 50
MOST_RULESETS, MOST_RULES = 50, 50  # of a site, of a ruleset: the rules of a site are read at each upload


@dataclass(frozen=True)
class PinnedRules:
    """Everything that decides where a document goes, as it was when its run began."""

    rules: tuple[Rule, ...] = ()
    mappings: tuple[FieldMapping, ...] = ()


def list_rulesets(site: str) -> list[Ruleset]:
    """The site's rulesets, those that are on first, in their order: one strongly consistent Query."""
    found = Ruleset.page(table.RULESET.partition_key(site), limit=MOST_RULESETS * 2, consistent=True)
    return list(found.rows)


def get_ruleset(site: str, ruleset_id: str) -> Ruleset:
    """A strong read; its key holds what can change, so it is looked for among all. Raises: NotFound."""
    found = next((one for one in list_rulesets(site) if one.documentId == ruleset_id), None)
    if found is None:
        raise NotFound("Ruleset not found.")
    return found


def list_rules(site: str, ruleset_id: str) -> list[StoredRule]:
    """A ruleset's rules in their order: one strongly consistent Query.

    Raises:
        NotFound: an id that no key can hold.

    """
    try:
        pk = table.RULE.partition_key(site, ruleset_id=ruleset_id)
    except InvalidKey as error:
        raise NotFound("Ruleset not found.") from error
    prefix = StoredRule.SK.startswith(table.RULE.sort_prefix())
    found = StoredRule.page(pk, sk=prefix, limit=MOST_RULES * 2, consistent=True)
    return sorted(found.rows, key=lambda one: (int(one.priority), one.documentId))


def get_rule(site: str, ruleset_id: str, rule_id: str) -> StoredRule:
    """A strong read of one rule. Raises: NotFound."""
    try:
        return StoredRule.load(table.RULE.key(site, ruleset_id=ruleset_id, rule_id=rule_id))
    except (NotFound, InvalidKey) as error:
        raise NotFound("Rule not found.") from error


def list_mappings(site: str) -> list[StoredMapping]:
    """The site's mappings by name, each whole: a Query, and a batch read if there is one."""
    page = StoredMapping.page(table.MAPPING.gsi1_partition(site), index="GSI1", limit=MOST_MAPPINGS * 2)
    found = {one.key: one for one in StoredMapping.load_many([row.key for row in page.rows])}
    return [found[row.key] for row in page.rows if row.key in found]


def get_mapping(site: str, mapping_id: str) -> StoredMapping:
    """A strong read of one mapping. Raises: NotFound."""
    try:
        return StoredMapping.load(table.MAPPING.key(site, document_id=mapping_id))
    except (NotFound, InvalidKey) as error:
        raise NotFound("Field mapping not found.") from error


def current_rules(site: str) -> PinnedRules:
    """What holds now: a Query each for mappings and rulesets, and one for rules where a ruleset is on."""
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
    """Keep the book as it is now and return its sha256; an empty book needs none."""
    if book == PinnedRules():
        return ""
    content = {"version": 1} | {name: [routing.to_plain(one) for one in getattr(book, name)] for name in _PARTS}
    return SiteFiles(site).pin_json(files.pinned_rules, content)


@lru_cache(maxsize=32)
def load_pinned_rules(site: str, sha256: str) -> PinnedRules:
    """The book that a run pinned.

    Raises:
        NotFound, Tampered: it is not there, or not what was pinned.

    """
    if not sha256:
        return PinnedRules()
    data = json.loads(SiteFiles(site).read_pinned(files.pinned_rules(sha256), sha256))
    rules = tuple(stored_rules.rule_from(one) for one in data["rules"])
    return PinnedRules(rules, tuple(read_mapping(one) for one in data.get("mappings", ())))

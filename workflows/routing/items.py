"""Rows of routing (seed 002): rulesets, rules and field mappings as admins edit them; runs pin a copy."""

from typing import Any

from pynamodb.attributes import ListAttribute, NumberAttribute, UnicodeAttribute

from config.item import Item, map_attribute
from workflows.definitions import rules, stored_rules
from workflows.definitions.rules import When
from workflows.routing.field_mapping import FieldMapping

ACTIVE, INACTIVE = "ACTIVE", "INACTIVE"


class Ruleset(Item):
    """Rules that are evaluated in order until one matches.

    Access: all of a site, or all active ones, in order (the partition; status and priority are in the key). By id in
    GSI1. Each change of the ruleset or its rules bumps ``version``.
    """

    documentId = UnicodeAttribute()  # noqa: N815 - the seed's names, as stored
    description = UnicodeAttribute()
    version = NumberAttribute()
    priority = NumberAttribute()
    status = UnicodeAttribute()
    name = UnicodeAttribute()  # the description, for the index
    created_by = UnicodeAttribute(null=True)
    updated_by = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute(null=True)

    @property
    def is_on(self) -> bool:
        return self.status == ACTIVE


class StoredRule(Item):
    """One rule, stored twice: under its ruleset, and under its status for reads of all active ones (RULE_BY_STATUS).

    Access: a ruleset's; one; all active ones of a site. ``conditions`` and ``effect`` from ``rules.to_plain``.
    """

    rulesetId = UnicodeAttribute()  # noqa: N815 - the seed's names, as stored
    documentId = UnicodeAttribute()  # noqa: N815
    description = UnicodeAttribute()
    priority = NumberAttribute()
    workflowId = UnicodeAttribute(null=True)  # noqa: N815 - the definition that runs, where the rule chooses one
    conditions: ListAttribute[Any] = ListAttribute()
    status = UnicodeAttribute()
    name = UnicodeAttribute()  # the description, for the index
    when = UnicodeAttribute()
    effect = map_attribute()
    version = NumberAttribute()
    created_by = UnicodeAttribute(null=True)
    updated_by = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute(null=True)

    @property
    def is_on(self) -> bool:
        return self.status == ACTIVE

    @property
    def rule(self) -> rules.Rule:
        conditions = tuple(stored_rules.condition_from(_plain(one)) for one in self.conditions)
        return rules.Rule(
            id=self.documentId,
            ruleset_id=self.rulesetId,
            description=self.description,
            when=When(self.when),
            conditions=conditions,
            effect=stored_rules.effect_from(_plain(self.effect)),
            priority=int(self.priority),
        )


def _plain(stored: Any) -> dict[str, Any]:
    """Return a map as it was put, whether PynamoDB has converted it or not."""
    found: dict[str, Any] = stored.as_dict() if hasattr(stored, "as_dict") else dict(stored)
    return found


class StoredMapping(Item):
    """``attributes``: a list of ``{"field": …, "attributeKey": …}``.

    Access: by id; all of a site by name (GSI1, which carries name and status).
    """

    documentId = UnicodeAttribute(null=True)  # noqa: N815 - the seed's names, as stored; absent only in index rows
    name = UnicodeAttribute()
    description = UnicodeAttribute(null=True)
    attributes: ListAttribute[Any] = ListAttribute(null=True)
    project_id = UnicodeAttribute(null=True)  # its project; absent for all projects
    status = UnicodeAttribute(default=ACTIVE)  # older rows have none
    version = NumberAttribute(default=0)
    created_by = UnicodeAttribute(null=True)
    updated_by = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute(null=True)

    @property
    def id(self) -> str:
        return self.PK.rpartition("#")[2]

    @property
    def is_on(self) -> bool:
        return self.status == ACTIVE

    @property
    def mapping(self) -> FieldMapping:
        rows = [one.as_dict() if hasattr(one, "as_dict") else one for one in self.attributes or ()]
        pairs = tuple((str(one.get("field") or ""), str(one.get("attributeKey") or "")) for one in rows)
        return FieldMapping(self.id, self.name, tuple(pair for pair in pairs if all(pair)), self.project_id or "")

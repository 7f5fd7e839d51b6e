"""Rulesets and their rules (seed 002), as an admin of routing edits them; runs pin a copy
(workflows.routing.pinned_rules).
"""

from typing import Any

from pynamodb.attributes import ListAttribute, NumberAttribute, UnicodeAttribute

from config.item import Item, map_attribute
from workflows.rules import routing, stored_rules
from workflows.rules.routing import When

ACTIVE, INACTIVE = "ACTIVE", "INACTIVE"


class Ruleset(Item):
    """Rules that are asked one after the other until one holds.

    Access: all of a site, or all that are on, in their order (the partition; status and priority are in the key). By
    id in GSI1. ``version`` is bumped by each change of the ruleset and of its rules.
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
    """One rule, twice: under its ruleset, and under its status for whoever asks all that are on (RULE_BY_STATUS).

    Access: a ruleset's; one; all of a site that are on. ``conditions`` and ``effect`` from ``routing.to_plain``.
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
    def rule(self) -> routing.Rule:
        conditions = tuple(stored_rules.condition_from(_plain(one)) for one in self.conditions)
        return routing.Rule(
            id=self.documentId,
            ruleset_id=self.rulesetId,
            description=self.description,
            when=When(self.when),
            conditions=conditions,
            effect=stored_rules.effect_from(_plain(self.effect)),
            priority=int(self.priority),
        )


def _plain(stored: Any) -> dict[str, Any]:
    """A map as it was put, whether PynamoDB has made an object of it or not."""
    found: dict[str, Any] = stored.as_dict() if hasattr(stored, "as_dict") else dict(stored)
    return found

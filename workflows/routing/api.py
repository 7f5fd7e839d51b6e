"""The API of routing: a site's rulesets in order, the rules of one, and field mappings."""

from typing import Any

from ninja import Router, Schema

from projects.sites import access
from projects.web.api import FAILURES, ApiRequest
from workflows.definitions.rules import to_plain
from workflows.routing import pinned_rules
from workflows.routing.items import Ruleset, StoredMapping, StoredRule

router = Router(tags=["rules"])
mappings = Router(tags=["rules"])


class RulesetShape(Schema):
    """``priority``: lower numbers are evaluated first. ``active``: whether it is evaluated."""

    id: str
    description: str
    priority: int
    active: bool
    version: int


class RulesetList(Schema):
    items: list[RulesetShape]


class RuleShape(Schema):
    """``when``: upload or analysis. ``conditions``: all must match; ``effect``: what the rule does."""

    id: str
    description: str
    priority: int
    active: bool
    when: str
    conditions: list[dict[str, Any]]
    effect: dict[str, Any]
    version: int


class RulesetDetail(RulesetShape):
    rules: list[RuleShape]


class MappedField(Schema):
    """``attribute``: key of the document attribute that gets the value of ``field``."""

    field: str
    attribute: str


class MappingShape(Schema):
    """``project_id``: null if it applies to all projects."""

    id: str
    name: str
    description: str
    project_id: str | None
    active: bool
    fields: list[MappedField]
    version: int
    updated_at: str | None


class MappingList(Schema):
    items: list[MappingShape]


@router.get("", response={200: RulesetList, **FAILURES}, operation_id="list_rulesets", summary="List rulesets")
def list_rulesets(request: ApiRequest) -> RulesetList:
    """In the order of evaluation. Requires GOVERN."""
    access.check_can_govern(request)
    found = pinned_rules.list_rulesets(request.site)
    return RulesetList(items=[RulesetShape(**_shape_ruleset(one)) for one in found])


@router.get(
    "/{ruleset_id}",
    response={200: RulesetDetail, **FAILURES},
    operation_id="show_ruleset",
    summary="Get a ruleset with its rules",
)
def show_ruleset(request: ApiRequest, ruleset_id: str) -> RulesetDetail:
    """The first matching rule decides. Requires GOVERN."""
    access.check_can_govern(request)
    ruleset = pinned_rules.get_ruleset(request.site, ruleset_id)
    rules = [_shape_rule(one) for one in pinned_rules.list_rules(request.site, ruleset_id)]
    return RulesetDetail(**_shape_ruleset(ruleset), rules=rules)


@mappings.get("", response={200: MappingList, **FAILURES}, operation_id="list_mappings", summary="List field mappings")
def list_mappings(request: ApiRequest) -> MappingList:
    """By name: which field of a published result sets which attribute of its document. Requires GOVERN."""
    access.check_can_govern(request)
    return MappingList(items=[_shape_mapping(one) for one in pinned_rules.list_mappings(request.site)])


@mappings.get(
    "/{mapping_id}",
    response={200: MappingShape, **FAILURES},
    operation_id="show_mapping",
    summary="Get a field mapping",
)
def show_mapping(request: ApiRequest, mapping_id: str) -> MappingShape:
    """Requires GOVERN."""
    access.check_can_govern(request)
    return _shape_mapping(pinned_rules.get_mapping(request.site, mapping_id))


def _shape_mapping(stored: StoredMapping) -> MappingShape:
    return MappingShape(
        id=stored.id,
        name=stored.name,
        description=stored.description or "",
        project_id=stored.project_id or None,
        active=stored.is_on,
        fields=[MappedField(field=field, attribute=key) for field, key in stored.mapping.pairs],
        version=int(stored.version),
        updated_at=stored.updated_at,
    )


def _shape_ruleset(ruleset: Ruleset) -> dict[str, Any]:
    return {
        "id": ruleset.documentId,
        "description": ruleset.description,
        "priority": int(ruleset.priority),
        "active": ruleset.is_on,
        "version": int(ruleset.version),
    }


def _shape_rule(stored: StoredRule) -> RuleShape:
    plain = to_plain(stored.rule)
    return RuleShape(
        id=stored.documentId,
        description=stored.description,
        priority=int(stored.priority),
        active=stored.is_on,
        when=stored.when,
        conditions=plain["conditions"],
        effect=plain["effect"],
        version=int(stored.version),
    )

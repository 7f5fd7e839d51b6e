"""The API of the access policy: versions, trials, activation and deactivation."""

import datetime as dt
from typing import Any

from ninja import Field, Router, Schema, Status

from config import clock
from config.errors import NotAllowed
from projects.policies import actions, queries
from projects.policies.actions import LONGEST_NOTE
from projects.policies.decision import OUTSIDER, PERSON, PROGRAM, Case, Subject
from projects.policies.forms import describe_document
from projects.policies.items import PolicyVersion
from projects.policies.language import LONGEST
from projects.sites import access
from projects.sites.permissions import Permission
from projects.web.api import FAILURES, REFUSALS, ApiRequest, Body, with_example

router = Router(tags=["policies"])
_EXAMPLE = 'package countersign\n\ndeny contains "Closed for now." if input.action != "READ"\n'
_PEOPLE = "Only people change access policies. Use a token of your own: create it under API tokens in your menu."


class PolicyVersionShape(Schema):
    """``number``: from 1. ``tried_at``: time of the last trial."""

    number: int
    note: str
    created_by: str
    created_at: str
    active: bool
    tried_at: str | None


class PolicyVersionText(PolicyVersionShape):
    """``policy``: in Rego."""

    policy: str


class PolicyVersionList(Schema):
    """``active``: number of the active version, 0 for none. ``newest``: of the latest version."""

    active: int
    newest: int
    items: list[PolicyVersionShape]
    next: str | None


class PolicyVersionWish(Body):
    """``newest``: the latest version that you know; 409 if there is a later one."""

    model_config = with_example(policy=_EXAMPLE, newest=0)

    policy: str = Field(min_length=1, max_length=LONGEST)
    note: str = Field("", max_length=LONGEST_NOTE)
    newest: int = Field(ge=0, lt=10**4 - 1, strict=True)


class PolicyTrialWish(Body):
    """``kind``: person, key or link. ``at``: an instant with its zone; without it, now."""

    model_config = with_example(document_id="7b0cf3d5-0d5c-4b5c-9c39-1f3cb1d2f001", groups=["reviewers"], action="READ")

    document_id: str = Field(min_length=1, max_length=100)
    action: Permission = Permission.READ
    user_id: str = Field("", max_length=150)
    username: str = Field("", max_length=150)
    groups: list[str] = Field(default_factory=list, max_length=100)
    kind: str = Field(PERSON, json_schema_extra={"enum": [PERSON, PROGRAM, OUTSIDER]}, max_length=10)
    at: dt.datetime | None = None


class PolicyDecision(Schema):
    """``failed``: the policy's error, which denies access; null without one."""

    allowed: bool
    reasons: list[str]
    failed: str | None


@router.get(
    "", response={200: PolicyVersionList, **FAILURES}, operation_id="list_policy_versions", summary="List versions"
)
def list_policy_versions(request: ApiRequest, after: str | None = None) -> PolicyVersionList:
    """Versions of the site's access policy, newest first. Requires ADMIN."""
    access.check_can_configure(request)
    head, page = queries.get_policy(request.site), queries.list_versions(request.site, after)
    active = int(head.index or 0)
    items = [PolicyVersionShape(**_shape(one, active)) for one in page.rows]
    return PolicyVersionList(active=active, newest=int(head.newest or 0), items=items, next=page.next)


@router.post(
    "", response={201: PolicyVersionText, **REFUSALS}, operation_id="save_policy_version", summary="Save a version"
)
def save_policy_version(request: ApiRequest, wish: PolicyVersionWish) -> Any:
    """Has no effect until it is activated. Requires a person's token with ADMIN."""
    _check_person(request)
    made = actions.save_version(request.site, wish.policy, wish.note, newest=wish.newest, by=request.auth.actor)
    return Status(201, _whole(request, made))


@router.delete(
    "", response={204: None, **REFUSALS}, operation_id="deactivate_policy", summary="Deactivate the access policy"
)
def deactivate_policy(request: ApiRequest) -> Status[None]:
    """Groups alone decide again; versions are kept. Requires a person's token with ADMIN."""
    _check_person(request)
    active = int(queries.get_policy(request.site).index or 0)
    actions.deactivate_policy(request.site, active=active, by=request.auth.actor)
    return Status(204, None)


@router.get(
    "/{policy_version}",
    response={200: PolicyVersionText, **FAILURES},
    operation_id="show_policy_version",
    summary="Get a version",
)
def show_policy_version(request: ApiRequest, policy_version: int) -> PolicyVersionText:
    """Includes its text. Requires ADMIN."""
    access.check_can_configure(request)
    return _whole(request, queries.get_version(request.site, policy_version))


@router.post(
    "/{policy_version}/try",
    response={200: PolicyDecision, **FAILURES},
    operation_id="try_policy_version",
    summary="Try a policy version",
)
def try_policy_version(request: ApiRequest, policy_version: int, wish: PolicyTrialWish) -> PolicyDecision:
    """Evaluates it for one request; required once before it can be activated. Requires a person's token with ADMIN."""
    _check_person(request)
    queries.get_version(request.site, policy_version)
    subject = Subject(wish.user_id, wish.username, wish.groups, wish.kind)
    case = Case(subject, wish.action.value, describe_document(request, wish.document_id))
    at = wish.at.astimezone(dt.UTC) if wish.at else clock.now()
    found = actions.try_version(request.site, policy_version, [case], by=request.auth.actor, at=at)[0]
    return PolicyDecision(allowed=found.allowed, reasons=list(found.reasons), failed=found.failed or None)


@router.post(
    "/{policy_version}/activate",
    response={200: PolicyVersionText, **REFUSALS},
    operation_id="activate_policy_version",
    summary="Activate a policy version",
)
def activate_policy_version(request: ApiRequest, policy_version: int) -> PolicyVersionText:
    """Replaces the active version; also restores an earlier one. Requires a person's token with ADMIN."""
    _check_person(request)
    active = int(queries.get_policy(request.site).index or 0)
    actions.activate_version(request.site, policy_version, active=active, by=request.auth.actor)
    return _whole(request, queries.get_version(request.site, policy_version))


def _check_person(request: ApiRequest) -> None:
    """A key that leaked must not be able to take a site's policy away. Raises: NotAllowed."""
    access.check_can_configure(request)
    if not request.auth.person_id:
        raise NotAllowed(_PEOPLE)


def _whole(request: ApiRequest, row: PolicyVersion) -> PolicyVersionText:
    active = int(queries.get_policy(request.site).index or 0)
    return PolicyVersionText(**_shape(row, active), policy=row.policy)


def _shape(row: PolicyVersion, active: int) -> dict[str, Any]:
    return {
        "number": row.number,
        "note": row.note or "",
        "created_by": row.user_name,
        "created_at": row.created_at,
        "active": row.number == active,
        "tried_at": row.tried_at,
    }

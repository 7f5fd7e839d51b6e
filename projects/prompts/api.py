"""The API of prompts: read and save versions, and move labels."""

from typing import Any

from ninja import Field, Router, Schema, Status

from config.errors import Refused
from projects.prompts import actions as prompt_actions
from projects.prompts import queries as prompt_queries
from projects.prompts.items import PromptHead, PromptVersion
from projects.prompts.prompt import LONGEST, Prompt, make_slug
from projects.prompts.queries import PromptRef
from projects.queues import visibility
from projects.settings.items import Project
from projects.sites import access
from projects.sites.permissions import Permission
from projects.web.api import FAILURES, REFUSALS, ApiRequest, Body, with_example

router = Router(tags=["prompts"])
_MOST = 999_999


class PromptShape(Schema):
    """``purpose``: extract, classify, summarize or answer. ``candidate``: 0 if there is none; ``share`` of runs, 0–1.

    ``classification_id``: the document type that it is for, empty for the general prompt. ``version``: the newest one.
    ``production``: 0 if a document type uses the general prompt. ``updated_at`` is empty for a prompt as shipped.
    """

    purpose: str
    classification_id: str
    version: int
    production: int
    candidate: int
    share: float
    updated_at: str
    updated_by: str


class PromptList(Schema):
    items: list[PromptShape]


class VersionShape(Schema):
    version: int
    instructions: str
    message: str
    note: str
    sha256: str
    created_at: str
    created_by: str


class VersionList(Schema):
    items: list[VersionShape]
    next: str | None


class PromptUseShape(Schema):
    """``label``: production or candidate, by which the version was chosen."""

    document_id: str
    run_id: str
    label: str
    at: str


class PromptUseList(Schema):
    items: list[PromptUseShape]
    next: str | None


class VersionWish(Body):
    """``based_on``: the version that the text was written from; others that came since are returned."""

    model_config = with_example(
        instructions="Extract the fields of an invoice.", message="{{page_text}}", note="Shorter"
    )

    instructions: str = Field(min_length=1, max_length=LONGEST)
    message: str = Field(min_length=1, max_length=LONGEST)
    note: str = Field("", max_length=200)
    based_on: int = Field(0, ge=0, le=_MOST)


class SavedShape(Schema):
    """``since``: versions that others saved after the one this was based on."""

    version: int
    since: list[int]


class ProductionWish(Body):
    """``expected``: the version in production now. ``version``, ``expected``: 0 if a type uses the general prompt."""

    model_config = with_example(version=2, expected=1, reason="F1 0.91 instead of 0.88")

    version: int = Field(ge=0, le=_MOST)
    expected: int = Field(ge=0, le=_MOST)
    reason: str = Field(min_length=1, max_length=200)


class CandidateWish(Body):
    """``expected``: the candidate now, 0 for none. ``percent`` of new runs; 0 ends it."""

    model_config = with_example(version=2, percent=10, reason="Try it on a tenth")

    version: int = Field(ge=1, le=_MOST)
    expected: int = Field(0, ge=0, le=_MOST)
    percent: int = Field(ge=0, le=100)
    reason: str = Field(min_length=1, max_length=200)


@router.get(
    "/{project_id}/prompts",
    response={200: PromptList, **FAILURES},
    operation_id="list_prompts",
    summary="List prompts",
)
def list_prompts(request: ApiRequest, project_id: str) -> PromptList:
    """The general prompt of each purpose, then those of document types. Requires ADMIN or PROMOTE."""
    project = access.project_with_prompts(request, project_id)
    return PromptList(items=[_shape(*one) for one in prompt_queries.list_prompts(request.site, project.id)])


@router.get(
    "/{project_id}/prompts/{purpose}",
    response={200: PromptShape, **FAILURES},
    operation_id="show_prompt",
    summary="Get a prompt's labels",
)
def show_prompt(request: ApiRequest, project_id: str, purpose: str, classification_id: str = "") -> PromptShape:
    """Returns the prompt of the document type `classification_id`, if given. Requires ADMIN or PROMOTE."""
    ref = _ref(access.project_with_prompts(request, project_id), request, purpose, classification_id)
    return _shape(ref, prompt_queries.get_head(ref))


@router.get(
    "/{project_id}/prompts/{purpose}/versions",
    response={200: VersionList, **FAILURES},
    operation_id="list_prompt_versions",
    summary="List versions",
)
def list_versions(
    request: ApiRequest, project_id: str, purpose: str, classification_id: str = "", after: str | None = None
) -> VersionList:
    """Newest first. Requires ADMIN or PROMOTE."""
    ref = _ref(access.project_with_prompts(request, project_id), request, purpose, classification_id)
    page = prompt_queries.list_versions(ref, after)
    return VersionList(items=[_version_shape(one) for one in page.rows], next=page.next)


@router.post(
    "/{project_id}/prompts/{purpose}/versions",
    response={201: SavedShape, **REFUSALS},
    operation_id="save_prompt_version",
    summary="Save a version",
)
def save_version(
    request: ApiRequest, project_id: str, purpose: str, wish: VersionWish, classification_id: str = ""
) -> Any:
    """Runs use it once a label is moved to it. Saving the newest text again adds no version. Requires ADMIN."""
    ref = _ref(access.project_to_configure(request, project_id), request, purpose, classification_id)
    saved = prompt_actions.save_version(
        ref,
        Prompt(ref.purpose, wish.instructions.strip() + "\n", wish.message.strip() + "\n"),
        based_on=wish.based_on,
        note=wish.note,
        by=request.auth.actor,
    )
    return Status(201, SavedShape(version=saved.version, since=list(saved.since)))


@router.get(
    "/{project_id}/prompts/{purpose}/versions/{prompt_version}",
    response={200: VersionShape, **FAILURES},
    operation_id="show_prompt_version",
    summary="Get a version",
)
def show_version(
    request: ApiRequest, project_id: str, purpose: str, prompt_version: int, classification_id: str = ""
) -> VersionShape:
    """Requires ADMIN or PROMOTE."""
    ref = _ref(access.project_with_prompts(request, project_id), request, purpose, classification_id)
    return _version_shape(prompt_queries.get_version(ref, prompt_version))


@router.get(
    "/{project_id}/prompts/{purpose}/versions/{prompt_version}/runs",
    response={200: PromptUseList, **FAILURES},
    operation_id="list_prompt_uses",
    summary="List runs with a version",
)
def list_prompt_uses(
    request: ApiRequest,
    project_id: str,
    purpose: str,
    prompt_version: int,
    *,
    classification_id: str = "",
    after: str | None = None,
) -> PromptUseList:
    """Newest first. Requires ADMIN or PROMOTE."""
    ref = _ref(access.project_with_prompts(request, project_id), request, purpose, classification_id)
    page = prompt_queries.list_uses(ref, prompt_version, after)
    items = [
        PromptUseShape(document_id=one.document_id, run_id=one.workflow_id, label=one.label, at=one.created_at)
        for one in visibility.filter_rows(request, page.rows, lambda one: one.document_id)
    ]
    return PromptUseList(items=items, next=page.next)


@router.put(
    "/{project_id}/prompts/{purpose}/production",
    response={200: PromptShape, **REFUSALS},
    operation_id="move_prompt_production",
    summary="Put a version into production",
)
def move_production(
    request: ApiRequest, project_id: str, purpose: str, wish: ProductionWish, classification_id: str = ""
) -> PromptShape:
    """New runs use it. Requires PROMOTE.

    409 if the version in production is not the expected one; 422 if the site requires two people.
    """
    ref = _ref(access.project_to_promote(request, project_id), request, purpose, classification_id)
    check_alone(request.site)
    prompt_actions.move_production(ref, wish.version, expected=wish.expected, reason=wish.reason, by=request.auth.actor)
    return _shape(ref, prompt_queries.get_head(ref))


@router.put(
    "/{project_id}/prompts/{purpose}/candidate",
    response={200: PromptShape, **REFUSALS},
    operation_id="set_prompt_candidate",
    summary="Try a version on a share of runs",
)
def set_candidate(
    request: ApiRequest, project_id: str, purpose: str, wish: CandidateWish, classification_id: str = ""
) -> PromptShape:
    """409 if the candidate is not the expected one. Requires ADMIN, and PROMOTE for more than half of the runs."""
    ref = _ref(access.project_to_configure(request, project_id), request, purpose, classification_id)
    prompt_actions.set_candidate(
        ref,
        wish.version,
        expected=wish.expected,
        percent=wish.percent,
        reason=wish.reason,
        by=request.auth.actor,
        may_promote=access.can(request, Permission.PROMOTE),
    )
    return _shape(ref, prompt_queries.get_head(ref))


def check_alone(site: str) -> None:
    """A key proposes nothing where two persons decide: whoever made the key could confirm it alone.

    Raises:
        Refused.

    """
    if prompt_actions.needs_second_person(site):
        raise Refused("Two persons put prompts into production on this site. Propose it on the prompt's page.")


def _ref(project: Project, request: ApiRequest, purpose: str, classification_id: str) -> PromptRef:
    """Raises: NotFound."""
    name = prompt_queries.get_purpose(purpose).name
    return prompt_queries.get_ref(request.site, project.id, make_slug(name, classification_id))


def _shape(ref: PromptRef, head: PromptHead) -> PromptShape:
    return PromptShape(
        purpose=ref.purpose,
        classification_id=ref.type_id,
        version=int(head.version),
        production=int(head.production),
        candidate=int(head.candidate or 0),
        share=float(head.share or 0),
        updated_at=head.updated_at,
        updated_by=head.updated_by,
    )


def _version_shape(one: PromptVersion) -> VersionShape:
    return VersionShape(
        version=int(one.version),
        instructions=one.instructions,
        message=one.message,
        note=one.note or "",
        sha256=one.sha256,
        created_at=one.created_at,
        created_by=one.user_name,
    )

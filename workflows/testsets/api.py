"""The API of test sets: create them from reviews or submitted answers, list and change them."""

from typing import Any

from ninja import Field, Router, Schema, Status

from projects.sites import access
from projects.web.api import FAILURES, ApiRequest, Body, with_example
from workflows.testsets import actions, queries, tasks, uploads
from workflows.testsets.actions import DEFAULT_MOST, Source
from workflows.testsets.cases import MOST_CASES
from workflows.testsets.items import FAILED, StoredTestSet
from workflows.testsets.queries import SetRef

router = Router(tags=["test sets"])


class AnswersShape(Body):
    """``document``: ID or file name. ``fields``: name → value; null: not in the document; omitted: not scored."""

    document: str = Field(min_length=1, max_length=500)
    fields: dict[str, str | None]


class SetWish(Body):
    """``documents`` with answers, or the ``most`` latest reviewed documents, optionally of one document type."""

    model_config = with_example(name="Invoices of May", most=200)

    name: str = Field(min_length=1, max_length=100)
    documents: list[AnswersShape] = Field(default_factory=list, max_length=uploads.MOST_LINES)
    most: int = Field(DEFAULT_MOST, ge=1, le=MOST_CASES)
    classification_id: str = Field("", max_length=100)


class SetPatch(Body):
    """``seed_share``: 0–1, the share of the project's reviews with a seeded check from the set."""

    model_config = with_example(seed_share=0.02)

    seed_share: float = Field(ge=0, le=1)


class SetShape(Schema):
    """``status``: building, ready or failed. ``tuning``, ``held_back``: documents in each half.

    ``version``: 0 until it has documents. ``seed_share``: 0–1, as in ``SetPatch``.
    """

    id: str
    name: str
    status: str
    version: int
    tuning: int
    held_back: int
    seed_share: float
    message: str | None
    created_at: str
    updated_at: str


class SetList(Schema):
    items: list[SetShape]
    next: str | None


class SetVersion(Schema):
    """``tuning``, ``held_back``: documents; a version never changes."""

    version: int
    tuning: int
    held_back: int
    note: str
    created_at: str
    created_by: str


class SetVersionList(Schema):
    items: list[SetVersion]
    next: str | None


@router.get(
    "/{project_id}/test-sets",
    response={200: SetList, **FAILURES},
    operation_id="list_test_sets",
    summary="List test sets",
)
def list_test_sets(request: ApiRequest, project_id: str, after: str | None = None) -> SetList:
    """Newest first. Requires ADMIN."""
    project = access.project_to_configure(request, project_id)
    page = queries.list_test_sets(request.site, project.id, after)
    return SetList(items=[_shape(one) for one in page.rows], next=page.next)


@router.post(
    "/{project_id}/test-sets",
    response={201: SetShape, **FAILURES},
    operation_id="create_test_set",
    summary="Create a test set",
)
def create_test_set(request: ApiRequest, project_id: str, wish: SetWish) -> Any:
    """Documents are added in the background: poll until `status` is not building. Requires ADMIN."""
    project = access.project_to_configure(request, project_id)
    name = actions.check_name(wish.name)
    if wish.documents:
        fields = uploads.list_known_fields(request.site, project)
        lines = [one.dict() for one in wish.documents]
        source = actions.keep_lines(request.site, project, uploads.check_lines(lines, fields))
    else:
        source = Source(most=wish.most, classification_id=wish.classification_id)
    ref = actions.create_test_set(request.site, project.id, name, by=request.auth.actor)
    tasks.order_building(ref, source, by=request.auth.actor)
    return Status(201, _shape(queries.get_test_set(ref)))


@router.get(
    "/{project_id}/test-sets/{testset_id}",
    response={200: SetShape, **FAILURES},
    operation_id="show_test_set",
    summary="Get a test set",
)
def show_test_set(request: ApiRequest, project_id: str, testset_id: str) -> SetShape:
    """Requires ADMIN."""
    project = access.project_to_configure(request, project_id)
    return _shape(queries.get_test_set(SetRef(request.site, project.id, testset_id)))


@router.patch(
    "/{project_id}/test-sets/{testset_id}",
    response={200: SetShape, **FAILURES},
    operation_id="change_test_set",
    summary="Change a test set",
)
def change_test_set(request: ApiRequest, project_id: str, testset_id: str, wish: SetPatch) -> SetShape:
    """Applies to reviews that open later. Requires ADMIN."""
    project = access.project_to_configure(request, project_id)
    ref = SetRef(request.site, project.id, testset_id)
    actions.seed_reviews(ref, wish.seed_share, by=request.auth.actor)
    return _shape(queries.get_test_set(ref))


@router.get(
    "/{project_id}/test-sets/{testset_id}/versions",
    response={200: SetVersionList, **FAILURES},
    operation_id="list_test_set_versions",
    summary="List versions of a test set",
)
def list_test_set_versions(
    request: ApiRequest, project_id: str, testset_id: str, after: str | None = None
) -> SetVersionList:
    """Newest first. Requires ADMIN."""
    project = access.project_to_configure(request, project_id)
    ref = SetRef(request.site, project.id, testset_id)
    queries.get_test_set(ref)
    page = queries.list_test_set_versions(ref, after)
    return SetVersionList(
        next=page.next,
        items=[
            SetVersion(
                version=int(one.version),
                tuning=int(one.tuning),
                held_back=int(one.held_back),
                note=one.note or "",
                created_at=one.created_at,
                created_by=one.user_name,
            )
            for one in page.rows
        ],
    )


def _shape(head: StoredTestSet) -> SetShape:
    return SetShape(
        id=head.testset_id,
        name=head.name,
        status=FAILED if head.is_lost else head.status,
        version=int(head.version),
        tuning=int(head.tuning),
        held_back=int(head.held_back),
        seed_share=float(head.seed_share or 0),
        message=head.message,
        created_at=head.created_at,
        updated_at=head.updated_at,
    )

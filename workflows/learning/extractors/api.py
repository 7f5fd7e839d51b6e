"""The API of extractors: list, train and activate them."""

from ninja import Field, Router, Schema, Status

from projects.settings.items import Project
from projects.sites import access
from projects.web.api import FAILURES, REFUSALS, ApiRequest, Body, with_example
from workflows.learning import versions
from workflows.learning.api import LearnedEvent, list_learned_events
from workflows.learning.extractors import actions, tasks
from workflows.learning.extractors.extractors import EXTRACTORS, Summary
from workflows.learning.versions import Version

router = Router(tags=["learning"])
_MOST = 999_999


class FieldOutcomeShape(Schema):
    """F1 (0–1) on sellers that it had not seen, ``before`` and ``after``. ``kept``: whether it extracts the field."""

    document_type: str
    name: str
    before: float
    after: float
    kept: bool


class ExtractorShape(Schema):
    """``gain``: of F1 over all fields, with its 95 % interval ``gain_low`` to ``gain_high``."""

    version: int
    documents: int
    created_at: str
    created_by: str
    activated_at: str | None
    activated_by: str | None
    gain: float
    gain_low: float
    gain_high: float
    fields: list[FieldOutcomeShape]


class ExtractorList(Schema):
    """``active``: of new runs; 0 is the built-in rules alone."""

    active: int
    items: list[ExtractorShape]
    events: list[LearnedEvent]


class ActiveExtractor(Body):
    """``version``: 0 for the built-in rules alone. ``expected``: the currently active one."""

    model_config = with_example(version=0, expected=0, reason="Back to the rules until more is reviewed")

    version: int = Field(ge=0, le=_MOST, strict=True)
    expected: int = Field(ge=0, le=_MOST, strict=True)
    reason: str = Field(min_length=1, max_length=actions.LONGEST_REASON)


@router.get(
    "/{project_id}/extractors",
    response={200: ExtractorList, **FAILURES},
    operation_id="list_extractors",
    summary="List extractors",
)
def list_extractors(request: ApiRequest, project_id: str) -> ExtractorList:
    """Newest first, with their latest events. Requires ADMIN."""
    return _shape(access.project_to_configure(request, project_id), request.site)


def _shape(project: Project, site: str) -> ExtractorList:
    return ExtractorList(
        active=versions.active_version(EXTRACTORS, project),
        items=[_shape_version(one) for one in versions.list_versions(EXTRACTORS, site, project.id)],
        events=list_learned_events(versions.list_version_events(EXTRACTORS, site, project.id)),
    )


def _shape_version(one: Version[Summary]) -> ExtractorShape:
    gain = one.summary.gain
    return ExtractorShape(
        version=one.number,
        documents=one.documents,
        created_at=one.created_at,
        created_by=one.created_by,
        activated_at=one.activated_at or None,
        activated_by=one.activated_by or None,
        gain=gain.share,
        gain_low=gain.low,
        gain_high=gain.high,
        fields=[
            FieldOutcomeShape(
                document_type=field.type_id, name=field.name, before=field.before.f1, after=field.after.f1,
                kept=field.kept,
            )
            for field in one.summary.fields
        ],
    )  # fmt: skip


@router.post(
    "/{project_id}/extractors",
    response={202: None, **FAILURES},
    operation_id="train_extractor",
    summary="Train an extractor on reviews",
)
def train_extractor(request: ApiRequest, project_id: str) -> Status[None]:
    """A worker stores a version, or records an event with the reason. Changes nothing by itself. Requires ADMIN."""
    project = access.project_to_configure(request, project_id)
    tasks.order_training(request.site, project.id, by=request.auth.actor)
    return Status(202, None)


@router.put(
    "/{project_id}/extractors/active",
    response={200: ExtractorList, **REFUSALS},
    operation_id="activate_extractor",
    summary="Activate an extractor",
)
def activate_extractor(request: ApiRequest, project_id: str, wish: ActiveExtractor) -> ExtractorList:
    """For runs that start from now on. 409 if the active version is not `expected`. Requires ADMIN."""
    project = access.project_to_configure(request, project_id)
    actions.activate_extractor(
        request.site, project.id, wish.version, seen=wish.expected, reason=wish.reason, by=request.auth.actor
    )
    return _shape(access.project_to_configure(request, project_id), request.site)

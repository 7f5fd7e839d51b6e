"""The API of workflow definitions: which there are, in which versions, and their steps."""

from ninja import Router, Schema

from projects.sites import access
from projects.web.api import FAILURES, ApiRequest
from workflows.definitions import versions
from workflows.definitions.versions import Version

router = Router(tags=["workflows"])


class WorkflowVersionShape(Schema):
    """``id``: what a run pins. ``status``: draft, active or archived; null if it is not published here."""

    id: str
    version: int
    description: str
    status: str | None
    published_at: str | None


class WorkflowShape(Schema):
    """``active``: the version that new runs get; 0 if none is."""

    name: str
    active: int
    versions: list[WorkflowVersionShape]


class WorkflowList(Schema):
    items: list[WorkflowShape]


class WorkflowStepShape(Schema):
    """``next``: outcome → name of the step after it; an empty outcome is any other. An empty name ends the run."""

    name: str
    label: str
    type: str
    next: dict[str, str]


class DefinitionShape(WorkflowVersionShape):
    name: str
    steps: list[WorkflowStepShape]


@router.get("", response={200: WorkflowList, **FAILURES}, operation_id="list_workflows", summary="List workflows")
def list_workflows(request: ApiRequest) -> WorkflowList:
    """Each with its versions, newest first. Requires ADMIN."""
    access.check_can_configure(request)
    return WorkflowList(
        items=[
            WorkflowShape(name=one.name, active=one.active, versions=list(map(_shape_version, one.versions)))
            for one in versions.list_families()
        ]
    )


@router.get(
    "/{definition_id}",
    response={200: DefinitionShape, **FAILURES},
    operation_id="show_workflow",
    summary="Get a workflow version",
)
def show_workflow(request: ApiRequest, definition_id: str) -> DefinitionShape:
    """`definition_id`: such as document-analysis.v2. Requires ADMIN."""
    access.check_can_configure(request)
    definition = versions.find_definition(definition_id)
    version = versions.get_family(definition.name).version(definition.version)
    names = {step.order: step.name for step in definition.steps}
    steps = [
        WorkflowStepShape(
            name=step.name,
            label=step.label,
            type=step.type,
            next={outcome: names.get(order, "") for outcome, order in step.next.items()},
        )
        for step in definition.steps
    ]
    return DefinitionShape(**_shape_version(version).dict(), name=definition.name, steps=steps)


def _shape_version(version: Version) -> WorkflowVersionShape:
    return WorkflowVersionShape(
        id=version.id,
        version=version.number,
        description=version.description,
        status=version.status,
        published_at=version.published_at,
    )

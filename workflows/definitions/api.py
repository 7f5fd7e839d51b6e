"""The API of workflow definitions: which there are and their steps; composing, checking, publishing, activating one."""

from typing import Annotated, Any, Literal

from ninja import Field, Router, Schema, Status

from config.errors import Refused
from projects.queues import queries as queue_queries
from projects.sites import access
from projects.web.api import (
    FAILURES,
    ApiRequest,
    Body,
    Problem,
    etag_of,
    read_if_match,
    with_etag,
    with_example,
)
from workflows.definitions import actions, checks, versions
from workflows.definitions.blueprint import Definition
from workflows.definitions.composition import (
    KINDS,
    LONGEST_NAME,
    MOST_APPROVERS,
    MOST_BLOCKS,
    MOST_CONDITIONS,
    NAME,
    Block,
    Plan,
    compose_definition,
    read_plan,
)
from workflows.definitions.forms import BlockRow
from workflows.definitions.items import ListedDefinition
from workflows.definitions.tasks import enqueue_deployment
from workflows.definitions.versions import Family, Version
from workflows.definitions.views import list_visible_standing
from workflows.rules.routing import Operator

router = Router(tags=["workflows"])
_REFUSALS: Any = {409: Problem, **FAILURES}
_OUTDATED: Any = {412: Problem, **_REFUSALS}
_OPERATORS: list[Any] = [one.value for one in Operator if one != Operator.CONTAINS]


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


class ConditionWish(Body):
    """``field``: of the project, or a path in the data such as contract.salary. ``value``: empty for EXISTS."""

    field: str = Field(min_length=1, max_length=40)
    operator: str = Field(json_schema_extra={"enum": [*_OPERATORS]})
    value: str = Field("", max_length=40)


class StepWish(Body):
    """``kind``: what it does, if all ``conditions`` hold. ``approvers``, ``queue`` (its name) and ``hours`` (0: the
    default) are of an approval; ``target``: addresses, URL, event type or key; ``value``: of a tag or an attribute.
    """

    kind: str = Field(json_schema_extra={"enum": [*KINDS]})
    name: str = Field(min_length=1, max_length=60)
    conditions: Annotated[list[ConditionWish], Field(default_factory=list, max_length=MOST_CONDITIONS)]
    approvers: int = Field(1, ge=1, le=MOST_APPROVERS, strict=True)
    queue: str = ""
    hours: int = Field(0, ge=0, le=24 * 90, strict=True)
    target: str = Field("", max_length=1000)
    value: str = Field("", max_length=200)


class PlanWish(Body):
    """What stands between the analysis and the publication; with ``runs_on`` data, all that an execution does."""

    model_config = with_example(
        description="Two of finance above 1,000",
        steps=[
            {
                "kind": "approval",
                "name": "Finance",
                "conditions": [{"field": "total", "operator": "GT", "value": "1000"}],
                "approvers": 2,
            }
        ],
    )

    description: str = Field("", max_length=200)
    runs_on: Literal["documents", "data"] = "documents"
    graph: bool = Field(True, strict=True)
    summary: bool = Field(True, strict=True)
    tell_rejected: bool = Field(False, strict=True)
    steps: Annotated[list[StepWish], Field(default_factory=list, max_length=MOST_BLOCKS)]


class NewWorkflow(Body):
    """``name``: lowercase letters, digits and single hyphens; it cannot be changed."""

    model_config = with_example(name="invoice-approval", plan={"description": "Approval of large invoices"})

    name: str = Field(min_length=1, max_length=LONGEST_NAME, json_schema_extra={"pattern": f"^{NAME.pattern}$"})
    plan: PlanWish


class WorkflowDraftShape(Schema):
    """The plan of the next version. ``version``: the newest that was published; 0 before the first."""

    name: str
    version: int
    updated_by: str
    updated_at: str
    plan: dict[str, Any]


class CheckedPlan(Schema):
    """``problems``: why it cannot be published; none if it can."""

    problems: list[str]
    steps: list[WorkflowStepShape]


class ActiveVersion(Body):
    """``version``: of the family's published ones."""

    model_config = with_example(version=1)

    version: int = Field(ge=1, le=999_999, strict=True)


@router.get("", response={200: WorkflowList, **FAILURES}, operation_id="list_workflows", summary="List workflows")
def list_workflows(request: ApiRequest) -> WorkflowList:
    """Each with its versions, newest first. Requires ADMIN."""
    access.check_can_configure(request)
    return WorkflowList(items=[_shape_family(one) for one in versions.list_families()])


def _shape_family(family: Family) -> WorkflowShape:
    return WorkflowShape(name=family.name, active=family.active, versions=list(map(_shape_version, family.versions)))


@router.get(
    "/{definition_id}",
    response={200: DefinitionShape, **FAILURES},
    operation_id="show_workflow",
    summary="Get a workflow version",
)
def show_workflow(request: ApiRequest, definition_id: str) -> DefinitionShape:
    """`definition_id`: such as document-analysis.v2. Requires ADMIN."""
    access.check_can_configure(request)
    return _shape_definition(versions.find_definition(definition_id))


def _shape_definition(definition: Definition) -> DefinitionShape:
    version = versions.get_family(definition.name).version(definition.version)
    return DefinitionShape(**_shape_version(version).dict(), name=definition.name, steps=_shape_steps(definition))


def _shape_steps(definition: Definition) -> list[WorkflowStepShape]:
    names = {step.order: step.name for step in definition.steps}
    return [
        WorkflowStepShape(
            name=step.name,
            label=step.label,
            type=step.type,
            next={outcome: names.get(order, "") for outcome, order in step.next.items()},
        )
        for step in definition.steps
    ]


def _shape_version(version: Version) -> WorkflowVersionShape:
    return WorkflowVersionShape(
        id=version.id,
        version=version.number,
        description=version.description,
        status=version.status,
        published_at=version.published_at,
    )


class StandingShape(Schema):
    """``step``: where the document's run is. ``needs_review``: whether it waits there for a person."""

    document_id: str
    name: str
    run_id: str
    step: str
    needs_review: bool
    since: str


class StandingList(Schema):
    items: list[StandingShape]
    next: str | None


@router.get(
    "/{name}/documents",
    response={200: StandingList, **FAILURES},
    operation_id="list_workflow_documents",
    summary="List documents by their step",
)
def list_workflow_documents(request: ApiRequest, name: str, after: str | None = None) -> StandingList:
    """Which documents stand at which step of a workflow, while their runs are under way. Requires READ."""
    access.check_can_view(request)
    rows, following = list_visible_standing(request, name, after)
    items = [
        StandingShape(
            document_id=row.document.document_id,
            name=row.document.name,
            run_id=row.run_id,
            step=row.step,
            needs_review=row.waits,
            since=row.since,
        )
        for row in rows
    ]
    return StandingList(items=items, next=following)


# --- composing ----------------------------------------------------------------
@router.post(
    "/plans/check",
    response={200: CheckedPlan, **FAILURES},
    operation_id="check_workflow_plan",
    summary="Check a workflow plan",
)
def check_workflow_plan(request: ApiRequest, wish: PlanWish) -> CheckedPlan:
    """The steps that it would have, and why it could not be published. Nothing is stored. Requires ADMIN."""
    access.check_can_configure(request)
    definition = compose_definition("plan", 1, _plan(request, wish))
    return CheckedPlan(problems=checks.definition_problems(definition), steps=_shape_steps(definition))


@router.post(
    "",
    response={201: WorkflowDraftShape, **_REFUSALS},
    operation_id="create_workflow",
    summary="Create a workflow",
)
def create_workflow(request: ApiRequest, wish: NewWorkflow) -> Any:
    """A draft without a version yet. On the main site. Requires ADMIN."""
    access.check_can_manage_sites(request)
    actions.create_composed(wish.name, _plan(request, wish.plan), by=request.auth.actor)
    return Status(201, _answer_draft(request, wish.name))


@router.get(
    "/{name}/draft",
    response={200: WorkflowDraftShape, **FAILURES},
    operation_id="show_workflow_draft",
    summary="Get a workflow's draft",
)
def show_workflow_draft(request: ApiRequest, name: str) -> WorkflowDraftShape:
    """Of a workflow that was composed here. On the main site. Requires ADMIN."""
    access.check_can_manage_sites(request)
    return _answer_draft(request, name)


@router.put(
    "/{name}/draft",
    response={200: WorkflowDraftShape, **_OUTDATED},
    operation_id="save_workflow_draft",
    summary="Save a workflow's draft",
)
def save_workflow_draft(request: ApiRequest, name: str, wish: PlanWish) -> WorkflowDraftShape:
    """Send the ETag as `If-Match` to be told of others' changes. `runs_on` cannot be changed. Requires ADMIN."""
    access.check_can_manage_sites(request)
    listed = versions.get_composed(name)
    plan, revision = _plan(request, wish), int(listed.revision or 0)
    read_if_match(request, _etag(listed), revision)
    if plan.documents != read_plan(listed.json).documents:
        raise Refused("What a workflow runs on cannot be changed. Create another workflow.")
    actions.save_plan(name, plan, revision=revision, by=request.auth.actor)
    return _answer_draft(request, name)


@router.post(
    "/{name}/versions",
    response={201: DefinitionShape, **_OUTDATED},
    operation_id="publish_workflow",
    summary="Publish a workflow version",
)
def publish_workflow(request: ApiRequest, name: str) -> Any:
    """Make the draft the next version, which never changes; a worker deploys it. 422 says what is wrong with it.

    No run gets it before it is activated. Requires ADMIN.
    """
    access.check_can_manage_sites(request)
    listed = versions.get_composed(name)
    revision = int(listed.revision or 0)
    read_if_match(request, _etag(listed), revision)
    definition = actions.publish_plan(name, revision=revision, by=request.auth.actor)
    enqueue_deployment(definition.id)
    return Status(201, _shape_definition(definition))


@router.put(
    "/{name}/labels/active",
    response={200: WorkflowShape, **_REFUSALS},
    operation_id="activate_workflow_version",
    summary="Activate a workflow version",
)
def activate_workflow_version(request: ApiRequest, name: str, wish: ActiveVersion) -> WorkflowShape:
    """New runs get it; started ones keep theirs. 422 if it is active, or is not deployed yet. Requires ADMIN."""
    access.check_can_manage_sites(request)
    family = versions.get_family(name)
    version = family.version(wish.version)
    actions.activate_definition(version.id, instead_of=family.active, by=request.auth.actor)
    return _shape_family(versions.get_family(name))


@router.post(
    "/{definition_id}/archive",
    response={200: WorkflowShape, **_REFUSALS},
    operation_id="archive_workflow_version",
    summary="Archive a workflow version",
)
def archive_workflow_version(request: ApiRequest, definition_id: str) -> WorkflowShape:
    """Its runs continue; if it is the active one, no new ones start. Requires ADMIN."""
    access.check_can_manage_sites(request)
    definition = versions.find_definition(definition_id)
    actions.archive_definition(definition.id, by=request.auth.actor)
    return _shape_family(versions.get_family(definition.name))


def _answer_draft(request: ApiRequest, name: str) -> WorkflowDraftShape:
    listed = versions.get_composed(name)
    plan = read_plan(listed.json)
    shape = WorkflowDraftShape(
        name=name,
        version=int(listed.version or 0),
        updated_by=str(listed.updated_by or ""),
        updated_at=str(listed.updated_at or ""),
        plan={
            "description": plan.description,
            "runs_on": "documents" if plan.documents else "data",
            "graph": plan.graph,
            "summary": plan.summary,
            "tell_rejected": plan.tell_rejected,
            "steps": [_shape_block(one) for one in plan.blocks],
        },
    )
    return with_etag(request, shape, _etag(listed))


def _etag(listed: ListedDefinition) -> str:
    return etag_of(listed.documentId, int(listed.revision or 0), int(listed.version or 0))


def _shape_block(block: Block) -> dict[str, Any]:
    target = next((block.parameters[name] for name in ("to", "url", "type", "key") if name in block.parameters), "")
    return {
        "kind": block.kind,
        "name": block.label,
        "conditions": [
            {"field": one.key, "operator": one.operator.value, "value": one.value} for one in block.conditions
        ],
        "approvers": block.approvers,
        "queue": block.queue,
        "hours": block.hours,
        "target": target,
        "value": block.parameters.get("value", ""),
    }


def _plan(request: ApiRequest, wish: PlanWish) -> Plan:
    """What is typed on the page is checked by the same form. Raises: Refused, with every entry that is wrong."""
    documents = wish.runs_on == "documents"
    queues = {one.name: one.name for one in queue_queries.all_queues(request.site) if not one.is_archived}
    rows = [BlockRow(_typed(one), queues=queues, documents=documents) for one in wish.steps]
    wrong = [
        f"Step {number}, {name}: {errors[0]}"
        for number, row in enumerate(rows, 1)
        for name, errors in row.errors.items()
    ]
    if wrong:
        raise Refused(" ".join(wrong))
    blocks = tuple(row.block() for row in rows)
    return Plan(wish.description, blocks, wish.graph, wish.summary, wish.tell_rejected, documents)


def _typed(step: StepWish) -> dict[str, Any]:
    told = {"kind": step.kind, "label": step.name, "queue": step.queue, "target": step.target, "value": step.value}
    for i, one in enumerate(step.conditions, 1):
        told |= {f"key_{i}": one.field, f"operator_{i}": one.operator, f"value_{i}": one.value}
    return told | {"approvers": step.approvers, "hours": step.hours or ""}

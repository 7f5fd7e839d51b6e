"""The API of workflow definitions: list, compose, check, publish and activate versions."""

from typing import Annotated, Any, Literal

from ninja import Field, Router, Schema, Status

from config.errors import Refused
from projects.queues import queries as queue_queries
from projects.sites import access
from projects.web.api import (
    FAILURES,
    OUTDATED,
    REFUSALS,
    ApiRequest,
    Body,
    etag_of,
    read_if_match,
    with_etag,
    with_example,
)
from workflows.definitions import actions, checks, versions
from workflows.definitions.blueprint import Definition
from workflows.definitions.composition import (
    BETWEEN,
    KINDS,
    LONGEST_NAME,
    MOST_APPROVERS,
    MOST_BLOCKS,
    MOST_CONDITIONS,
    MOST_CORRECTED,
    NAME,
    PART,
    WAIT,
    Block,
    Plan,
    read_plan,
)
from workflows.definitions.forms import BlockRow, Offers
from workflows.definitions.items import ListedDefinition
from workflows.definitions.rules import Operator
from workflows.definitions.tasks import enqueue_deployment
from workflows.definitions.versions import Family, Version
from workflows.executions.trial import try_on_data, try_on_document
from workflows.runs.documents_at_steps import list_visible_documents

router = Router(tags=["workflows"])
_OPERATORS: list[Any] = [one.value for one in Operator if one != Operator.CONTAINS]


class WorkflowVersionShape(Schema):
    """``id``: what a run pins. ``status``: draft, active or archived; null if not published here."""

    id: str
    version: int
    description: str
    status: str | None
    published_at: str | None


class WorkflowShape(Schema):
    """``active``: the version that new runs get; 0 for none."""

    name: str
    active: int
    versions: list[WorkflowVersionShape]


class WorkflowList(Schema):
    items: list[WorkflowShape]


class WorkflowStepShape(Schema):
    """``next``: outcome → name of the next step; an empty outcome is any other. An empty name ends the run.

    ``part_of``: the ID of the workflow version that the step was taken from; null for the workflow's own steps.
    """

    name: str
    label: str
    type: str
    part_of: str | None
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
    """``kind``: what the step does if all ``conditions`` hold.

    For approvals: ``approvers``, ``queue`` (its name) and ``hours`` (0: the default). ``target``: addresses, URL, event
    type or key. ``value``: of a tag or an attribute. A wait has ``hours``, or in ``target`` the date field to wait for.
    ``workflow`` has in ``target`` the ID of the version whose steps it takes, such as credit-check.v1. ``corrects``:
    paths of the data entries that approvers may correct; of a document they may correct all fields.
    """

    kind: str = Field(json_schema_extra={"enum": [*KINDS]})
    name: str = Field(min_length=1, max_length=60)
    conditions: Annotated[list[ConditionWish], Field(default_factory=list, max_length=MOST_CONDITIONS)]
    approvers: int = Field(1, ge=1, le=MOST_APPROVERS, strict=True)
    queue: str = ""
    hours: int = Field(0, ge=0, le=24 * 365, strict=True)
    target: str = Field("", max_length=1000)
    value: str = Field("", max_length=200)
    corrects: Annotated[list[str], Field(default_factory=list, max_length=MOST_CORRECTED)]


class PlanWish(Body):
    """The steps between analysis and publication; if it runs on data, all steps of an execution."""

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
    """The plan of the next version. ``version``: the latest published version; 0 before the first."""

    name: str
    version: int
    updated_by: str
    updated_at: str
    plan: dict[str, Any]


class CheckedPlan(Schema):
    """``problems``: why it cannot be published; empty if it can."""

    problems: list[str]
    steps: list[WorkflowStepShape]


class PlanTrial(Body):
    """``document_id``: of an analyzed document, if the plan runs on documents. ``input``: any JSON, if on data."""

    model_config = with_example(
        document_id="",
        input={"contract": {"salary": 90000}},
        plan={
            "runs_on": "data",
            "steps": [
                {
                    "kind": "approval",
                    "name": "Head of department",
                    "conditions": [{"field": "contract.salary", "operator": "GT", "value": "80000"}],
                }
            ],
        },
    )

    plan: PlanWish
    document_id: str = Field("", max_length=100)
    input: Any = None


class TriedStep(Schema):
    """``told``: what would happen at the step, in words."""

    label: str
    told: str


class TriedPlan(Schema):
    """``steps``: in their order, if every approval is given. ``problems``: why the plan could not be published."""

    problems: list[str]
    steps: list[TriedStep]


class ActiveVersion(Body):
    """``version``: a published version of the family."""

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
            part_of=step.part.rpartition(BETWEEN)[2] or None,
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


class WorkflowDocument(Schema):
    """``step``: the current step of the run. ``needs_review``: whether it waits there for a person."""

    document_id: str
    name: str
    run_id: str
    step: str
    needs_review: bool
    since: str


class WorkflowDocumentList(Schema):
    items: list[WorkflowDocument]
    next: str | None


@router.get(
    "/{name}/documents",
    response={200: WorkflowDocumentList, **FAILURES},
    operation_id="list_workflow_documents",
    summary="List documents by their step",
)
def list_workflow_documents(request: ApiRequest, name: str, after: str | None = None) -> WorkflowDocumentList:
    """Lists documents in progress and the step that each is at. Requires READ."""
    access.check_can_view(request)
    rows, following = list_visible_documents(request, name, after)
    items = [
        WorkflowDocument(
            document_id=row.document.document_id,
            name=row.document.name,
            run_id=row.run_id,
            step=row.step,
            needs_review=row.waits,
            since=row.since,
        )
        for row in rows
    ]
    return WorkflowDocumentList(items=items, next=following)


# --- composing ----------------------------------------------------------------
@router.post(
    "/plans/check",
    response={200: CheckedPlan, **FAILURES},
    operation_id="check_workflow_plan",
    summary="Check a workflow plan",
)
def check_workflow_plan(request: ApiRequest, wish: PlanWish) -> CheckedPlan:
    """Returns the resulting steps, and why the plan could not be published. Stores nothing. Requires ADMIN."""
    access.check_can_configure(request)
    definition = versions.compose("plan", 1, _plan(request, wish))
    return CheckedPlan(problems=checks.definition_problems(definition), steps=_shape_steps(definition))


@router.post(
    "/plans/try",
    response={200: TriedPlan, **REFUSALS},
    operation_id="try_workflow_plan",
    summary="Try a workflow plan",
)
def try_workflow_plan(request: ApiRequest, wish: PlanTrial) -> TriedPlan:
    """Returns the path that the document's newest result, or the input, would take.

    Starts and stores nothing. On the main site. Requires ADMIN.
    """
    access.check_can_manage_sites(request)
    definition = versions.compose("plan", 1, _plan(request, wish.plan))
    if definition.needs_document:
        access.check_can_view(request)
        found = try_on_document(request, definition, wish.document_id)
    else:
        found = try_on_data(definition, wish.input)
    return TriedPlan(
        problems=checks.definition_problems(definition),
        steps=[TriedStep(label=one.label, told=one.words) for one in found],
    )


@router.post(
    "",
    response={201: WorkflowDraftShape, **REFUSALS},
    operation_id="create_workflow",
    summary="Create a workflow",
)
def create_workflow(request: ApiRequest, wish: NewWorkflow) -> Any:
    """Creates a draft without a version. On the main site. Requires ADMIN."""
    access.check_can_manage_sites(request)
    actions.create_composed(wish.name, _plan(request, wish.plan, wish.name), by=request.auth.actor)
    return Status(201, _answer_draft(request, wish.name))


@router.get(
    "/{name}/draft",
    response={200: WorkflowDraftShape, **FAILURES},
    operation_id="show_workflow_draft",
    summary="Get a workflow's draft",
)
def show_workflow_draft(request: ApiRequest, name: str) -> WorkflowDraftShape:
    """Returns the draft of a composed workflow. On the main site. Requires ADMIN."""
    access.check_can_manage_sites(request)
    return _answer_draft(request, name)


@router.put(
    "/{name}/draft",
    response={200: WorkflowDraftShape, **OUTDATED},
    operation_id="save_workflow_draft",
    summary="Save a workflow's draft",
)
def save_workflow_draft(request: ApiRequest, name: str, wish: PlanWish) -> WorkflowDraftShape:
    """Send the ETag as `If-Match` to detect concurrent changes. `runs_on` cannot be changed. Requires ADMIN."""
    access.check_can_manage_sites(request)
    listed = versions.get_composed(name)
    plan, revision = _plan(request, wish, name), int(listed.revision or 0)
    read_if_match(request, _etag(listed), revision)
    if plan.documents != read_plan(listed.json).documents:
        raise Refused("What a workflow runs on cannot be changed. Create another workflow.")
    actions.save_plan(name, plan, revision=revision, by=request.auth.actor)
    return _answer_draft(request, name)


@router.post(
    "/{name}/versions",
    response={201: DefinitionShape, **OUTDATED},
    operation_id="publish_workflow",
    summary="Publish a workflow version",
)
def publish_workflow(request: ApiRequest, name: str) -> Any:
    """Publishes the draft as the next version, which never changes; a worker deploys it.

    No run gets it before it is activated. 422 lists what is wrong with it. Requires ADMIN.
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
    response={200: WorkflowShape, **REFUSALS},
    operation_id="activate_workflow_version",
    summary="Activate a workflow version",
)
def activate_workflow_version(request: ApiRequest, name: str, wish: ActiveVersion) -> WorkflowShape:
    """New runs get it; started ones keep theirs. 422 if it is active or not deployed yet. Requires ADMIN."""
    access.check_can_manage_sites(request)
    family = versions.get_family(name)
    version = family.version(wish.version)
    actions.activate_definition(version.id, instead_of=family.active, by=request.auth.actor)
    return _shape_family(versions.get_family(name))


@router.post(
    "/{definition_id}/archive",
    response={200: WorkflowShape, **REFUSALS},
    operation_id="archive_workflow_version",
    summary="Archive a workflow version",
)
def archive_workflow_version(request: ApiRequest, definition_id: str) -> WorkflowShape:
    """Its runs continue. If it was active, no new runs start. Requires ADMIN."""
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
    named = ("to", "url", "type", "key", "field", "definition")
    target = next((block.parameters[name] for name in named if name in block.parameters), "")
    return {
        "kind": block.kind,
        "name": block.label,
        "conditions": [
            {"field": one.key, "operator": one.operator.value, "value": one.value} for one in block.conditions
        ],
        "approvers": block.approvers,
        "queue": block.queue,
        "hours": int(block.parameters.get("hours", block.hours)),
        "target": target,
        "corrects": list(block.corrects),
        "value": block.parameters.get("value", ""),
    }


def _plan(request: ApiRequest, wish: PlanWish, family: str = "") -> Plan:
    """Validate the plan with the form of the page. Raises: Refused, listing every invalid entry."""
    documents = wish.runs_on == "documents"
    queues = {one.name: one.name for one in queue_queries.all_queues(request.site) if not one.is_archived}
    parts = versions.list_parts(family, documents=documents) if any(one.kind == PART for one in wish.steps) else {}
    rows = [BlockRow(_typed(one), offers=Offers(queues, parts), documents=documents) for one in wish.steps]
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
    told: dict[str, Any] = {"kind": step.kind, "label": step.name, "queue": step.queue, "value": step.value}
    for i, one in enumerate(step.conditions, 1):
        told |= {f"key_{i}": one.field, f"operator_{i}": one.operator, f"value_{i}": one.value}
    if step.kind == PART:
        return told | {"part": step.target}
    if step.kind == WAIT:
        return told | {"wait_hours": step.hours or "", "wait_field": step.target}
    told |= {"target": step.target, "approvers": step.approvers, "hours": step.hours or ""}
    return told | {"corrects": ", ".join(step.corrects)}

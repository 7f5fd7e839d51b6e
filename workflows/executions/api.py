"""The API of executions: list those of a workflow; start, read, cancel and purge those without a document."""

import json
from typing import Any

from ninja import Field, Router, Schema, Status

from config import clock
from config.errors import NotFound
from projects.documents.states import word_of_run
from projects.sites import access
from projects.web.api import FAILURES, KEY_LENGTH, REFUSALS, ApiRequest, Body, idempotency_key, with_example
from projects.web.links import page_url
from workflows.definitions import versions
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.executions import actions, data, queries, starting
from workflows.executions.actions import Wish
from workflows.executions.items import InputExecution
from workflows.executions.visibility import get_visible, list_visible
from workflows.runs.views.runs import list_visible_executions, run_rows
from workflows.runs.views.state_labels import WAITING

router = Router(tags=["workflows"])
_KEY: Any = {
    "parameters": [
        {
            "name": "Idempotency-Key",
            "in": "header",
            "required": False,
            "schema": {"type": "string", "minLength": 1, "maxLength": KEY_LENGTH},
            "description": "Repeating a request with the same key, workflow and input returns the same execution; the "
            "same key with another workflow or input returns 422.",
        }
    ]
}


class ListedExecution(Schema):
    """``status``: of a run, or for executions without a document: running, in_review, or the outcome.

    ``definition``: the pinned version. Without a document, ``document_id`` is null and ``name`` is the title.
    """

    run_id: str
    document_id: str | None
    project_name: str
    name: str
    definition: str
    status: str
    started_at: str | None


class ListedExecutions(Schema):
    items: list[ListedExecution]
    next: str | None


class ExecutionShape(Schema):
    """``status``: running, in_review, completed, rejected, expired, failed or cancelled. ``step``: null at the end.

    ``review_id``: of the open review; ``waits_until``: the end of the current wait. ``reason``: why it ended, if it was
    not completed.
    """

    id: str
    workflow: str
    definition: str
    title: str
    status: str
    step: str | None
    review_id: str | None
    waits_until: str | None
    reason: str | None
    started_by: str
    created_at: str
    updated_at: str
    url: str


class ExecutionDetail(ExecutionShape):
    input: Any


class CorrectedEntry(Schema):
    """``entry``: its path in the data; an empty text means no value."""

    entry: str
    before: str
    after: str


class StepLeft(Schema):
    """``to``: null at the end. ``reason``: of the transition. For approvals: ``by`` and ``corrections``."""

    step: str
    to: str | None
    result: str
    reason: str | None
    by: str | None
    corrections: list[CorrectedEntry]
    at: str


class StepsLeft(Schema):
    items: list[StepLeft]


class ExecutionWish(Body):
    """``input``: any JSON of up to 16,384 bytes. ``title``: what lists show; empty for the workflow's name."""

    model_config = with_example(workflow="onboarding", title="Jane Doe", input={"name": "Jane", "salary": 5200})

    workflow: str = Field(min_length=1, max_length=64)
    title: str = Field("", max_length=data.LONGEST_TITLE)
    input: Any


@router.get(
    "",
    response={200: ListedExecutions, **FAILURES},
    operation_id="list_executions",
    summary="List executions of a workflow",
)
def list_executions(
    request: ApiRequest, workflow: str = DOCUMENT_ANALYSIS.name, after: str | None = None
) -> ListedExecutions:
    """Newest first. `workflow`: the name of a definition, as returned by list_workflows. Requires READ."""
    access.check_can_view(request)
    if workflow in versions.list_without_documents():
        page = list_visible(request, workflow, request.auth.actor, after)
        return ListedExecutions(items=[_listed(one) for one in page.rows], next=page.next)
    if workflow not in versions.list_names():
        raise NotFound("Workflow definition not found.")
    runs = list_visible_executions(request, workflow, after)
    return ListedExecutions(
        items=[
            ListedExecution(
                run_id=row.run_id,
                document_id=row.run.document_id,
                project_name=row.project_name,
                name=row.name,
                definition=row.definition,
                status=word_of_run(row.run.outcome, waits=row.mark == WAITING),
                started_at=clock.iso(row.started_at) if row.started_at else None,
            )
            for row in run_rows(request.site, runs.rows)
        ],
        next=runs.next,
    )


def _listed(execution: InputExecution) -> ListedExecution:
    return ListedExecution(
        run_id=execution.executionId,
        document_id=None,
        project_name="",
        name=str(execution.title),
        definition=execution.definition,
        status=_status(execution),
        started_at=execution.createdAt,
    )


def _status(execution: InputExecution) -> str:
    return word_of_run(execution.outcome, waits=bool(execution.review))


@router.post(
    "",
    response={201: ExecutionShape, 200: ExecutionShape, **FAILURES},
    operation_id="start_execution",
    summary="Start an execution",
    openapi_extra=_KEY,
)
def start_execution(request: ApiRequest, wish: ExecutionWish) -> Any:
    """For workflows without documents. 200 if this Idempotency-Key has already started it. Requires WRITE."""
    access.check_can_upload(request)
    key = idempotency_key(request)
    title, text = data.check_title(wish.title), data.write_input(wish.input)
    definition = starting.startable_definition(wish.workflow)
    asked = Wish(definition, title, text, key=f"key {key}" if key else "")
    execution, new = starting.start_execution(request.site, asked, by=request.auth.actor)
    return Status(201 if new else 200, ExecutionShape(**_shape(request, execution)))


@router.get(
    "/{execution_id}",
    response={200: ExecutionDetail, **FAILURES},
    operation_id="show_execution",
    summary="Get an execution",
)
def show_execution(request: ApiRequest, execution_id: str) -> ExecutionDetail:
    """Returns an execution without a document, with its input. Requires READ."""
    access.check_can_view(request)
    execution = get_visible(request, execution_id, request.auth.actor)
    given = json.loads(queries.get_input(request.site, execution_id))
    return ExecutionDetail(**_shape(request, execution), input=given)


@router.get(
    "/{execution_id}/transitions",
    response={200: StepsLeft, **FAILURES},
    operation_id="list_execution_transitions",
    summary="List an execution's transitions",
)
def list_execution_transitions(request: ApiRequest, execution_id: str) -> StepsLeft:
    """Lists the steps that it left, oldest first. Requires READ."""
    access.check_can_view(request)
    execution = get_visible(request, execution_id, request.auth.actor)
    names = {step.order: step.name for step in versions.find_definition(execution.definition).steps}
    found = []
    for one in queries.list_transitions(request.site, execution_id):
        facts = one.data.as_dict() if one.data else {}
        found.append(
            StepLeft(
                step=names.get(int(one.fromStep), str(int(one.fromStep))),
                to=names.get(int(one.toStep)),
                result=one.result,
                reason=facts.get("reason"),
                by=facts.get("by"),
                corrections=[CorrectedEntry(**one) for one in facts.get("corrections") or ()],
                at=one.occurredAt,
            )
        )
    return StepsLeft(items=found)


@router.post(
    "/{execution_id}/cancel",
    response={200: ExecutionShape, **REFUSALS},
    operation_id="cancel_execution",
    summary="Cancel an execution",
)
def cancel_execution(request: ApiRequest, execution_id: str) -> ExecutionShape:
    """Its open review leaves the queue. 409 if it has ended. Requires WRITE."""
    access.check_can_upload(request)
    get_visible(request, execution_id, request.auth.actor)
    starting.cancel_execution(request.site, execution_id, by=request.auth.actor)
    return ExecutionShape(**_shape(request, queries.get_execution(request.site, execution_id)))


@router.delete(
    "/{execution_id}",
    response={204: None, **REFUSALS},
    operation_id="purge_execution",
    summary="Purge an execution",
)
def purge_execution(request: ApiRequest, execution_id: str) -> Any:
    """Permanently deletes the input, steps and reviews of an ended execution. Requires DELETE."""
    access.check_can_delete(request)
    get_visible(request, execution_id, request.auth.actor)
    actions.purge_execution(request.site, execution_id, by=request.auth.actor)
    return Status(204, None)


def _shape(request: ApiRequest, execution: InputExecution) -> dict[str, Any]:
    order = int(execution.currentStep)
    step = versions.find_definition(execution.definition).step(order).name if order > 0 else None
    return {
        "id": execution.executionId,
        "workflow": execution.workflowId,
        "definition": execution.definition,
        "title": str(execution.title),
        "status": _status(execution),
        "step": step,
        "review_id": execution.review,
        "waits_until": execution.waits_until,
        "reason": execution.reason,
        "started_by": str(execution.started_by or execution.triggeredBy),
        "created_at": execution.createdAt,
        "updated_at": execution.updatedAt,
        "url": page_url(request.site, "workflows:show-execution", execution.executionId),
    }

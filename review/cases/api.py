"""The API of cases: open, fill, complete and close them; with personal tokens, the person's own tasks."""

from typing import Any

from ninja import Field, Router, Schema, Status

from config.errors import NotFound, Refused
from config.item import Page
from projects.queues import visibility
from projects.sites import access
from projects.sites.people import list_people
from projects.sites.permissions import Permission
from projects.web.api import FAILURES, REFUSALS, ApiRequest, Body, with_example
from review.cases import actions, queries
from review.cases.actions import LONGEST_NAME, LONGEST_TEXT, CaseText, TaskText
from review.cases.items import Case, CaseItem, CaseStatus, CaseTask, Kind
from review.cases.rejections import read_description

router = Router(tags=["cases"])
_STATUS: Any = {"enum": ["OPEN", "CLOSED"]}


class CaseShape(Schema):
    """``open_items``: tasks and NIGOs that are open; when the last is closed, the case is."""

    id: str
    name: str
    description: str
    number: str
    reference: str
    status: str = Field(json_schema_extra=_STATUS)
    open_items: int
    created_at: str
    closed_at: str | None


class CaseList(Schema):
    items: list[CaseShape]
    next: str | None


class ItemShape(Schema):
    """A task or a NIGO (not in good order). ``owner`` and ``due_on``: of tasks. ``documents``: attached to it."""

    id: str
    name: str
    description: str
    status: str = Field(json_schema_extra=_STATUS)
    owner: str | None
    due_on: str | None
    answer: str | None
    closed_by: str | None
    documents: list[str]


class WholeCase(CaseShape):
    tasks: list[ItemShape]
    nigos: list[ItemShape]
    documents: list[str]


class TaskShape(Schema):
    """``due_on``: a day; null if it has none."""

    id: str
    case_id: str
    name: str
    due_on: str | None


class TaskList(Schema):
    items: list[TaskShape]
    next: str | None


class CaseWish(Body):
    """``number``: generated if empty."""

    model_config = with_example(name="Claim of Mrs Alder", reference="AL-2026-17")

    name: str = Field(min_length=1, max_length=LONGEST_NAME)
    description: str = Field("", max_length=LONGEST_TEXT)
    number: str = Field("", max_length=LONGEST_NAME)
    reference: str = Field("", max_length=LONGEST_NAME)
    documents: list[str] = Field(default_factory=list, max_length=50)


class TaskWish(Body):
    """``owner_id``: the ID of a person of the site, empty if unassigned. ``due_on``: a day, such as 2026-12-31."""

    model_config = with_example(name="Ask for the signed form", due_on="2026-12-31")

    name: str = Field(min_length=1, max_length=LONGEST_NAME)
    description: str = Field("", max_length=LONGEST_TEXT)
    owner_id: str = ""
    due_on: str = ""


class NigoWish(Body):
    model_config = with_example(name="No signature on page 2")

    name: str = Field(min_length=1, max_length=LONGEST_NAME)
    description: str = Field("", max_length=LONGEST_TEXT)


class StatusWish(Body):
    """``answer``: what was done about a task or a NIGO."""

    model_config = with_example(status="CLOSED", answer="Signed form received")

    status: str = Field(json_schema_extra=_STATUS)
    answer: str = Field("", max_length=LONGEST_TEXT)


class Made(Schema):
    id: str


@router.get("", response={200: CaseList, **FAILURES}, operation_id="list_cases", summary="List cases")
def list_cases(request: ApiRequest, status: str = "OPEN", after: str | None = None) -> CaseList:
    """Last changed first; ``status``: OPEN or CLOSED. Requires READ."""
    access.check_can_view(request)
    page = queries.list_cases(request.site, _status(status), cursor=after)
    return CaseList(items=[CaseShape(**_case(one)) for one in page.rows], next=page.next)


def _status(text: str) -> CaseStatus:
    """Raises: Refused."""
    if text not in {one.value for one in CaseStatus}:
        raise Refused("status must be OPEN or CLOSED.")
    return CaseStatus(text)


@router.post("", response={201: WholeCase, **REFUSALS}, operation_id="create_case", summary="Open a case")
def create_case(request: ApiRequest, wish: CaseWish) -> Any:
    """Opens a case with its first documents. Requires READ and WRITE."""
    access.check_can_upload(request)
    for one in wish.documents:
        visibility.check_document(request, one)
    text = CaseText(wish.name, wish.description, wish.number, wish.reference)
    case = actions.create_case(request.site, text, by=request.auth.actor, document_ids=wish.documents)
    return Status(201, _whole(request, case.case_id))


@router.get("/tasks", response={200: TaskList, **FAILURES}, operation_id="list_my_tasks", summary="List your tasks")
def list_my_tasks(request: ApiRequest, after: str | None = None) -> TaskList:
    """Open tasks of the person whose token this is, by due day; empty for other API keys. Requires READ."""
    access.check_can_view(request)
    person_id = request.auth.person_id
    page = queries.list_tasks_of(request.site, person_id, cursor=after) if person_id else Page([], None)
    return TaskList(items=[_task(one) for one in page.rows], next=page.next)


def _task(one: CaseTask) -> TaskShape:
    return TaskShape(id=one.item_id, case_id=one.case_id, name=one.name or "", due_on=one.due_on or None)


@router.get("/{case_id}", response={200: WholeCase, **FAILURES}, operation_id="show_case", summary="Get a case")
def show_case(request: ApiRequest, case_id: str) -> WholeCase:
    """Returns its tasks, NIGOs and documents too. Requires READ."""
    access.check_can_view(request)
    return _whole(request, case_id)


@router.put(
    "/{case_id}/status", response={200: WholeCase, **REFUSALS}, operation_id="settle_case", summary="Close or reopen"
)
def settle_case(request: ApiRequest, case_id: str, wish: StatusWish) -> WholeCase:
    """422 while a task or a NIGO is open. Requires READ and WRITE."""
    access.check_can_upload(request)
    do = actions.close_case if _status(wish.status) == CaseStatus.CLOSED else actions.reopen_case
    do(request.site, case_id, by=request.auth.actor)
    return _whole(request, case_id)


@router.post("/{case_id}/tasks", response={201: Made, **REFUSALS}, operation_id="add_task", summary="Add a task")
def add_task(request: ApiRequest, case_id: str, wish: TaskWish) -> Any:
    """Reopens a closed case. Requires READ and WRITE."""
    access.check_can_upload(request)
    people = {one.id: one.name for one in list_people(request.site, Permission.READ)} if wish.owner_id else {}
    if wish.owner_id and wish.owner_id not in people:
        raise Refused("owner_id is no person of this site.")
    text = TaskText(wish.name, wish.description, wish.owner_id, people.get(wish.owner_id, ""), wish.due_on)
    return Status(201, Made(id=actions.add_task(request.site, case_id, text, by=request.auth.actor)))


@router.post("/{case_id}/nigos", response={201: Made, **REFUSALS}, operation_id="add_nigo", summary="Add a NIGO")
def add_nigo(request: ApiRequest, case_id: str, wish: NigoWish) -> Any:
    """Something is missing or wrong. Reopens a closed case. Requires READ and WRITE."""
    access.check_can_upload(request)
    made = actions.add_nigo(request.site, case_id, wish.name, wish.description, by=request.auth.actor)
    return Status(201, Made(id=made))


@router.put(
    "/{case_id}/tasks/{item_id}/status",
    response={200: WholeCase, **REFUSALS},
    operation_id="settle_task",
    summary="Complete or reopen a task",
)
def settle_task(request: ApiRequest, case_id: str, item_id: str, wish: StatusWish) -> WholeCase:
    """Completing the last open item closes the case. Requires READ and WRITE."""
    return _settle(request, case_id, Kind.TASK, item_id, wish)


@router.put(
    "/{case_id}/nigos/{item_id}/status",
    response={200: WholeCase, **REFUSALS},
    operation_id="settle_nigo",
    summary="Resolve or reopen a NIGO",
)
def settle_nigo(request: ApiRequest, case_id: str, item_id: str, wish: StatusWish) -> WholeCase:
    """Completing the last open item closes the case. Requires READ and WRITE."""
    return _settle(request, case_id, Kind.NIGO, item_id, wish)


def _settle(request: ApiRequest, case_id: str, kind: Kind, item_id: str, wish: StatusWish) -> WholeCase:
    access.check_can_upload(request)
    if _status(wish.status) == CaseStatus.CLOSED:
        actions.close_item(request.site, case_id, kind, item_id, answer=wish.answer, by=request.auth.actor)
    else:
        actions.reopen_item(request.site, case_id, kind, item_id, by=request.auth.actor)
    return _whole(request, case_id)


@router.put(
    "/{case_id}/documents/{document_id}",
    response={200: WholeCase, **REFUSALS},
    operation_id="attach_document",
    summary="Attach a document",
)
def attach_document(
    request: ApiRequest, case_id: str, document_id: str, task: str | None = None, nigo: str | None = None
) -> WholeCase:
    """Attaches it to the case, or to one of its tasks or NIGOs. Idempotent. Requires READ and WRITE."""
    access.check_can_upload(request)
    queries.get_case(request.site, case_id)  # first: the answer must not tell whether a hidden document is there
    visibility.check_document(request, document_id)
    kind, item_id = (Kind.TASK, task) if task else (Kind.NIGO, nigo) if nigo else (Kind.CASE, "")
    actions.attach_document(request.site, case_id, document_id, by=request.auth.actor, kind=kind, item_id=item_id or "")
    return _whole(request, case_id)


@router.delete(
    "/{case_id}/documents/{document_id}",
    response={204: None, **REFUSALS},
    operation_id="detach_document",
    summary="Detach a document",
)
def detach_document(
    request: ApiRequest, case_id: str, document_id: str, task: str | None = None, nigo: str | None = None
) -> Status[None]:
    """Keeps the document itself. 404 if it is not attached. Requires READ and WRITE."""
    access.check_can_upload(request)
    rows = queries.get_case_rows(request.site, case_id)
    visibility.check_document(request, document_id)
    kind, item_id = (Kind.TASK, task) if task else (Kind.NIGO, nigo) if nigo else (Kind.CASE, "")
    object_id = item_id or case_id
    if not any(one.documentId == document_id and one.objectId == object_id for one in rows.documents):
        raise NotFound("The document is not attached.")
    actions.detach_document(request.site, case_id, document_id, by=request.auth.actor, kind=kind, item_id=item_id or "")
    return Status(204, None)


def _whole(request: ApiRequest, case_id: str) -> WholeCase:
    rows = queries.get_case_rows(request.site, case_id)
    hidden = visibility.find_hidden_documents(request, {str(one.documentId) for one in rows.documents})
    attached: dict[str, list[str]] = {}
    for one in rows.documents:
        if one.documentId not in hidden:
            attached.setdefault(str(one.objectId), []).append(str(one.documentId))

    def shape(item: CaseItem) -> ItemShape:
        task = item if isinstance(item, CaseTask) else None
        return ItemShape(
            id=item.item_id, name=str(item.name), description=read_description(request, item, hidden),
            status=str(item.status), owner=task.owner_name if task else None, due_on=task.due_on if task else None,
            answer=item.answer, closed_by=item.closed_by, documents=attached.get(item.item_id, []),
        )  # fmt: skip

    return WholeCase(
        **_case(rows.case),
        tasks=[shape(one) for one in rows.tasks],
        nigos=[shape(one) for one in rows.nigos],
        documents=attached.get(case_id, []),
    )


def _case(case: Case) -> dict[str, Any]:
    return {
        "id": case.case_id, "name": str(case.name), "description": case.description or "",
        "number": case.caseNumber or "", "reference": case.documentNumber or "", "status": str(case.status),
        "open_items": int(case.open_items), "created_at": str(case.inserteddate), "closed_at": case.endDate,
    }  # fmt: skip

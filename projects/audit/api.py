"""The API of the audit trail: the API calls that changed a record."""

from ninja import Router, Schema

from projects.audit.api_calls import list_api_calls
from projects.sites import access
from projects.web.api import FAILURES, ApiRequest

router = Router(tags=["audit"])


class ApiCallShape(Schema):
    """``path``: as in this description. ``status``: of the response. ``ids``: in the path."""

    method: str
    path: str
    status: int
    ids: dict[str, str]
    by: str
    by_id: str
    at: str


class ApiCallList(Schema):
    items: list[ApiCallShape]
    next: str | None


@router.get(
    "/api-calls/{subject_id}", response={200: ApiCallList, **FAILURES}, operation_id="list_api_calls",
    summary="List API calls about a record",
)  # fmt: skip
def list_calls(request: ApiRequest, subject_id: str, after: str | None = None) -> ApiCallList:
    """Calls of the last 90 days that tried to change a document, project or other record, newest first. Requires ADMIN.

    Calls about records without an ID are listed by the first part of their path, such as attributes.
    """
    access.check_can_configure(request)
    page = list_api_calls(request.site, subject_id, after)
    items = []
    for row in page.rows:
        told = row.payload.as_dict()
        items.append(
            ApiCallShape(
                method=row.type.removeprefix("HTTP_"),
                path=str(told.pop("path", "")),
                status=int(told.pop("status", 0)),
                ids={name: str(value) for name, value in told.items()},
                by=str(row.metadata.as_dict().get("name") or ""),
                by_id=row.userId,
                at=row.inserteddate,
            )
        )
    return ApiCallList(items=items, next=page.next)

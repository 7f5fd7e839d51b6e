"""The API of projects."""

from ninja import Router, Schema

from projects.settings import queries as project_queries
from projects.sites import access
from projects.web.api import FAILURES, ApiRequest

router = Router(tags=["projects"])


class ProjectShape(Schema):
    """Instants as ISO 8601 in UTC."""

    id: str
    name: str
    created_at: str
    updated_at: str


class ProjectList(Schema):
    items: list[ProjectShape]
    next: str | None


@router.get("", response={200: ProjectList, **FAILURES}, operation_id="list_projects", summary="List projects")
def list_projects(request: ApiRequest, after: str | None = None) -> ProjectList:
    """Sorted by last update, newest first. Requires READ."""
    access.check_can_view(request)
    rows, following = project_queries.list_projects(request.site, after)
    shapes = [
        ProjectShape(id=row.project_id, name=row.name, created_at=row.created_at, updated_at=row.updated_at)
        for row in rows
    ]
    return ProjectList(items=shapes, next=following)

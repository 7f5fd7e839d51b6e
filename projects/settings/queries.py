"""Reads of projects: one Query or one GetItem each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext

from config.errors import NotFound
from config.table import ENTITY_EVENT, PROJECT, InvalidKey
from projects.audit.items import EntityEvent
from projects.settings.items import Project


@dataclass(frozen=True)
class ProjectRow:
    """The attributes of a project that the index projects, for lists."""

    project_id: str
    name: str
    created_at: str
    updated_at: str


MOST = 200  # choices of a form


def list_projects(
    site: str, cursor: str | None = None, *, limit: int = settings.PAGE_SIZE
) -> tuple[Sequence[ProjectRow], str | None]:
    """List the site's projects, last changed first, and the cursor of the next page.

    One more call if an earlier system wrote some of them, as the index lacks their names.

    Raises:
        NotFound: the cursor belongs to another list.

    """
    page = Project.page(PROJECT.gsi1_partition(site), index="GSI1", newest_first=True, cursor=cursor, limit=limit)
    nameless = [one.key for one in page.rows if not one.name and one.data is None]
    named = {one.key: one for one in Project.load_many(nameless, consistent=False)}
    return [_row(one, named.get(one.key, one)) for one in page.rows], page.next


def _row(one: Project, full: Project) -> ProjectRow:
    name = one.name or (full.settings.name if full.data is not None else one.id)
    return ProjectRow(one.id, name, one.created_at, one.updated_at)


def get_project(site: str, project_id: str) -> Project:
    """Strongly consistent.

    Raises:
        NotFound: no such project on this site.

    """
    try:
        return Project.load(PROJECT.key(site, project_id=project_id))
    except (NotFound, InvalidKey) as error:
        raise NotFound(gettext("Project not found.")) from error


def get_projects(site: str, project_ids: Sequence[str]) -> dict[str, Project]:
    """Return those that exist, complete, by id: one call for each hundred."""
    keys = [PROJECT.key(site, project_id=one) for one in project_ids]
    return {one.id: one for one in Project.load_many(keys, consistent=False)}


def every_project(site: str) -> Iterator[Project]:
    """Iterate over all projects of a site, complete: a Query and a batch read for each hundred."""
    cursor: str | None = None
    while True:
        page = Project.page(PROJECT.gsi1_partition(site), index="GSI1", cursor=cursor, limit=100)
        yield from Project.load_many([one.key for one in page.rows])
        cursor = page.next
        if cursor is None:
            return


def changes_since(site: str, project_id: str, version: int) -> list[EntityEvent]:
    """Return the events of saves after ``version``, newest first; the last page only."""
    pk = ENTITY_EVENT.partition_key(site, entity_type="project", entity_id=project_id)
    page = EntityEvent.page(pk, newest_first=True, consistent=True)
    return [event for event in page.rows if int(event.payload.as_dict().get("version") or 0) > version]

"""Rebuild of a site's search index while it is in use: compares every document. An interrupted rebuild continues."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.conf import settings

from config import clock, table
from config.errors import NotFound
from config.item import Page
from projects.settings import queries as project_queries
from workflows.runs.items import ProjectDocument
from workflows.search.content import DocumentRef
from workflows.search.database import translate_database_errors
from workflows.search.index import search_index
from workflows.search.indexing import bring_up_to_date
from workflows.search.models import SearchRebuild

_PAGE = 100
_END = "~"  # sorts after every id
# Longer than any queue keeps a message (14 days): no late one can restore a removed document.
_FORGET_SECONDS = 30 * 86_400


@dataclass(frozen=True)
class Progress:
    """The numbers of documents checked and of projects."""

    documents: int
    projects: int
    of: int


def rebuild_index(site: str, tell: Callable[[Progress], None]) -> int:
    """Return the number of documents checked, including those of an interrupted attempt.

    Raises:
        Unavailable: the table, S3 or the index does not answer; the next call continues.

    """
    with translate_database_errors():
        state, _ = SearchRebuild.objects.get_or_create(site=site, defaults={"started_at": clock.iso(clock.now())})
    ids = sorted(_project_ids(site))  # by id, so that a project keeps its position if it changes meanwhile
    following = [*ids[1:], _END]
    for number, project_id in enumerate(ids):
        if project_id < state.project_id:
            continue
        for page in _pages(site, project_id, state.cursor if project_id == state.project_id else ""):
            for row in page.rows:
                _look(site, project_id, str(row.SK).removeprefix(table.PROJECT_DOCUMENT.sort_prefix()))
            state.project_id, state.cursor = (project_id, page.next) if page.next else (following[number], "")
            state.done += len(page.rows)
            _keep(state)
            tell(Progress(state.done, number + (not page.next), len(ids)))
    _look_for_lost(site, state.started_at)
    search_index().forget(clock.iso(clock.in_seconds(-_FORGET_SECONDS)))
    with translate_database_errors():
        state.delete()
    return state.done


def _keep(state: SearchRebuild) -> None:
    with translate_database_errors():
        state.save()


def _project_ids(site: str) -> Iterator[str]:
    cursor = None
    while True:
        rows, cursor = project_queries.list_projects(site, cursor)
        yield from (row.project_id for row in rows)
        if not cursor:
            return


def _pages(site: str, project_id: str, cursor: str) -> Iterator[Page[ProjectDocument]]:
    """Yield pages in order of ids, including deleted documents."""
    pk = table.PROJECT_DOCUMENT.partition_key(site, project_id=project_id)
    prefix = ProjectDocument.SK.startswith(table.PROJECT_DOCUMENT.sort_prefix())
    place: str | None = cursor or None
    while True:
        try:
            page = ProjectDocument.page(pk, sk=prefix, limit=_PAGE, cursor=place, consistent=True)
        except NotFound:  # the cursor is from before an update or a change of the secret key: restart the project
            if not place:
                raise
            place = None
            continue
        yield page
        place = page.next
        if not place:
            return


def _look(site: str, project_id: str, document_id: str) -> None:
    bring_up_to_date(DocumentRef(site, project_id, document_id), lambda: None)


def _look_for_lost(site: str, since: str) -> None:
    """Find what the index has and no project lists: purged documents whose event was lost."""
    while known := search_index().unseen(site, since, settings.PAGE_SIZE):
        for one in known:
            _look(site, one.project_id, one.document_id)

"""Which documents a queue, or a folder, keeps from a person.

A document belongs to the queue that its project or a rule chose for its reviews, also before and after one waits
there, and to the queue that it is put into after its publication: always to the last of them. A queue without groups
lets everyone in, one with groups their members and superusers, and a program sees what it uploaded itself. A folder
with groups does the same for all that is in it, also in folders below. To all others the document is not there: neither
its pages nor its name in a list.

A share with a person or one of their groups lets them in all the same: into a document, or into a folder and what is
in it, as far as no folder below and no queue is closed to them. It is read each time, so that revoking holds at once.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from django.contrib.auth.models import User
from django.http import HttpRequest

from config.errors import NotFound
from config.item import Item, Page
from projects.documents import queries as document_queries
from projects.folders.queries import MISSING as NO_FOLDER
from projects.shares import queries as share_queries
from projects.shares.items import PrincipalType
from projects.shares.queries import Principal
from projects.sites import access, directory
from projects.sites.actions import Program

T = TypeVar("T")
Row = TypeVar("Row", bound=Item)
MISSING = "Document not found."
_MOST_PAGES = 4  # that one page of a list is filled from, if all of a page is hidden


def list_closed_queues(request: HttpRequest) -> frozenset[str]:
    """The ids of the queues that do not let the person in; as old as ``ACCESS_SECONDS`` at most."""
    if request.user.is_superuser:
        return frozenset()
    mine, site = access.groups_of(request), str(request.site)
    return frozenset(queue for queue, groups in directory.list_limited_queues(site).items() if not mine & groups)


def list_closed_folders(request: HttpRequest) -> frozenset[str]:
    """The ids of the folders that do not let the person in, without those below; as old as ``ACCESS_SECONDS``."""
    if request.user.is_superuser:
        return frozenset()
    mine, site = access.groups_of(request), str(request.site)
    return frozenset(folder for folder, groups in directory.list_limited_folders(site).items() if not mine & groups)


def check_folder(request: HttpRequest, folder_id: str) -> None:
    """Raises: NotFound, as for a folder that is not there."""
    if not is_let_in(request, folder_id):
        raise NotFound(NO_FOLDER)


def is_let_in(request: HttpRequest, folder_id: str) -> bool:
    """Whether the person may open the folder; one that is not there they may."""
    closed, way = list_closed_folders(request), list(directory.list_way_up(str(request.site), folder_id))
    return not closed.intersection(way) or _leads_in(way, closed, _find_granted(request, way))


def _leads_in(way: Sequence[str], closed: frozenset[str], granted: frozenset[str]) -> bool:
    """From the folder up, whether a share is met before a folder that is closed; no closed one at all is as good."""
    for one in way:
        if one in granted:
            return True
        if one in closed:
            return False
    return True


def list_principals(request: HttpRequest) -> list[Principal]:
    """As whom the person, or the program that acts as one, can be let in by a share."""
    if not isinstance(request.user, User) or not request.user.is_active:
        return []
    groups = [Principal(PrincipalType.GROUP, one) for one in sorted(access.groups_of(request))]
    return [Principal(PrincipalType.USER, str(request.user.pk)), *groups]


def _find_granted(request: HttpRequest, ids: Iterable[str]) -> frozenset[str]:
    """No call on a site where nothing is shared."""
    site, principals = str(request.site), list_principals(request)
    if not principals or not directory.has_shares(site):
        return frozenset()
    return share_queries.find_granted(site, principals, ids)


def find_hidden_documents(request: HttpRequest, document_ids: Iterable[str]) -> frozenset[str]:
    """Those of them that this person is not let into: no call on a site where all is open to them."""
    site, closed, folders = str(request.site), list_closed_queues(request), list_closed_folders(request)
    if not closed and not folders:
        return frozenset()
    program = getattr(request, "auth", None)
    own = program.actor.id if isinstance(program, Program) and not program.person_id else None
    hidden = [
        one
        for one in document_queries.list_belongings(site, document_ids)
        if (own is None or one.user_id != own)
        and (one.queue in closed or directory.is_in_folder(site, one.folder_id, folders))
    ]
    if not hidden:
        return frozenset()
    ways = {one.document_id: list(directory.list_way_up(site, one.folder_id)) for one in hidden}
    granted = _find_granted(request, [*ways, *(folder for way in ways.values() for folder in way)])
    return frozenset(
        one.document_id
        for one in hidden
        if one.document_id not in granted
        and (one.queue in closed or not _leads_in(ways[one.document_id], folders, granted))
    )


def check_document(request: HttpRequest, document_id: str) -> None:
    """Raises: NotFound, as for a document that is not there."""
    if find_hidden_documents(request, [document_id]):
        raise NotFound(MISSING)


def filter_rows(request: HttpRequest, rows: Sequence[T], document_id_of: Callable[[T], str | None]) -> list[T]:
    """The rows without those of documents that this person is not let into."""
    hidden = find_hidden_documents(request, {one for row in rows if (one := document_id_of(row))})
    return [row for row in rows if document_id_of(row) not in hidden]


def filter_page(
    request: HttpRequest,
    read: Callable[[str | None], Page[Row]],
    cursor: str | None,
    document_id_of: Callable[[Row], str | None],
) -> Page[Row]:
    """The page of a list behind ``cursor`` without hidden rows; of a page that is all hidden, the ones after it."""
    page = read(cursor)
    rows = filter_rows(request, page.rows, document_id_of)
    for _ in range(_MOST_PAGES - 1):
        if rows or not page.next:
            break
        page = read(page.next)
        rows = filter_rows(request, page.rows, document_id_of)
    return Page(rows, page.next)

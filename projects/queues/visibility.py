"""Document visibility: queues, folders, shares and the access policy.

A document belongs to the latest queue chosen by its project, a rule or an action, whether or not a review waits there.
A queue without groups admits everyone; one with groups admits their members and superusers. Programs see what they
uploaded. A folder with groups restricts its contents and subfolders in the same way. For everyone else the document
does not exist: no pages, no name in lists.

A share with a person or group admits them to a document, or to a folder and its contents, unless a folder below or a
queue is closed to them. Shares are read each time, so that revoking takes effect at once.

An active access policy hides more, also from superusers and shares.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from django.contrib.auth.models import User
from django.http import HttpRequest

from config.errors import NotFound
from config.item import Item, Page
from config.phrase import Phrase
from projects.documents import queries as document_queries
from projects.folders.queries import MISSING as NO_FOLDER
from projects.policies.gate import find_denied_documents
from projects.shares import queries as share_queries
from projects.shares.items import PrincipalType
from projects.shares.queries import Principal
from projects.sites import access, directory
from projects.sites.api_keys import Program

T = TypeVar("T")
Row = TypeVar("Row", bound=Item)
MISSING = Phrase("Document not found.")
_MOST_PAGES = 4  # that one page of a list is filled from, if all of a page is hidden


def list_closed_queues(request: HttpRequest) -> frozenset[str]:
    """Return ids of queues closed to the person; cached for ``ACCESS_SECONDS``."""
    if request.user.is_superuser:
        return frozenset()
    mine, site = access.groups_of(request), str(request.site)
    return frozenset(queue for queue, groups in directory.list_limited_queues(site).items() if not mine & groups)


def list_closed_folders(request: HttpRequest) -> frozenset[str]:
    """Return ids of folders closed to the person, without subfolders; cached for ``ACCESS_SECONDS``."""
    if request.user.is_superuser:
        return frozenset()
    mine, site = access.groups_of(request), str(request.site)
    return frozenset(folder for folder, groups in directory.list_limited_folders(site).items() if not mine & groups)


def check_folder(request: HttpRequest, folder_id: str) -> None:
    """Raises: NotFound, as for a folder that is not there."""
    if not is_let_in(request, folder_id):
        raise NotFound(NO_FOLDER)


def is_let_in(request: HttpRequest, folder_id: str) -> bool:
    """Return whether the person may open the folder; True for a missing one."""
    closed, way = list_closed_folders(request), list(directory.list_way_up(str(request.site), folder_id))
    return not closed.intersection(way) or _leads_in(way, closed, _find_granted(request, way))


def _leads_in(way: Sequence[str], closed: frozenset[str], granted: frozenset[str]) -> bool:
    """Walk up from the folder: a share before any closed folder admits, and so does the absence of closed ones."""
    for one in way:
        if one in granted:
            return True
        if one in closed:
            return False
    return True


def list_principals(request: HttpRequest) -> list[Principal]:
    """Return the principals by which a share can admit this person or program."""
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
    """Return the documents hidden from this person; no call if everything is open to them."""
    ids = list(document_ids)
    closed = find_closed_documents(request, ids)
    return closed | find_denied_documents(request, [one for one in ids if one not in closed])


def find_closed_documents(request: HttpRequest, document_ids: Iterable[str]) -> frozenset[str]:
    """Return documents closed by queue or folder, ignoring the access policy."""
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
    """Return rows without hidden documents."""
    hidden = find_hidden_documents(request, {one for row in rows if (one := document_id_of(row))})
    return [row for row in rows if document_id_of(row) not in hidden]


def filter_page(
    request: HttpRequest,
    read: Callable[[str | None], Page[Row]],
    cursor: str | None,
    document_id_of: Callable[[Row], str | None],
) -> Page[Row]:
    """Return the page after ``cursor`` without hidden rows; skips pages that are entirely hidden."""
    return read_shown(read, cursor, lambda rows: filter_rows(request, rows, document_id_of))


def read_shown(
    read: Callable[[str | None], Page[Row]], cursor: str | None, keep: Callable[[Sequence[Row]], list[Row]]
) -> Page[Row]:
    """Return what ``keep`` leaves of the page after ``cursor``; if nothing, of the following pages."""
    page = read(cursor)
    rows = keep(page.rows)
    for _ in range(_MOST_PAGES - 1):
        if rows or not page.next:
            break
        page = read(page.next)
        rows = keep(page.rows)
    return Page(rows, page.next)

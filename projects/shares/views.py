"""Pages of shares: those of a site, those with me, and those of a document or folder."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config import clock
from config.errors import Conflict, CountersignError, Refused
from projects.audit.events import actor_of
from projects.documents.queries import get_documents
from projects.folders.items import EntryType
from projects.queues import visibility
from projects.shares import actions, queries
from projects.shares.actions import LinkDraft, NewLink, Target
from projects.shares.items import DocumentShare, PrincipalType, Share
from projects.shares.queries import Principal
from projects.sites import access
from projects.sites.people import list_people_and_groups
from projects.sites.permissions import Permission
from projects.web.http import DeskRequest, page_links, read_number, redirect_after_post, render_answer
from projects.web.links import page_url

_DAYS = 7  # default days of the form
_ICONS = {PrincipalType.USER: "user", PrincipalType.GROUP: "users", PrincipalType.LINK: "key"}


@dataclass(frozen=True)
class ShareView:
    """``path``: the current name, ``url``: its page; ``over``: why a link no longer opens."""

    share: DocumentShare | Share
    path: str
    url: str
    icon: str
    over: str = ""


@require_safe
def list_shares(request: DeskRequest) -> HttpResponse:
    """``?with=``: only those with a person, a group or a link of this name."""
    access.check_can_view(request)
    cursor, name = request.GET.get("after"), request.GET.get("with", "").strip()
    if name:
        page = queries.list_shares_named(request.site, name, cursor=cursor)
    else:
        page = queries.list_shares(request.site, cursor=cursor)
    url = reverse("shares:list-shares")
    context = {
        "rows": describe_shares(request, page.rows),
        "view": "all",
        "named": name,
        **page_links(request, page.next, url),
    }
    return render_answer(request, "projects/shares/list.html", None, context)


@require_safe
def list_mine(request: DeskRequest) -> HttpResponse:
    """List what is shared with the person and their groups: one Query for each."""
    access.check_can_view(request)
    pages = [queries.list_shares_with(request.site, one) for one in visibility.list_principals(request)]
    rows = sorted((row for page in pages for row in page.rows), key=lambda row: str(row.inserteddate), reverse=True)
    context = {"rows": describe_shares(request, rows), "view": "mine", "is_first": True, "next_cursor": None}
    return render_answer(request, "projects/shares/list.html", None, context)


def describe_shares(request: DeskRequest, rows: Sequence[DocumentShare | Share]) -> list[ShareView]:
    """Omit what this person may not see, and what is deleted: one BatchGetItem for the documents."""
    files = [row for row in rows if row.type == EntryType.FILE]
    hidden = visibility.find_hidden_documents(request, [_id_of_shared(row) for row in files])
    ids = sorted({_id_of_shared(row) for row in files} - hidden)
    paths = {one.document_id: one.path for one in get_documents(request.site, ids)}
    found = []
    for row in rows:
        shared_id = _id_of_shared(row)
        if row.type == EntryType.FILE:
            path, url = paths.get(shared_id, ""), reverse("documents:show-document", args=[shared_id])
        else:
            path = str(row.path) if visibility.is_let_in(request, shared_id) else ""
            url = reverse("folders:show-folder", args=[shared_id])
        if path:
            over = queries.is_over(row) if isinstance(row, DocumentShare) and row.is_link else ""
            found.append(ShareView(row, path, url, _ICONS[PrincipalType(str(row.permissionType))], over))
    return found


def _id_of_shared(row: DocumentShare | Share) -> str:
    return str(row.sharedDocumentId if isinstance(row, DocumentShare) else row.documentId)


@require_http_methods(["GET", "POST"])
def share_document(request: DeskRequest, document_id: str) -> HttpResponse:
    access.check_can_upload(request)
    visibility.check_document(request, document_id)
    return _share(request, actions.find_target(request.site, EntryType.FILE, document_id))


@require_http_methods(["GET", "POST"])
def share_folder(request: DeskRequest, folder_id: str) -> HttpResponse:
    access.check_can_upload(request)
    visibility.check_folder(request, folder_id)
    return _share(request, actions.find_target(request.site, EntryType.FOLDER, folder_id))


def _share(request: DeskRequest, target: Target) -> HttpResponse:
    """``with``: ``user:<id>`` or ``group:<name>``; else a link of ``name``, ``days``, ``openings``, ``password``."""
    if request.method == "GET":
        return _page(request, target)
    post, by = request.POST, actor_of(request.user)
    share_id = post.get("share_id", "") if len(post.get("share_id", "")) == 26 else ""
    try:
        if "with" in post:
            principal, name = find_principal(request, post["with"])
            actions.share_with(request.site, target, principal, name, by=by, share_id=share_id)
            messages.success(request, gettext("Shared with %(name)s.") % {"name": name})
            return redirect_after_post(request, request.path)
        draft = LinkDraft(
            post.get("name", ""),
            read_number(post.get("days")),
            read_number(post.get("openings")),
            post.get("password", ""),
        )
        made = actions.create_link(request.site, target, draft, by=by, share_id=share_id)
    except (Refused, Conflict) as error:
        return _page(request, target, error=error)
    return _page(request, target, made=made)


def find_principal(request: DeskRequest, chosen: str) -> tuple[Principal, str]:
    """Raises: Refused if the person or group does not belong to this site."""
    kind, _, name = chosen.partition(":")
    people, groups = list_people_and_groups(request.site, Permission.READ)
    if kind == PrincipalType.USER:
        called = next((one.name for one in people if one.id == name), "")
    else:
        kind, called = PrincipalType.GROUP, next((one.name for one in groups if one.name == name), "")
    if not called:
        raise Refused(gettext("Select a person or a group from the list."))
    return Principal(PrincipalType(kind), name), called


def _page(
    request: DeskRequest, target: Target, *, error: CountersignError | None = None, made: NewLink | None = None
) -> HttpResponse:
    shares = queries.list_shares_of(request.site, target.id)
    if made is not None and all(one.share_id != made.share.share_id for one in shares):
        shares.append(made.share)  # the index is not updated yet
    taken = {(str(one.permissionType), str(one.principal)) for one in shares}
    people, groups = list_people_and_groups(request.site, Permission.READ)
    is_folder = target.kind == EntryType.FOLDER
    context: dict[str, Any] = {
        "target": target,
        "is_folder": is_folder,
        "back": reverse("folders:show-folder" if is_folder else "documents:show-document", args=[target.id]),
        "rows": describe_shares(request, shares),
        "people": [one for one in people if (PrincipalType.USER, one.id) not in taken],
        "groups": [one for one in groups if (PrincipalType.GROUP, one.name) not in taken],
        "error": str(error or ""),
        "typed": {"days": _DAYS} | (request.POST.dict() if error else {}),
        "new_id": clock.new_ulid(),
        "made": made,
        "made_url": page_url(request.site, "links:open-link", made.share.share_id, made.secret) if made else "",
        "longest": actions.LONGEST_NAME,
        "most_days": actions.MOST_DAYS,
        "shortest_password": actions.SHORTEST_PASSWORD,
        "longest_password": actions.LONGEST_PASSWORD,
    }
    status = 200 if error is None else 409 if isinstance(error, Conflict) else 422
    return render_answer(request, "projects/shares/share.html", None, context, status=status)


@require_POST
def revoke_share(request: DeskRequest, share_id: str) -> HttpResponse:
    access.check_can_upload(request)
    share = check_share(request, share_id)
    actions.revoke_share(request.site, share_id, by=actor_of(request.user))
    messages.success(
        request,
        gettext("The link %(name)s is revoked.") % {"name": share.name}
        if share.is_link
        else gettext("Revoked for %(name)s.") % {"name": share.name},
    )
    if share.type == EntryType.FOLDER:
        return redirect_after_post(request, reverse("shares:share-folder", args=[share.sharedDocumentId]))
    return redirect_after_post(request, reverse("shares:share-document", args=[share.sharedDocumentId]))


def check_share(request: DeskRequest, share_id: str) -> DocumentShare:
    """Return the share, if the person may see its target. Raises: NotFound."""
    share = queries.get_share(request.site, share_id)
    shared_id = str(share.sharedDocumentId)
    if share.type == EntryType.FILE:
        visibility.check_document(request, shared_id)
    else:
        visibility.check_folder(request, shared_id)
    return share

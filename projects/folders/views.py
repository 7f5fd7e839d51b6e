"""Pages of folders: contents, and forms to create, rename, move, restrict and delete."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config import table
from config.errors import Conflict, CountersignError, NotFound, Refused
from config.phrase import Phrase
from projects.audit.events import Actor, actor_of
from projects.documents.items import Document
from projects.documents.states import StatusLabel, look_of
from projects.folders import actions, queries
from projects.folders.forms import FolderForm
from projects.folders.items import FolderEntry
from projects.folders.queries import ROOT
from projects.folders.tasks import order_refresh_soon
from projects.queues import visibility
from projects.shares import queries as share_queries
from projects.shares.views import ShareView, describe_shares
from projects.sites import access, directory
from projects.web.http import DeskRequest, page_links, redirect_after_post, render_answer, version_in

_MOST_MOVED = 100  # entries that one form moves
FOLDER, FILE = "folder", "document"  # what stands before the id in a form


@dataclass(frozen=True)
class Row:
    """An entry of a folder; ``document``: None for folders."""

    entry: FolderEntry
    document: Document | None = None
    look: StatusLabel | None = None

    @property
    def value(self) -> str:
        return f"{FOLDER if self.document is None else FILE}:{self.entry.documentId}"


@require_safe
def show_folder(request: DeskRequest, folder_id: str = ROOT) -> HttpResponse:
    access.check_can_view(request)
    visibility.check_folder(request, folder_id)
    return _page(request, folder_id)


@require_POST
def create_folder(request: DeskRequest) -> HttpResponse:
    """``parent``: id of the parent folder, empty for the top level; ``name``."""
    access.check_can_upload(request)
    parent_id = request.POST.get("parent", ROOT)
    visibility.check_folder(request, parent_id)
    try:
        folder = actions.create_folder(request.site, parent_id, request.POST.get("name", ""), by=actor_of(request.user))
    except (Refused, Conflict) as error:
        return _page(request, parent_id, error=error, typed=request.POST.get("name", ""))
    messages.success(request, gettext("%(name)s created.") % {"name": folder.name})
    return redirect_after_post(request, folder_url(parent_id))


@require_POST
def move_entries(request: DeskRequest) -> HttpResponse:
    """Move ``item`` (``folder:<id>``, ``document:<id>``) out of ``from`` into ``to``, an id, or into a ``path``.

    A missing path is created. Entries are moved one by one: those before a refused one stay moved.
    """
    access.check_can_upload(request)
    post, by = request.POST, actor_of(request.user)
    here, items = post.get("from", ROOT), post.getlist("item")[:_MOST_MOVED]
    visibility.check_folder(request, here)
    try:
        if not items:
            raise Refused(gettext("Select what to move."))
        to = post["to"] if "to" in post else _find_target(request, post.get("path", ""), by=by)
        visibility.check_folder(request, to)
        for one in items:
            _move(request, one, to)
    except CountersignError as error:
        if not isinstance(error, (Refused, Conflict, NotFound)):
            raise
        return _page(request, here, error=error, path=post.get("path", ""), chosen=items)
    path = queries.path_of(queries.list_crumbs(request.site, to)) or Phrase("all folders")
    messages.success(
        request,
        gettext("%(count)s moved to %(path)s.") % {"count": len(items), "path": path}
        if len(items) > 1
        else gettext("Moved to %(path)s.") % {"path": path},
    )
    return redirect_after_post(request, folder_url(here))


def _find_target(request: DeskRequest, path: str, *, by: Actor) -> str:
    """Return the folder of this path, creating it; refused if an ancestor is closed to the person."""
    _check_way(request, path)
    return actions.create_path(request.site, path, by=by)


def _check_way(request: DeskRequest, path: str) -> None:
    """Raises: NotFound if an ancestor is closed to the person."""
    folder_id = ROOT
    for name in queries.split_path(path):
        found = queries.find_folder(request.site, folder_id, name)
        if found is None:
            return
        folder_id = found.folder_id
        visibility.check_folder(request, folder_id)


def find_upload_folder(request: DeskRequest, path: str, *, by: Actor) -> str:
    """Return the id of the upload folder, creating missing folders.

    Raises:
        Refused: the path is invalid, or closed to this person.

    """
    try:
        return _find_target(request, path, by=by)
    except NotFound as error:
        raise Refused(
            gettext("You cannot file documents in “%(path)s”. Choose another folder.") % {"path": path}
        ) from error


def _move(request: DeskRequest, item: str, to: str) -> None:
    """Raises: NotFound, Refused, Conflict."""
    kind, _, name = item.partition(":")
    by = actor_of(request.user)
    if kind == FILE:
        visibility.check_document(request, name)
        actions.move_document(request.site, name, to, by=by)
        return
    visibility.check_folder(request, name)
    folder = queries.get_folder(request.site, name)
    if actions.move_folder(request.site, name, parent_id=to, name=str(folder.path), by=by):
        order_refresh_soon(request.site, name)


@require_http_methods(["GET", "POST"])
def edit_folder(request: DeskRequest, folder_id: str) -> HttpResponse:
    """Edit the name and, with GOVERN, the groups."""
    access.check_can_upload(request)
    visibility.check_folder(request, folder_id)
    folder, governs = queries.get_folder(request.site, folder_id), access.can_govern(request)
    stored = list(folder.groups or ())
    if request.method == "GET":
        form = FolderForm(request.site, initial={"name": folder.path, "groups": stored}, stored=stored, governs=governs)
        return _edit_page(request, folder, form)
    form = FolderForm(request.site, request.POST, stored=stored, governs=governs)
    if not form.is_valid():
        return _edit_page(request, folder, form, status=422)
    typed, by = form.cleaned_data, actor_of(request.user)
    taken = queries.find_folder(request.site, folder.parent_id, typed["name"])
    if taken is not None and taken.folder_id != folder_id:
        form.add_error("name", gettext("There is already a folder “%(name)s” here.") % {"name": typed["name"]})
        return _edit_page(request, folder, form, status=409)
    try:
        if governs:
            version = version_in(request.POST)
            actions.restrict_folder(request.site, folder_id, typed["groups"], version=version, by=by)
        if actions.move_folder(request.site, folder_id, parent_id=folder.parent_id, name=typed["name"], by=by):
            order_refresh_soon(request.site, folder_id)
    except Conflict as error:
        return _edit_page(request, queries.get_folder(request.site, folder_id), form, clash=str(error), status=409)
    messages.success(request, gettext("%(name)s saved.") % {"name": typed["name"]})
    return redirect_after_post(request, folder_url(folder.parent_id))


def _edit_page(
    request: DeskRequest, folder: FolderEntry, form: FolderForm, *, clash: str = "", status: int = 200
) -> HttpResponse:
    context = {"form": form, "folder": folder, "clash": clash, "back": folder_url(folder.parent_id)}
    return render_answer(request, "projects/folders/edit.html", "projects/folders/_form.html", context, status=status)


@require_POST
def delete_folder(request: DeskRequest, folder_id: str) -> HttpResponse:
    access.check_can_upload(request)
    visibility.check_folder(request, folder_id)
    folder = queries.get_folder(request.site, folder_id)
    try:
        actions.delete_folder(request.site, folder_id, by=actor_of(request.user))
    except (Refused, Conflict) as error:
        return _page(request, folder_id, error=error)
    messages.success(request, gettext("%(name)s deleted.") % {"name": folder.name})
    return redirect_after_post(request, folder_url(folder.parent_id))


@require_http_methods(["GET", "POST"])
def change_path(request: DeskRequest, document_id: str) -> HttpResponse:
    """Change a document's name and folder: ``name``, ``path``; missing folders are created."""
    access.check_can_upload(request)
    visibility.check_document(request, document_id)
    document = Document.load(table.DOCUMENT.key(request.site, document_id=document_id))
    crumbs = queries.list_crumbs(request.site, document.folder_id or ROOT)
    typed = {"name": document.name, "path": queries.path_of(crumbs)} | {
        one: request.POST[one] for one in ("name", "path") if one in request.POST
    }
    error, status = "", 200
    if request.method == "POST":
        try:
            _change_path(request, document_id, typed)
        except (Refused, Conflict) as refused:
            error, status = str(refused), 409 if isinstance(refused, Conflict) else 422
        else:
            messages.success(request, gettext("Name and folder saved."))
            return redirect_after_post(request, reverse("documents:show-document", args=[document_id]))
    context = {
        "document": document,
        "typed": typed,
        "error": error,
        "longest": queries.LONGEST_NAME,
        "paths": list_paths(request, document.folder_id or ROOT),
    }
    return render_answer(request, "projects/folders/path.html", None, context, status=status)


def _change_path(request: DeskRequest, document_id: str, typed: dict[str, str]) -> None:
    """Raises: Refused, Conflict."""
    by = actor_of(request.user)
    queries.tidy_name(typed["name"])
    to = find_upload_folder(request, typed["path"], by=by)
    actions.move_document(request.site, document_id, to, by=by)
    actions.rename_document(request.site, document_id, typed["name"], by=by)


def folder_url(folder_id: str) -> str:
    return reverse("folders:show-folder", args=[folder_id]) if folder_id else reverse("folders:list-folders")


def list_paths(request: DeskRequest, folder_id: str = ROOT) -> list[str]:
    """Return paths to suggest: top-level folders, ancestors and subfolders."""
    site, closed = request.site, visibility.list_closed_folders(request)
    crumbs = queries.list_crumbs(site, folder_id)
    found = [queries.path_of([one]) for one in queries.list_folders(site, ROOT) if one.folder_id not in closed]
    found += [queries.path_of(crumbs[: number + 1]) for number in range(len(crumbs))]
    if folder_id:
        below = queries.list_folders(site, folder_id)
        found += [queries.path_of(crumbs, str(one.name)) for one in below if one.folder_id not in closed]
    return list(dict.fromkeys(found))


def _page(
    request: DeskRequest,
    folder_id: str,
    *,
    error: CountersignError | None = None,
    typed: str = "",
    path: str = "",
    chosen: Sequence[str] = (),
) -> HttpResponse:
    """Raises: NotFound."""
    cursor = request.GET.get("after")
    crumbs, limited = queries.list_crumbs(request.site, folder_id), directory.list_limited_folders(request.site)
    page = queries.list_entries(request.site, folder_id, cursor=cursor)
    context: dict[str, Any] = {
        "folder": crumbs[-1] if crumbs else None,
        "folder_id": folder_id,
        "crumbs": crumbs[:-1],
        "path": queries.path_of(crumbs),
        "rows": _rows(request, page.rows),
        "limited": any(one.folder_id in limited for one in crumbs),
        "paths": list_paths(request, folder_id),
        "up": crumbs[-1].parent_id if crumbs else None,
        "error": str(error or ""),
        "typed": typed,
        "typed_path": path,
        "chosen": chosen,
        **page_links(request, page.next, folder_url(folder_id)),
        "page_size": 50,
        "shares": _list_shares(request, folder_id),
    }
    status = 200 if error is None else 409 if isinstance(error, Conflict) else 422
    return render_answer(request, "projects/folders/show.html", None, context, status=status)


def _list_shares(request: DeskRequest, folder_id: str) -> list[ShareView]:
    """Return shares; no call on a site without any."""
    if not folder_id or not directory.has_shares(request.site):
        return []
    return describe_shares(request, share_queries.list_shares_of(request.site, folder_id))


def _rows(request: DeskRequest, entries: Sequence[FolderEntry]) -> list[Row]:
    """Return rows without hidden documents: one BatchGetItem more."""
    closed = visibility.list_closed_folders(request)
    folders = [one for one in entries if one.is_folder and one.folder_id not in closed]
    files = [one for one in entries if not one.is_folder]
    files = visibility.filter_rows(request, files, lambda one: one.documentId)
    keys = [table.DOCUMENT.key(request.site, document_id=str(one.documentId)) for one in files]
    found = {one.documentId: one for one in Document.load_many(keys)}
    there = [(one, found[str(one.documentId)]) for one in files if str(one.documentId) in found]
    return [*map(Row, folders), *(Row(one, document, look_of(document.status)) for one, document in there)]

"""The API of folders: list, create, rename, move and delete them, and file documents."""

from typing import Any

from ninja import Field, Router, Schema, Status

from config.errors import NotFound, Refused
from projects.documents.queries import get_document
from projects.folders import actions, queries
from projects.folders.forms import list_groups
from projects.folders.items import FolderEntry
from projects.folders.queries import LONGEST_NAME
from projects.folders.tasks import order_refresh_soon
from projects.folders.views import find_upload_folder
from projects.queues import visibility
from projects.sites import access
from projects.web.api import FAILURES, REFUSALS, ApiRequest, Body, with_example

router = Router(tags=["folders"])
MOST_GROUPS = 50


class FolderEntryShape(Schema):
    """``type``: folder or document. ``name``: within its folder."""

    id: str
    type: str = Field(json_schema_extra={"enum": ["folder", "document"]})
    name: str
    updated_at: str | None


class EntryList(Schema):
    """``folder_id``: empty for the first level."""

    folder_id: str
    path: str
    items: list[FolderEntryShape]
    next: str | None


class FolderShape(Schema):
    id: str
    path: str


class WholeFolder(FolderShape):
    """``groups``: who opens it, empty for everyone whom the folders above let in. ``version``: send it back."""

    groups: list[str]
    version: int


class GroupsWish(Body):
    model_config = with_example(groups=["admins"], version=1)

    groups: list[str] = Field(max_length=MOST_GROUPS)
    version: int = Field(ge=0, lt=10**9)


class FolderWish(Body):
    """``path``: such as Invoices/2026; missing folders above it are created."""

    model_config = with_example(path="Invoices/2026")

    path: str = Field(min_length=1, max_length=2000)


class DocumentPlace(Body):
    """``folder``: path, empty for none. ``name``: of the document. Omitted entries stay."""

    model_config = with_example(folder="Invoices/2026", name="juniper-mill.pdf")

    folder: str | None = Field(None, max_length=2000)
    name: str | None = Field(None, max_length=LONGEST_NAME)


class FolderPlaceShape(Schema):
    """``path``: folder and name."""

    document_id: str
    name: str
    path: str


@router.get("/folders", response={200: EntryList, **FAILURES}, operation_id="list_folder", summary="List a folder")
def list_folder(request: ApiRequest, path: str = "", after: str | None = None) -> EntryList:
    """Folders first, by name. Documents without a folder are not listed. Requires READ."""
    access.check_can_view(request)
    folder_id = _find(request, path)
    page = queries.list_entries(request.site, folder_id, cursor=after)
    closed = visibility.list_closed_folders(request)
    rows = [one for one in page.rows if not one.is_folder or one.folder_id not in closed]
    hidden = visibility.find_hidden_documents(request, [str(one.documentId) for one in rows if not one.is_folder])
    items = [_entry(one) for one in rows if one.documentId not in hidden]
    return EntryList(folder_id=folder_id, path=_path(request, folder_id), items=items, next=page.next)


def _entry(row: FolderEntry) -> FolderEntryShape:
    kind = "folder" if row.is_folder else "document"
    return FolderEntryShape(id=str(row.documentId), type=kind, name=str(row.path), updated_at=row.lastModifiedDate)


def _find(request: ApiRequest, path: str) -> str:
    """Raises: NotFound, also of a folder that does not let the program in; Refused."""
    folder_id = queries.find_path(request.site, path)
    visibility.check_folder(request, folder_id)
    return folder_id


def _path(request: ApiRequest, folder_id: str) -> str:
    return queries.path_of(queries.list_crumbs(request.site, folder_id))


@router.post(
    "/folders",
    response={201: FolderShape, 200: FolderShape, **REFUSALS},
    operation_id="create_folder",
    summary="Create a folder",
)
def create_folder(request: ApiRequest, wish: FolderWish) -> Any:
    """200 if it exists already. Requires READ and WRITE."""
    access.check_can_upload(request)
    status = 200 if _exists(request.site, wish.path) else 201
    folder_id = find_upload_folder(request, wish.path, by=request.auth.actor)
    return Status(status, FolderShape(id=folder_id, path="/".join(queries.split_path(wish.path))))


def _exists(site: str, path: str) -> bool:
    """Raises: Refused, if the path is invalid or names no folder."""
    names = queries.split_path(path)
    queries.tidy_name(names[-1] if names else "")
    try:
        queries.find_path(site, path)
    except NotFound:
        return False
    return True


@router.get(
    "/folders/{folder_id}",
    response={200: WholeFolder, **FAILURES},
    operation_id="show_folder",
    summary="Get a folder and its groups",
)
def show_folder(request: ApiRequest, folder_id: str) -> WholeFolder:
    """Requires READ."""
    access.check_can_view(request)
    visibility.check_folder(request, folder_id)
    return _folder(request, folder_id)


def _folder(request: ApiRequest, folder_id: str) -> WholeFolder:
    folder = queries.get_folder(request.site, folder_id)
    return WholeFolder(
        id=folder_id, path=_path(request, folder_id), groups=list(folder.groups or ()), version=int(folder.version)
    )


@router.put(
    "/folders/{folder_id}/groups",
    response={200: WholeFolder, **REFUSALS},
    operation_id="restrict_folder",
    summary="Restrict a folder to groups",
)
def restrict_folder(request: ApiRequest, folder_id: str, wish: GroupsWish) -> WholeFolder:
    """With all that is in it; none opens it again. 409 if it was changed since ``version``. Requires GOVERN."""
    access.check_can_govern(request)
    visibility.check_folder(request, folder_id)
    stored = queries.get_folder(request.site, folder_id).groups or ()
    if unknown := set(wish.groups).difference(list_groups(request.site, stored=stored)):
        raise Refused(f"The site has no group named {sorted(unknown)[0]}.")
    actions.restrict_folder(request.site, folder_id, wish.groups, version=wish.version, by=request.auth.actor)
    return _folder(request, folder_id)


@router.put(
    "/folders/{folder_id}",
    response={200: FolderShape, **REFUSALS},
    operation_id="move_folder",
    summary="Rename or move a folder",
)
def move_folder(request: ApiRequest, folder_id: str, wish: FolderWish) -> FolderShape:
    """Moves its contents too. 409 if the path exists. Requires READ and WRITE."""
    access.check_can_upload(request)
    visibility.check_folder(request, folder_id)
    *above, name = queries.split_path(wish.path) or [""]
    parent_id = find_upload_folder(request, "/".join(above), by=request.auth.actor)
    if actions.move_folder(request.site, folder_id, parent_id=parent_id, name=name, by=request.auth.actor):
        order_refresh_soon(request.site, folder_id)
    return FolderShape(id=folder_id, path="/".join([*above, name]))


@router.delete(
    "/folders/{folder_id}",
    response={204: None, **REFUSALS},
    operation_id="delete_folder",
    summary="Delete an empty folder",
)
def delete_folder(request: ApiRequest, folder_id: str) -> Status[None]:
    """422 if it is not empty. Requires READ and WRITE."""
    access.check_can_upload(request)
    visibility.check_folder(request, folder_id)
    actions.delete_folder(request.site, folder_id, by=request.auth.actor)
    return Status(204, None)


@router.put(
    "/documents/{document_id}/path",
    response={200: FolderPlaceShape, **REFUSALS},
    operation_id="move_document",
    summary="Move or rename a document",
)
def move_document(request: ApiRequest, document_id: str, wish: DocumentPlace) -> FolderPlaceShape:
    """Creates missing folders. 409 if the folder has a document of that name. Requires READ and WRITE."""
    access.check_can_upload(request)
    visibility.check_document(request, document_id)
    get_document(request.site, document_id)
    if wish.folder is not None:
        to = find_upload_folder(request, wish.folder, by=request.auth.actor)
        actions.move_document(request.site, document_id, to, by=request.auth.actor)
    if wish.name is not None:
        actions.rename_document(request.site, document_id, wish.name, by=request.auth.actor)
    document = get_document(request.site, document_id)
    return FolderPlaceShape(document_id=document_id, name=document.name, path=document.path)

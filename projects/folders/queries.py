"""Reads of folders: one Query or GetItem each; walking up costs one per level."""

from collections.abc import Sequence

from django.utils.translation import gettext

from config import table
from config.errors import NotFound, Refused
from config.item import Page
from config.phrase import Phrase
from config.table import InvalidKey, Key
from projects.folders.items import FolderEntry

ROOT = ""  # the id of a site's first level, which is no row
MISSING = Phrase("Folder not found.")
DEEPEST = 12  # folders in one another
LONGEST_NAME = 120  # characters
_FARTHEST = 100  # that is walked up: a folder with folders in it may be moved below others


def folder_key(site: str, parent_id: str, name: str) -> Key:
    return table.FOLDER_ENTRY.key(site, parent_document_id=parent_id, path=name.lower())


def file_key(site: str, folder_id: str, name: str) -> Key:
    return table.FILE_ENTRY.key(site, parent_document_id=folder_id, path=name.lower())


def get_folder(site: str, folder_id: str) -> FolderEntry:
    """Return a folder: a strong read of the row found by the index.

    Raises:
        NotFound: no such folder on this site.

    """
    found = _get_index_row(site, folder_id)
    folder = FolderEntry.load(found.key)
    if folder.documentId != folder_id:
        raise NotFound(MISSING)
    return folder


def _get_index_row(site: str, folder_id: str) -> FolderEntry:
    """Return the index row. Raises: NotFound."""
    try:
        pk = table.FOLDER_ENTRY.gsi1_partition(site, document_id=folder_id)
    except InvalidKey as error:
        raise NotFound(MISSING) from error
    rows = FolderEntry.page(pk, index="GSI1", limit=1).rows
    if not rows:
        raise NotFound(MISSING)
    return rows[0]


def find_folder(site: str, parent_id: str, name: str) -> FolderEntry | None:
    """Return the folder of this name, ignoring case: a strong read."""
    try:
        return FolderEntry.load(folder_key(site, parent_id, name))
    except NotFound:
        return None


def get_parent_id(site: str, folder_id: str) -> str | None:
    """Return the parent's id; ``ROOT`` on the top level, None if the folder does not exist."""
    try:
        return _get_index_row(site, folder_id).parent_id
    except NotFound:
        return None


def list_crumbs(site: str, folder_id: str, *, consistent: bool = False) -> list[FolderEntry]:
    """Return the folders from the top down to this one; names lag with the index unless ``consistent``.

    Raises:
        NotFound: no such folder; if ``consistent``, also while the index lags.

    """
    read = get_folder if consistent else _get_index_row
    found: list[FolderEntry] = []
    while folder_id and len(found) < _FARTHEST:
        found.append(read(site, folder_id))
        folder_id = found[-1].parent_id
    return found[::-1]


def path_of(crumbs: Sequence[FolderEntry], *more: str) -> str:
    """``Invoices/2026``."""
    return "/".join([*(str(one.name) for one in crumbs), *more])


def list_entries(site: str, folder_id: str, *, cursor: str | None = None, limit: int = 50) -> Page[FolderEntry]:
    """Return a folder's entries, folders first, by name: strongly consistent."""
    pk = table.FOLDER_ENTRY.partition_key(site, parent_document_id=folder_id)
    return FolderEntry.page(pk, cursor=cursor, limit=limit, consistent=True)


def list_folders(site: str, folder_id: str) -> Sequence[FolderEntry]:
    """Return the first hundred subfolders by name, for forms."""
    pk = table.FOLDER_ENTRY.partition_key(site, parent_document_id=folder_id)
    prefix = FolderEntry.SK.startswith(table.FOLDER_ENTRY.sort_prefix())
    return FolderEntry.page(pk, sk=prefix, limit=100, consistent=True).rows


def list_restricted(site: str) -> list[FolderEntry]:
    """Return all restricted folders."""
    found = list(FolderEntry.every(table.RESTRICTED_FOLDER.gsi2_partition(site), index="GSI2"))
    return FolderEntry.load_many([one.key for one in found])


def split_path(path: str) -> list[str]:
    """Split ``Invoices/2026`` into folder names; empty for an empty path or a single slash.

    Raises:
        Refused: a name is invalid, or there are too many.

    """
    names = [tidy_name(one) for one in path.split("/") if one.strip()]
    if len(names) > DEEPEST:
        raise Refused(gettext("A path can have up to %(deepest)s folders.") % {"deepest": DEEPEST})
    return names


def tidy_name(name: str) -> str:
    """Normalise a name. Raises: Refused, with a message for the person."""
    found = " ".join(name.split())
    if not found or found in {".", ".."} or "/" in found or not found.isprintable():
        raise Refused(gettext("Enter a name without a slash."))
    if len(found) > LONGEST_NAME:
        raise Refused(gettext("Use at most %(longest_name)s characters.") % {"longest_name": LONGEST_NAME})
    return found


def find_path(site: str, path: str) -> str:
    """Return the id of the folder at this path, ``ROOT`` if empty; one strong GetItem per folder.

    Raises:
        NotFound: there is no such folder.
        Refused: the path is invalid.

    """
    folder_id = ROOT
    for name in split_path(path):
        found = find_folder(site, folder_id, name)
        if found is None:
            raise NotFound(gettext("There is no folder “%(path)s”.") % {"path": path})
        folder_id = found.folder_id
    return folder_id

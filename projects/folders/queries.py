"""Reads of folders: one Query or one GetItem each; the way up to the first level is one for each folder."""

from collections.abc import Sequence

from config import table
from config.errors import NotFound, Refused
from config.item import Page
from config.table import InvalidKey, Key
from projects.folders.items import FolderEntry

ROOT = ""  # the id of a site's first level, which is no row
MISSING = "Folder not found."
DEEPEST = 12  # folders in one another
LONGEST_NAME = 120  # letters
_FARTHEST = 100  # that is walked up: a folder with folders in it may be moved below others


def folder_key(site: str, parent_id: str, name: str) -> Key:
    return table.FOLDER_ENTRY.key(site, parent_document_id=parent_id, path=name.lower())


def file_key(site: str, folder_id: str, name: str) -> Key:
    return table.FILE_ENTRY.key(site, parent_document_id=folder_id, path=name.lower())


def get_folder(site: str, folder_id: str) -> FolderEntry:
    """A strong read of a folder; which row it is, the index says.

    Raises:
        NotFound: no such folder on this site.

    """
    found = _indexed_folder(site, folder_id)
    folder = FolderEntry.load(found.key)
    if folder.documentId != folder_id:
        raise NotFound(MISSING)
    return folder


def _indexed_folder(site: str, folder_id: str) -> FolderEntry:
    """Its name and whose it is. Raises: NotFound."""
    try:
        pk = table.FOLDER_ENTRY.gsi1_partition(site, document_id=folder_id)
    except InvalidKey as error:
        raise NotFound(MISSING) from error
    rows = FolderEntry.page(pk, index="GSI1", limit=1).rows
    if not rows:
        raise NotFound(MISSING)
    return rows[0]


def find_folder(site: str, parent_id: str, name: str) -> FolderEntry | None:
    """A strong read of the folder of this name, in whichever letters."""
    try:
        return FolderEntry.load(folder_key(site, parent_id, name))
    except NotFound:
        return None


def get_parent_id(site: str, folder_id: str) -> str | None:
    """The folder above; ``ROOT`` of one on the first level, None if there is no such folder."""
    try:
        return _indexed_folder(site, folder_id).parent_id
    except NotFound:
        return None


def list_crumbs(site: str, folder_id: str, *, consistent: bool = False) -> list[FolderEntry]:
    """The folders from the first level down to this one; their names are as late as the index, unless ``consistent``.

    Raises:
        NotFound: no such folder; if ``consistent`` also while the index has yet to follow.

    """
    read = get_folder if consistent else _indexed_folder
    found: list[FolderEntry] = []
    while folder_id and len(found) < _FARTHEST:
        found.append(read(site, folder_id))
        folder_id = found[-1].parent_id
    return found[::-1]


def path_of(crumbs: Sequence[FolderEntry], *more: str) -> str:
    """``Invoices/2026``."""
    return "/".join([*(str(one.name) for one in crumbs), *more])


def list_entries(site: str, folder_id: str, *, cursor: str | None = None, limit: int = 50) -> Page[FolderEntry]:
    """What stands in a folder, folders first, by name: strongly consistent."""
    pk = table.FOLDER_ENTRY.partition_key(site, parent_document_id=folder_id)
    return FolderEntry.page(pk, cursor=cursor, limit=limit, consistent=True)


def list_folders(site: str, folder_id: str) -> Sequence[FolderEntry]:
    """The first hundred folders in a folder, by name: what a form offers."""
    pk = table.FOLDER_ENTRY.partition_key(site, parent_document_id=folder_id)
    prefix = FolderEntry.SK.startswith(table.FOLDER_ENTRY.sort_prefix())
    return FolderEntry.page(pk, sk=prefix, limit=100, consistent=True).rows


def list_restricted(site: str) -> list[FolderEntry]:
    """Every folder that lets only some groups in, whole."""
    found = list(FolderEntry.every(table.RESTRICTED_FOLDER.gsi2_partition(site), index="GSI2"))
    return FolderEntry.load_many([one.key for one in found])


def split_path(path: str) -> list[str]:
    """The names of the folders in ``Invoices/2026``; none of an empty path or a lone slash.

    Raises:
        Refused: a name that no folder can have, or too many of them.

    """
    names = [tidy_name(one) for one in path.split("/") if one.strip()]
    if len(names) > DEEPEST:
        raise Refused(f"A path can have up to {DEEPEST} folders.")
    return names


def tidy_name(name: str) -> str:
    """Raises: Refused, with the sentence for the person."""
    found = " ".join(name.split())
    if not found or found in {".", ".."} or "/" in found or not found.isprintable():
        raise Refused("Enter a name without a slash.")
    if len(found) > LONGEST_NAME:
        raise Refused(f"Use at most {LONGEST_NAME} characters.")
    return found


def find_path(site: str, path: str) -> str:
    """The id of the folder at this path, ``ROOT`` of an empty one; strongly read, one GetItem for each folder.

    Raises:
        NotFound: there is no such folder.
        Refused: no folder can have this path.

    """
    folder_id = ROOT
    for name in split_path(path):
        found = find_folder(site, folder_id, name)
        if found is None:
            raise NotFound(f"There is no folder “{path}”.")
        folder_id = found.folder_id
    return folder_id

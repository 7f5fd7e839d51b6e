"""Filing of documents, as parts of transactions that create, move, delete and restore them."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from django.utils.translation import gettext

from config import clock
from config.errors import Conflict, NotFound, Refused
from config.item import Item
from config.table import Key
from config.transaction import Change, Check, Delete, Put
from projects.folders import queries
from projects.folders.items import EntryType, FolderEntry
from projects.folders.queries import ROOT, file_key

T = TypeVar("T")
_ATTEMPTS = 6
ENTRY = "entry"  # what a conflict calls a name that is taken
_NUMBERED = 9  # copies of a name that are told apart by a small number


@dataclass(frozen=True)
class Place:
    """A document's place: folder, row key, free name and path."""

    folder_id: str
    folder_key: Key
    name: str
    path: str


def choose_place(site: str, folder_id: str, name: str) -> Place | None:
    """Choose a free name, such as ``bill (2).pdf`` beside ``bill.pdf``; None for the top level, which has no files.

    Raises:
        NotFound: no such folder, or it is being deleted.

    """
    if folder_id == ROOT:
        return None
    crumbs = queries.list_crumbs(site, folder_id, consistent=True)
    folder = crumbs[-1]
    if folder.closing_at:
        raise NotFound(queries.MISSING)
    free = _choose_free_name(site, folder_id, name.replace("/", "_"))
    return Place(folder_id, folder.key, free, queries.path_of(crumbs, free))


def _choose_free_name(site: str, folder_id: str, name: str) -> str:
    stem, dot, ending = name.rpartition(".")
    if not stem or len(ending) > 8:
        stem, dot, ending = name, "", ""
    wanted = [name, *(f"{stem} ({number}){dot}{ending}" for number in range(2, _NUMBERED + 1))]
    taken = Item.together([file_key(site, folder_id, one) for one in wanted], only=["documentId"])
    free = (one for one in wanted if file_key(site, folder_id, one) not in taken)
    return next(free, f"{stem} ({clock.new_ulid()[-8:]}){dot}{ending}")


def write_filed(site: str, folder_id: str, name: str, write: Callable[[Place | None], T]) -> T:
    """Call ``write`` with a place in the folder, retrying with another name if it was taken meanwhile.

    Raises:
        Refused: the folder is gone.
        Conflict: the write failed for another reason.

    """
    for attempt in range(_ATTEMPTS):
        try:
            place = choose_place(site, folder_id, name)
        except NotFound as error:
            raise Refused(gettext("The folder was deleted. Nothing was stored; choose another folder.")) from error
        try:
            return write(place)
        except Conflict as conflict:
            if conflict.failed != {ENTRY}:
                raise
            time.sleep(0.01 * (attempt + 1))
    raise Conflict(gettext("Others are filing documents with this name. Nothing was stored; try again in a moment."))


def enter_changes(site: str, place: Place, document_id: str, *, user_id: str) -> list[Change]:
    """Conflicts name ``entry`` if the name was taken, ``folder`` if the folder is gone."""
    now = clock.iso(clock.now())
    entry = FolderEntry(
        *file_key(site, place.folder_id, place.name),
        documentId=document_id,
        path=place.name,
        type=EntryType.FILE,
        parentDocumentId=place.folder_id,
        inserteddate=now,
        lastModifiedDate=now,
        userId=user_id,
        name=place.name,
    )
    return [if_open(place.folder_key, place.folder_id), Put(entry, name=ENTRY)]


def if_open(key: Key, folder_id: str) -> Check:
    """Condition: the folder was not moved and is not being deleted."""
    return Check(key, (FolderEntry.documentId == folder_id) & FolderEntry.closing_at.does_not_exist(), name="folder")


def leave_changes(site: str, document_id: str, folder_id: str | None, path: str) -> list[Change]:
    """Plan removing the entry; empty without a folder. Only the last name of ``path`` counts, since ancestors lag."""
    if not folder_id:
        return []
    mine = FolderEntry.documentId == document_id
    return [Delete(file_key(site, folder_id, path.rpartition("/")[2]), mine, name=ENTRY)]

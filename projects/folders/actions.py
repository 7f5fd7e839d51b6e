"""Writes of folders: one conditional transaction each, with its audit event.

Entries refer to their folder by id, so renaming or moving it writes one row. Only the copies of the path on documents
are updated later, as due work.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition

from config import clock, table
from config.brokers import queues
from config.due import actions as due_work
from config.errors import Conflict, CountersignError, NotFound, Refused, Unavailable
from config.phrase import Phrase
from config.transaction import EXISTS, Change, Delete, Put, Update, transact
from projects.audit.events import Actor, entity_event
from projects.documents.activity import ActivityChange, Revision, revise_document
from projects.documents.items import Document, ListedDocument, ProjectRow
from projects.documents.queries import document_rows, get_document
from projects.folders import placing, queries
from projects.folders.items import EntryType, FolderChange, FolderEntry
from projects.folders.queries import DEEPEST, ROOT, file_key, folder_key, tidy_name
from projects.shares.actions import forget_shares
from projects.sites import directory

_INDEX = "workflows.tasks.index_document"
_MOST_ROWS = 80  # of tags and attributes: a transaction holds 100
_GONE = Phrase("The folder was changed by another user. Nothing was changed; open it again.")


def create_folder(site: str, parent_id: str, name: str, *, by: Actor, folder_id: str = "") -> FolderEntry:
    """Create a folder in another one or on the top level; ``folder_id``: generated if empty.

    Raises:
        NotFound: the folder above is gone, or is being deleted.
        Conflict: the name exists.
        Refused: the name is invalid, or the folder would be too deep.

    """
    name = tidy_name(name)
    above = queries.list_crumbs(site, parent_id, consistent=True)
    if len(above) >= DEEPEST:
        raise Refused(gettext("Folders can be nested up to %(deepest)s levels deep.") % {"deepest": DEEPEST})
    folder_id, now = folder_id or clock.new_ulid(), clock.iso(clock.now())
    folder = FolderEntry(
        *folder_key(site, parent_id, name),
        **table.FOLDER_ENTRY.gsi1(site, document_id=folder_id),
        documentId=folder_id,
        path=name,
        type=EntryType.FOLDER,
        parentDocumentId=parent_id or None,
        inserteddate=now,
        lastModifiedDate=now,
        userId=by.id,
        name=name,
        version=1,
        updated_by=by.name,
    )
    guards = [placing.if_open(one.key, one.folder_id) for one in above[-1:]]
    event = entity_event(site, "folder", folder_id, "created", by=by, payload={"path": queries.path_of(above, name)})
    try:
        transact([*guards, Put(folder, name="name")], event)
    except Conflict as conflict:
        raise _explain_taken(conflict, name) from conflict
    return folder


def create_path(site: str, path: str, *, by: Actor) -> str:
    """Return the id of the folder at this path, creating missing ones. Raises: NotFound, Refused."""
    folder_id = ROOT
    for name in queries.split_path(path):
        found = queries.find_folder(site, folder_id, name)
        if found is None:
            try:
                found = create_folder(site, folder_id, name, by=by)
            except Conflict:  # made by another meanwhile
                found = queries.find_folder(site, folder_id, name)
                if found is None:
                    raise
        folder_id = found.folder_id
    return folder_id


def move_folder(site: str, folder_id: str, *, parent_id: str, name: str, by: Actor) -> bool:
    """Rename a folder or move it with its contents; False if unchanged.

    All ancestors of the target are checked in the write, so concurrent moves cannot create a cycle.

    Raises:
        NotFound: one of the two is gone.
        Conflict: there is one of that name, or one of the folders was changed meanwhile.
        Refused: the move is into itself or too deep, or the name is invalid.

    """
    name = tidy_name(name)
    folder = queries.get_folder(site, folder_id)
    above = queries.list_crumbs(site, parent_id, consistent=True)
    if any(one.folder_id == folder_id for one in above):
        raise Refused(gettext("A folder cannot be moved into itself."))
    if len(above) >= DEEPEST:
        raise Refused(gettext("Folders can be nested up to %(deepest)s levels deep.") % {"deepest": DEEPEST})
    if folder.parent_id == parent_id and folder.path == name:
        return False
    before = queries.path_of(queries.list_crumbs(site, folder_id))
    payload = {"path": {"before": before, "after": queries.path_of(above, name)}}
    event = entity_event(site, "folder", folder_id, "moved", by=by, payload=payload)
    guards = [placing.if_open(one.key, one.folder_id) for one in above]
    try:
        transact([*guards, *_move_changes(site, folder, parent_id, name, by), _begin_change(site, folder_id)], event)
    except Conflict as conflict:
        raise _explain_taken(conflict, name) from conflict
    finally:
        directory.forget_folders()
    return True


def _move_changes(site: str, folder: FolderEntry, parent_id: str, name: str, by: Actor) -> list[Change]:
    now, key = clock.iso(clock.now()), folder_key(site, parent_id, name)
    here = (FolderEntry.documentId == folder.documentId) & (FolderEntry.version == folder.version)
    here &= FolderEntry.closing_at.does_not_exist()
    if key == folder.key:  # the same name in other letters
        actions = [FolderEntry.path.set(name), FolderEntry.name.set(name), FolderEntry.lastModifiedDate.set(now)]
        return [Update(key, actions, here, name="folder")]
    kept = {one: getattr(folder, one) for one in FolderEntry.get_attributes() if one not in {"PK", "SK"}}
    changed = {
        "path": name, "name": name, "parentDocumentId": parent_id or None, "lastModifiedDate": now,
        "updated_by": by.name,
    }  # fmt: skip
    return [Delete(folder.key, here, name="folder"), Put(FolderEntry(*key, **(kept | changed)), name="name")]


def _begin_change(site: str, folder_id: str) -> Put:
    row = FolderChange(
        *table.FOLDER_CHANGE.key(site, document_id=folder_id),
        **FolderChange.due_keys(clock.iso(clock.now()), document_id=folder_id),
        documentId=folder_id,
        change_id=clock.new_ulid(),
    )
    return Put(row, overwrite=True)


def delete_folder(site: str, folder_id: str, *, by: Actor) -> None:
    """Delete an empty folder. It is closed first, so that nothing can be added meanwhile.

    Raises:
        NotFound: it is gone already.
        Refused: it is not empty.
        Conflict: it was moved or renamed meanwhile.

    """
    folder = queries.get_folder(site, folder_id)
    path = queries.path_of(queries.list_crumbs(site, folder_id))
    mine: Condition = FolderEntry.documentId == folder_id
    FolderEntry.change(folder.key, [FolderEntry.closing_at.set(clock.iso(clock.now()))], mine)
    if queries.list_entries(site, folder_id, limit=1).rows:
        FolderEntry.change(folder.key, [FolderEntry.closing_at.remove()], mine)
        raise Refused(gettext("This folder is not empty. Move or delete its contents first."))
    event = entity_event(site, "folder", folder_id, "deleted", by=by, payload={"path": path})
    try:
        transact([Delete(folder.key, mine & FolderEntry.closing_at.exists(), name="folder")], event)
    except Conflict as conflict:
        raise Conflict(_GONE) from conflict
    except CountersignError:
        FolderEntry.change(folder.key, [FolderEntry.closing_at.remove()], mine)
        raise
    finally:
        directory.forget_folders()
    forget_shares(site, folder_id)


def restrict_folder(site: str, folder_id: str, groups: Sequence[str], *, version: int, by: Actor) -> None:
    """Restrict the folder and its contents to these groups; none: everyone admitted by its ancestors.

    Raises:
        NotFound: no such folder.
        Conflict: it was moved or its groups changed since ``version``.

    """
    folder = queries.get_folder(site, folder_id)
    before, after = sorted(folder.groups or ()), sorted(set(groups))
    if before == after and folder.version == version:
        return
    index = table.RESTRICTED_FOLDER.gsi2(site, document_id=folder_id)
    places = [FolderEntry.GSI2PK.set(index["GSI2PK"]), FolderEntry.GSI2SK.set(index["GSI2SK"])]
    actions = [
        FolderEntry.version.set(version + 1),
        FolderEntry.updated_by.set(by.name),
        FolderEntry.lastModifiedDate.set(clock.iso(clock.now())),
        *([FolderEntry.groups.set(after), *places] if after else []),
        *([] if after else [FolderEntry.groups.remove(), FolderEntry.GSI2PK.remove(), FolderEntry.GSI2SK.remove()]),
    ]
    payload = {"groups": {"before": before, "after": after}}
    event = entity_event(site, "folder", folder_id, "updated", by=by, payload=payload)
    same: Condition = (FolderEntry.documentId == folder_id) & (FolderEntry.version == version)
    try:
        transact([Update(folder.key, actions, same, name="folder")], event)
    except Conflict as conflict:
        raise Conflict(
            gettext("%(updated_by)s changed this folder. Nothing was saved; open it again.")
            % {"updated_by": folder.updated_by}
        ) from conflict
    finally:
        directory.forget_folders()


def move_document(site: str, document_id: str, folder_id: str, *, by: Actor) -> bool:
    """Move a document into a folder, or out of all; False if unchanged.

    Raises:
        NotFound: no such document or folder.
        Conflict: concurrent changes kept winning.

    """

    def plan(document: Document, _at: dt.datetime) -> Revision | None:
        if (document.folder_id or ROOT) == folder_id:
            return None
        place = placing.choose_place(site, folder_id, document.name)
        path = place.path if place else document.name
        leaving = placing.leave_changes(site, document_id, document.folder_id, document.path)
        entering = placing.enter_changes(site, place, document_id, user_id=by.id) if place else []
        actions = [
            Document.path.set(path),
            Document.folder_id.set(folder_id) if place else Document.folder_id.remove(),
        ]
        return Revision([ActivityChange("path", document.path, path)], [*leaving, *entering], actions)

    return revise_document(site, document_id, plan, by=by)


def rename_document(site: str, document_id: str, name: str, *, by: Actor) -> bool:
    """Rename a document in its folder and all lists; runs and file versions keep the file name.

    Raises:
        NotFound: no such document.
        Refused: the name is invalid, or the document has too many tags and attributes.
        Conflict: its folder has one of that name, or concurrent changes kept winning.

    """
    name = tidy_name(name)

    def plan(document: Document, _at: dt.datetime) -> Revision | None:
        if document.name == name:
            return None
        rows = document_rows(site, document_id)
        flat = [*rows.tags, *rows.attributes]
        if len(flat) > _MOST_ROWS:
            raise Refused(gettext("The document has too many tags and attributes to be renamed. Remove some first."))
        project = table.PROJECT_DOCUMENT.key(site, project_id=document.project_id, document_id=document_id)
        changes: list[Change] = [
            Update(project, [ProjectRow.name.set(name), ProjectRow.data["name"].set(name)], EXISTS, name="document"),
            *(Update(one.key, [ListedDocument.name.set(name)], EXISTS, name="document") for one in flat),
        ]
        path = _rename_entry(site, document, name, changes, by)
        actions = [Document.name.set(name), Document.path.set(path)]
        return Revision([ActivityChange("name", document.name, name)], changes, actions)

    renamed = revise_document(site, document_id, plan, by=by)
    if renamed:
        _tell_search(site, get_document(site, document_id))
    return renamed


def _tell_search(site: str, document: Document) -> None:
    """Enqueue reindexing; if the broker does not answer, the index catches up by itself."""
    which = {"site": site, "project_id": document.project_id, "document_id": document.document_id}
    queues.enqueue_soon(_INDEX, settings.SEARCH_QUEUE, {**which, "at": clock.iso(clock.now())})


def _rename_entry(site: str, document: Document, name: str, changes: list[Change], by: Actor) -> str:
    """Add the entry's update to ``changes`` and return the path. Raises: Conflict."""
    if not document.folder_id:
        return name
    above, _, before = document.path.rpartition("/")
    if before.lower() == name.lower():
        key = file_key(site, document.folder_id, name)
        changes.append(Update(key, [FolderEntry.path.set(name), FolderEntry.name.set(name)], EXISTS, name="entry"))
        return f"{above}/{name}"
    place = placing.choose_place(site, document.folder_id, name)
    if place is None or place.name != name:
        raise Conflict(gettext("There is already a document “%(name)s” in this folder.") % {"name": name})
    changes += placing.leave_changes(site, document.document_id, document.folder_id, document.path)
    changes += placing.enter_changes(site, place, document.document_id, user_id=by.id)
    return place.path


@dataclass(frozen=True)
class _Refresh:
    """One pass over a folder with a changed path."""

    site: str
    change: FolderChange
    path: str

    @property
    def _is_unchanged(self) -> Condition:
        same: Condition = FolderChange.change_id == self.change.change_id
        return same

    def write_pages(self) -> None:
        """Raises: Conflict, if the folder was moved again."""
        cursor = self._write_page(self.change.after)
        while cursor:
            self._go_on(cursor)
            cursor = self._write_page(cursor)

    def _write_page(self, cursor: str | None) -> str | None:
        """Update one page of documents, make its folders due, and return the next cursor."""
        page = queries.list_entries(self.site, self.change.documentId, cursor=cursor, limit=100)
        for one in page.rows:
            if one.is_folder:
                transact([_begin_change(self.site, one.folder_id)])
        files = [str(one.documentId) for one in page.rows if not one.is_folder]
        keys = [table.DOCUMENT.key(self.site, document_id=one) for one in files]
        for document in Document.load_many(keys):
            self._write_path(document)
        return page.next

    def _write_path(self, document: Document) -> None:
        path = f"{self.path}/{document.path.rpartition('/')[2]}"
        if document.path == path or document.folder_id != self.change.documentId:
            return
        same = (Document.folder_id == document.folder_id) & (Document.path == document.path)
        try:
            Document.change(document.key, [Document.path.set(path)], same)
        except Conflict:  # moved, renamed or deleted meanwhile: that wrote its path itself
            return

    def _go_on(self, cursor: str) -> None:
        due_work.postpone(
            self.change, at=due_work.next_look(), when=self._is_unchanged, also=[FolderChange.after.set(cursor)]
        )

    def finish(self) -> None:
        """Raises: Conflict, if the folder was moved again."""
        transact([Delete(self.change.key, self._is_unchanged)])


def refresh_paths(site: str, folder_id: str) -> Sequence[str]:
    """Update the paths of documents in a moved folder; return its subfolders, to be done next.

    Idempotent and crash-safe: the rest stays due. A deleted folder counts as empty.
    """
    try:
        change = FolderChange.load(table.FOLDER_CHANGE.key(site, document_id=folder_id))
    except NotFound:
        return ()
    try:
        path = queries.path_of(queries.list_crumbs(site, folder_id, consistent=True))
    except NotFound as error:
        if queries.list_entries(site, folder_id, limit=1).rows:  # the index has yet to follow
            raise Unavailable(
                gettext("The folder has just been moved. Its paths are being updated; try again in a moment.")
            ) from error
        path = ""
    work = _Refresh(site, change, path)
    try:
        if path:
            work.write_pages()
        work.finish()
    except Conflict:  # moved again: that begins anew
        return (folder_id,)
    return [one.folder_id for one in queries.list_folders(site, folder_id)]


def _explain_taken(conflict: Conflict, name: str) -> Conflict:
    if "name" in conflict.failed:
        return Conflict(gettext("There is already a folder “%(name)s” here.") % {"name": name})
    return Conflict(_GONE)

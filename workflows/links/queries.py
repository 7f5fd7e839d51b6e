"""Reads for outsiders: the published values of a document and its page images, nothing else."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from config import table
from config.errors import NotFound
from config.item import Page
from config.phrase import Phrase
from config.table import InvalidKey, Key
from projects.documents.items import Document
from projects.documents.queries import get_document, get_documents, list_watermarks
from projects.folders import queries as folder_queries
from projects.folders.items import EntryType, FolderEntry
from projects.personal.masking import mask_fields, mask_value
from projects.personal.queries import PersonalFields, get_personal_fields
from projects.shares.items import DocumentShare
from projects.shares.queries import NO_LINK
from projects.sites import directory
from workflows.links.items import DocumentPublication
from workflows.runs import queries
from workflows.runs.items import Outcome, ProjectDocument
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

WITHDRAWN = Phrase("This document is not public. It may have been withdrawn.")


@dataclass(frozen=True)
class PublicField:
    """``rows``: of a table, as texts below ``headings``."""

    name: str
    label: str
    value: str
    headings: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()


@dataclass(frozen=True)
class PublicDocument:
    """``fields``: None until a result is published. ``pages``: 0-based, those with an image."""

    document: Document
    row: ProjectDocument
    hidden: PersonalFields
    fields: Sequence[PublicField] | None
    pages: Sequence[int]
    watermarks: Sequence[str] = ()


def load_public_document(site: str, document_id: str) -> PublicDocument:
    """Load a document with personal values masked; if it has any, pages are shown after publication only.

    Raises:
        NotFound: no such document, it was deleted, or was never processed.

    """
    document = get_document(site, document_id)
    row = queries.project_document(site, document.project_id, document_id)
    hidden = get_personal_fields(site, document.project_id)
    fields = _load_fields(site, row, document, hidden) if row.outcome == Outcome.PUBLISHED or row.decided else None
    drawn = str(document.contentType).startswith("image/") or document.contentType == "application/pdf"
    pages = range(int(row.page_count or 0)) if drawn and (fields is not None or not hidden) else range(0)
    marks = list_watermarks(site, document_id) if pages else []
    return PublicDocument(document, row, hidden, fields, pages, marks)


def _load_fields(
    site: str, row: ProjectDocument, document: Document, hidden: PersonalFields
) -> list[PublicField] | None:
    store = DocumentFiles(site, document.project_id, document.document_id)
    try:
        output = json.loads(store.read(files.output(row.counts)))
    except NotFound:
        return None
    return [_describe_field(one) for one in mask_fields(output["fields"], hidden.names)]


def _describe_field(field: Mapping[str, Any]) -> PublicField:
    rows = field.get("rows") or ()
    headings = [str(cell["column"]).replace("_", " ").capitalize() for cell in rows[0]] if rows else ()
    cells = [[str(cell.get("value") or "") for cell in row] for row in rows]
    return PublicField(str(field["name"]), str(field["label"]), str(field.get("value") or ""), headings, cells)


def publication_key(site: str, document_id: str) -> Key:
    return table.DOCUMENT_PUBLICATION.key(site, document_id=document_id)


def find_publication(site: str, document_id: str) -> DocumentPublication | None:
    """Strongly consistent."""
    try:
        return DocumentPublication.load(publication_key(site, document_id))
    except (NotFound, InvalidKey):
        return None


@dataclass(frozen=True)
class Publication:
    """What everyone sees. ``pages``: 0-based, those with an image."""

    row: DocumentPublication
    name: str
    fields: Sequence[PublicField]
    pages: Sequence[int]
    watermarks: Sequence[str] = ()


def load_publication(site: str, document_id: str) -> Publication:
    """Load it as published. Values that became personal since are masked, and then the pages are hidden.

    Raises:
        NotFound: it was withdrawn, or the document was deleted.

    """
    row = find_publication(site, document_id)
    if row is None:
        raise NotFound(WITHDRAWN)
    try:
        document = get_document(site, document_id)
    except NotFound as error:
        raise NotFound(WITHDRAWN) from error
    store = DocumentFiles(site, row.project_id, document_id)
    stored = json.loads(store.read(files.published_fields(row.publication_id)))
    personal = get_personal_fields(site, document.project_id).names
    fields = [PublicField(**one) for one in stored]
    shown = [
        replace(one, value=mask_value(one.value) or "", rows=()) if one.name in personal else one for one in fields
    ]
    pages = range(int(row.pages)) if personal <= set(row.hidden or ()) else range(0)
    marks = list_watermarks(site, document_id) if pages else []
    return Publication(row, row.path.rpartition("/")[2], shown, pages, marks)


def is_shared(site: str, share: DocumentShare, document: Document) -> bool:
    """Return True if the link leads to this document.

    A folder's link excludes documents in restricted folders below it and in restricted queues.
    """
    if share.type == EntryType.FILE:
        return bool(document.document_id == share.sharedDocumentId)
    return document.queue not in directory.list_limited_queues(site) and is_below(site, share, document.folder_id or "")


def is_below(site: str, share: DocumentShare, folder_id: str) -> bool:
    """Return True if the folder is the shared one, or inside it with no restricted folder in between."""
    limited = directory.list_limited_folders(site)
    for one in directory.list_way_up(site, folder_id):
        if one == share.sharedDocumentId:
            return True
        if one in limited:
            return False
    return False


def list_shared_folder(
    site: str, share: DocumentShare, folder_id: str, *, cursor: str | None = None
) -> Page[FolderEntry]:
    """List what the link shows of a shared folder: folders, then documents. Raises: NotFound."""
    if not is_below(site, share, folder_id):
        raise NotFound(NO_LINK)
    page = folder_queries.list_entries(site, folder_id, cursor=cursor)
    limited = directory.list_limited_folders(site)
    ids = [str(one.documentId) for one in page.rows if not one.is_folder]
    shared = {one.document_id for one in get_documents(site, ids) if is_shared(site, share, one)}
    rows = [
        one for one in page.rows if (one.folder_id not in limited if one.is_folder else str(one.documentId) in shared)
    ]
    return Page(rows, page.next)

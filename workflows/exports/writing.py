"""Writing an export: page by page, with results read concurrently, and files uploaded to S3 at the end."""

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from config import disk
from config.errors import Conflict, NotFound, Refused
from projects.documents import queries as document_queries
from projects.personal.masking import mask_fields
from projects.personal.queries import get_personal_fields
from projects.policies.gate import find_denied_to, stored_subject
from projects.schemas.labels.reading import NO_LABELS, get_labels
from projects.settings import queries as project_queries
from projects.sites import directory
from projects.sites.permissions import Permission
from workflows.exports import actions, queries
from workflows.exports.choice import CONTENT_TYPES, Choice, lay_out
from workflows.exports.formats import ExportWriter
from workflows.exports.items import Export, ExportFile
from workflows.runs.items import Outcome, ProjectDocument
from workflows.storage import files
from workflows.storage.objects import DocumentFiles, SiteFiles

_READERS = 8  # results that are read concurrently


def write_export(site: str, project_id: str, export_id: str, *, owner: str, keep: Callable[[], None]) -> None:
    """Write an export, or record on its row why not. Idempotent.

    ``keep``: called between pages, to keep the message invisible.

    Raises:
        Unavailable: something does not answer; the message is redelivered.

    """
    row = queries.get_export(site, project_id, export_id)
    if not row.is_under_way:
        return
    try:
        row = actions.claim_export(row, owner=owner)
    except Conflict:  # another worker has it, or it has ended
        return
    try:
        with tempfile.TemporaryDirectory(prefix="export-") as folder, disk.full_is_unavailable():
            _write(site, row, Path(folder), owner=owner, keep=keep)
    except Conflict:  # it was ended meanwhile
        return
    except (NotFound, Refused) as error:
        actions.fail_export(site, row, str(error))


def _write(site: str, row: Export, folder: Path, *, owner: str, keep: Callable[[], None]) -> None:
    choice = Choice.from_json(row.choice)
    project = project_queries.get_project(site, row.project_id)
    hidden = get_personal_fields(site, row.project_id).names
    labels = get_labels(site, choice.locale) if choice.locale else NO_LABELS
    layout = lay_out(choice, queries.list_fields(site, project), hidden, labels)
    documents = 0
    with ExportWriter(layout, folder) as writer:
        for page in _list_pages(site, row, choice):
            with ThreadPoolExecutor(_READERS) as readers:
                results = list(readers.map(lambda one: _read_result(site, one), page))
            for document, result in zip(page, results, strict=True):
                if result is None:
                    continue
                fields = mask_fields(result.get("fields") or (), layout.masked)
                writer.add(_describe(document, result), {str(one["name"]): one for one in fields})
                documents += 1
            actions.renew_export(row, documents, owner=owner)
            keep()
    stored = []
    for one in writer.files:
        with one.path.open("rb") as file:
            SiteFiles(site).save(_name(row, one.name), file, CONTENT_TYPES[choice.form])
        stored.append(ExportFile.of(one.name, one.rows, one.path.stat().st_size))
    actions.finish_export(site, row, documents, stored)


def _name(row: Export, name: str) -> str:
    return files.export(row.project_id, row.folder, name)


def key_of(site: str, row: Export, name: str) -> str:
    """Return the key of one of its files."""
    return SiteFiles(site).key(_name(row, name))


def _list_pages(site: str, row: Export, choice: Choice) -> Iterator[list[ProjectDocument]]:
    """Yield the published documents in the range that the person who ordered it may see; one Query a page."""
    cursor: str | None = None
    who = stored_subject(row.by_id, row.groups)
    while True:
        page = queries.list_documents(site, row.project_id, choice.since, choice.until, cursor=cursor)
        published = [one for one in page.rows if one.outcome == Outcome.PUBLISHED and one.workflow_id]
        ids = [str(one.document_id) for one in published]
        hidden = _find_hidden(site, row, ids) | find_denied_to(site, who, Permission.EXPORT, ids)
        yield [one for one in published if one.document_id not in hidden]
        cursor = page.next
        if not cursor:
            return


def _find_hidden(site: str, row: Export, document_ids: list[str]) -> frozenset[str]:
    """Find documents that the person who ordered it may not see; no call if all are open to their groups."""
    if row.is_everywhere or not document_ids:
        return frozenset()
    mine = frozenset(row.groups)
    queues = {queue for queue, groups in directory.list_limited_queues(site).items() if not mine & groups}
    folders = {folder for folder, groups in directory.list_limited_folders(site).items() if not mine & groups}
    if not queues and not folders:
        return frozenset()
    return frozenset(
        one.document_id
        for one in document_queries.list_belongings(site, document_ids)
        if one.queue in queues or directory.is_in_folder(site, one.folder_id, folders)
    )


def _read_result(site: str, document: ProjectDocument) -> Mapping[str, Any] | None:
    """Return None if it was purged meanwhile."""
    store = DocumentFiles(site, str(document.project_id), str(document.document_id))
    try:
        found: Mapping[str, Any] = json.loads(store.read(files.output(str(document.workflow_id))))
    except NotFound:
        return None
    return found


def _describe(document: ProjectDocument, result: Mapping[str, Any]) -> dict[str, Any]:
    named = result.get("classification") or {}
    decision = result.get("decision") or {}
    return {
        "document": document.name,
        "document_id": document.document_id,
        "run_id": document.workflow_id,
        "document_type": named.get("name") or result.get("document_type"),
        "pages": str(int(document.page_count)) if document.page_count else "",
        "published_at": document.updated_at,
        "decided_by": (decision.get("reviewer") or {}).get("name") or "",
    }

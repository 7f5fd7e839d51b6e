"""Writes of documents, each one transaction with its activity."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from pynamodb.expressions.update import Action

from config import clock, table
from config.transaction import EXISTS, Change, Put, Update
from projects.audit.events import Actor
from projects.documents.items import ChildDocument, Document, DocumentStatus, DocumentVersion
from projects.folders import placing
from projects.folders.placing import Place

CHECKSUM_TYPE = "SHA256"


@dataclass(frozen=True)
class Content:
    """A stored file: MIME type, bytes, S3 key; its SHA-256 (hexadecimal) and S3 version where they are known."""

    file_type: str
    file_size: int
    s3_key: str
    sha256: str | None = None
    s3version: str | None = None


@dataclass(frozen=True)
class NewDocument:
    """The properties of a new document.

    ``name``: file name; ``parent_id``: the document it was extracted from; ``place``: its folder.
    """

    document_id: str
    project_id: str
    project_name: str
    name: str
    content: Content
    classification_id: str = ""
    parent_id: str = ""
    queue: str = ""
    place: Place | None = None
    status: DocumentStatus = DocumentStatus.IN_PROGRESS


def create_document(site: str, new: NewDocument, *, by: Actor, at: dt.datetime) -> list[Change]:
    """Plan the document's row and first version, for the transaction that creates its first run.

    Conflicts name ``entry`` if the name in the folder was taken meanwhile.
    """
    version = version_row(site, new.document_id, name=new.name, content=new.content, by=by, at=at)
    filed = placing.enter_changes(site, new.place, new.document_id, user_id=by.id) if new.place else []
    return [Put(_document(site, new, by, at)), Put(version), *_child(site, new, at), *filed]


def _child(site: str, new: NewDocument, at: dt.datetime) -> list[Change]:
    if not new.parent_id:
        return []
    key = table.CHILD_DOCUMENT.key(site, document_id=new.parent_id, child_document_id=new.document_id)
    row = ChildDocument(
        key.pk,
        key.sk,
        documentId=new.document_id,
        belongsToDocumentId=new.parent_id,
        name=new.name,
        file_type=new.content.file_type,
        file_size=new.content.file_size,
        inserteddate=clock.iso(at),
    )
    return [Put(row)]


def _document(site: str, new: NewDocument, by: Actor, at: dt.datetime) -> Document:
    now, content = clock.iso(at), new.content
    parts = {"document_id": new.document_id, "date": table.date_partition(at), "datetime": table.datetime_s(at)}
    key = table.DOCUMENT.key(site, **parts)
    return Document(
        key.pk,
        key.sk,
        **table.DOCUMENT.gsi1(site, **parts),
        **by_classification(site, new.document_id, new.classification_id, at=at),
        documentId=new.document_id,
        inserteddate=now,
        lastModifiedDate=now,
        userId=by.id,
        user_name=by.name,
        path=new.place.path if new.place else new.name,
        folder_id=new.place.folder_id if new.place else None,
        contentType=content.file_type,
        contentLength=content.file_size,
        checksum=content.sha256,
        checksumType=CHECKSUM_TYPE if content.sha256 else None,
        s3version=content.s3version,
        belongsToDocumentId=new.parent_id or None,
        queue=new.queue or None,
        classification_id=new.classification_id or None,
        s3_key=content.s3_key,
        content_at=table.datetime_s(at),
        revision=1,
        name=new.name,
        document_id=new.document_id,
        project_id=new.project_id,
        project_name=new.project_name or None,
        file_type=content.file_type,
        file_size=content.file_size,
        created_at=now,
        status=new.status,
    )


def by_classification(site: str, document_id: str, classification_id: str | None, *, at: dt.datetime) -> dict[str, Any]:
    """Return the index keys of the document in its type's list."""
    if not classification_id:
        return {}
    parts = {"document_id": document_id, "classification_id": classification_id, "datetime": table.datetime_s(at)}
    return table.DOCUMENT_BY_CLASSIFICATION.gsi2(site, **parts)


def with_status(site: str, document_id: str, status: DocumentStatus, queue: str | None = None) -> Update:
    """Plan a status update. The revision stays, since people's changes do not depend on the status.

    ``queue``: the new queue, empty for the site's own; None: unchanged.
    """
    actions = [Document.status.set(status), *([] if queue is None else [in_queue(queue)])]
    return Update(table.DOCUMENT.key(site, document_id=document_id), actions, EXISTS)


def in_queue(queue: str) -> Action:
    """Plan moving the document to a queue; an empty id is the site's own, which admits every group."""
    return Document.queue.set(queue) if queue else Document.queue.remove()


def move_to_queue(site: str, document_id: str, queue: str) -> Update:
    return Update(table.DOCUMENT.key(site, document_id=document_id), [in_queue(queue)], EXISTS)


def version_row(
    site: str, document_id: str, *, name: str, content: Content, by: Actor, at: dt.datetime
) -> DocumentVersion:
    """Build the row of one file version, stored under the second ``at``."""
    return DocumentVersion(
        *table.DOCUMENT_VERSION.key(site, document_id=document_id, datetime_s=table.datetime_s(at)),
        contentType=content.file_type,
        contentLength=content.file_size,
        checksum=content.sha256,
        checksumType=CHECKSUM_TYPE if content.sha256 else None,
        s3version=content.s3version,
        s3_key=content.s3_key,
        name=name,
        inserteddate=clock.iso(at),
        userId=by.id,
        user_name=by.name,
    )

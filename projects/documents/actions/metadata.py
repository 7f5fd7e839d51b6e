"""Writes of a document's metadata: names and texts that no one searches by, kept for who reads them."""

import datetime as dt
import unicodedata
from collections.abc import Mapping
from typing import Any

from config import table
from config.errors import Conflict, Refused
from config.transaction import Put
from projects.audit.events import Actor
from projects.documents.activity import ActivityChange
from projects.documents.items import Document, DocumentMetadataVersion
from projects.documents.revisions import Revision, revise_document

PREFIX = "md#"  # seed 002: what marks an entry
LONGEST_KEY, LONGEST_VALUE = 100, 1000  # letters
MAX_ENTRIES = 40


def metadata_of(document: Document) -> dict[str, str]:
    """The entries by their names, in order."""
    stored: Mapping[str, Any] = document.metadata.as_dict() if document.metadata is not None else {}
    return {key.removeprefix(PREFIX): str(value) for key, value in sorted(stored.items())}


def set_metadata(
    site: str, document_id: str, key: str, value: str | None, *, by: Actor, expected: str | None = None
) -> bool:
    """Write one entry, or take it away with None; False if it is so already.

    ``expected`` is the value that the person saw, an empty text for none; without it the last writer wins.

    Raises:
        NotFound: no such document, or it was deleted.
        Refused: it has no name, is too long, or there are too many.
        Conflict: the entry is no longer the ``expected`` one.

    """
    key = unicodedata.normalize("NFC", " ".join(key.split()))
    if not key or len(key) > LONGEST_KEY or len(value or "") > LONGEST_VALUE:
        raise Refused(f"Names can have up to {LONGEST_KEY} characters, values up to {LONGEST_VALUE:,}.")

    def plan(document: Document, at: dt.datetime) -> Revision | None:
        before = metadata_of(document)
        old = before.get(key)
        if old == value:
            return None
        if expected is not None and expected != (old or ""):
            current = f"Current value: {old}" if old else "It was removed."
            raise Conflict(f"“{key}” was changed by another user. {current}")
        after = {name: text for name, text in (before | {key: value}).items() if text is not None}
        if len(after) > MAX_ENTRIES:
            raise Refused(f"A document can have up to {MAX_ENTRIES} metadata entries. Remove one first.")
        was = _version(site, document, at) if before else None
        stored = {f"{PREFIX}{name}": text for name, text in after.items()}
        return Revision(
            [ActivityChange(f"metadata {key}", old, value)],
            [Put(was)] if was else [],
            [Document.metadata.set(stored)],
            was.key if was else None,
        )

    return revise_document(site, document_id, plan, by=by)


def _version(site: str, document: Document, at: dt.datetime) -> DocumentMetadataVersion:
    key = table.DOCUMENT_METADATA_VERSION.key(site, document_id=document.document_id, datetime_s=table.datetime_s(at))
    return DocumentMetadataVersion(
        key.pk,
        key.sk,
        documentId=document.document_id,
        path=document.path,
        inserteddate=document.inserteddate,
        lastModifiedDate=document.lastModifiedDate,
        deepLinkPath=document.deepLinkPath,
        metadata=document.metadata.as_dict(),
    )

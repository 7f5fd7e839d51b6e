"""Duplicate detection: the same file, or an invoice with the same supplier, number and total."""

from collections.abc import Mapping
from typing import Any

from config.errors import NotFound
from projects.documents.actions.copies import remember_digests
from projects.documents.queries import get_document, list_earlier_copies
from workflows.runs.items import DocumentWorkflow, Run
from workflows.stages.document_copy import FILE, INVOICE, Copy, digest_invoice


def find_copies(run: Run, document: DocumentWorkflow, result: Mapping[str, Any]) -> list[Copy]:
    """Store the document's fingerprints, then find earlier documents with the same; once for each document."""
    digests = _digests(run, document, result)
    remember_digests(run.site, run.document_id, digests, afresh=bool(document.follows))
    found: dict[str, Copy] = {}
    for kind, digest in digests.items():
        for one in list_earlier_copies(run.site, run.document_id, digest):
            found.setdefault(one, Copy(kind, one))
    return list(found.values())


def remember_decided(run: Run, document: DocumentWorkflow, published: Mapping[str, Any]) -> None:
    """Store corrected values, which later invoices are compared with."""
    remember_digests(run.site, run.document_id, _digests(run, document, published), afresh=True)


def _digests(run: Run, document: DocumentWorkflow, result: Mapping[str, Any]) -> dict[str, str]:
    digests = {FILE: _file_digest(run, document), INVOICE: digest_invoice(result["fields"])}
    return {kind: digest for kind, digest in digests.items() if digest}


def _file_digest(run: Run, document: DocumentWorkflow) -> str | None:
    """Return None if S3 computed none, or a newer file version was added since."""
    try:
        found = get_document(run.site, run.document_id)
    except NotFound:
        return None
    return found.checksum if found.s3version == document.s3version else None

"""A version of a document is opened to everyone and withdrawn again; a purged document leaves no share."""

import json
from dataclasses import asdict

from pynamodb.expressions.condition import Condition

from config import clock, table
from config.errors import Conflict, NotFound, Refused
from config.transaction import EXISTS, NEW, Check, Delete, Update, transact
from projects.audit.events import Actor, entity_event
from projects.shares import actions
from workflows.documents.actions.hide import at_purge
from workflows.links import pictures, queries
from workflows.links.items import DocumentPublication
from workflows.links.queries import find_publication, load_public_document, publication_key
from workflows.storage import files
from workflows.storage.objects import DocumentFiles


@at_purge
def forget_shared(site: str, document_id: str) -> None:
    """Take away every share of a purged document; again is harmless."""
    actions.forget_shares(site, document_id)


def publish_document(site: str, document_id: str, *, seen: str = "", by: Actor) -> str:
    """Open the document as it is now to everyone; what was open before is replaced. Returns the publication's id.

    ``seen``: the id of the publication that the person saw, empty for none. Copies are made first: what people open
    is never half of it.

    Raises:
        NotFound: no such document, or it was deleted meanwhile.
        Refused: nothing is published of it yet, or it has too many pages.
        Conflict: someone published or withdrew it meanwhile.

    """
    public = load_public_document(site, document_id)
    if public.fields is None:
        raise Refused("This document has no published result yet. Wait until its run has ended.")
    if len(public.pages) > pictures.MOST_PAGES:
        raise Refused(f"A document with up to {pictures.MOST_PAGES} pages can be opened to everyone.")
    document, publication_id = public.document, clock.new_ulid()
    store = DocumentFiles(site, document.project_id, document_id)
    body = json.dumps([asdict(one) for one in public.fields], ensure_ascii=False).encode()
    for index in public.pages:
        picture = pictures.load_picture(site, public, index)
        store.write(files.published_page(publication_id, index), picture, "image/png")
    store.write(files.published_fields(publication_id), body, "application/json")
    row = DocumentPublication
    hidden = sorted(public.hidden.names)
    changes = [
        row.documentId.set(document_id),
        row.path.set(document.path),
        row.contentType.set(document.contentType),
        row.s3Version.set(document.s3version) if document.s3version else row.s3Version.remove(),
        row.userId.set(by.id),
        row.user_name.set(by.name),
        row.inserteddate.set(clock.iso(clock.now())),
        row.publication_id.set(publication_id),
        row.workflow_id.set(public.row.counts),
        row.project_id.set(document.project_id),
        row.pages.set(len(public.pages)),
        row.hidden.set(hidden) if hidden else row.hidden.remove(),
    ]
    same: Condition = (row.publication_id == seen) if seen else NEW
    there = Check(table.DOCUMENT.key(site, document_id=document_id), EXISTS, name="document")
    event = entity_event(site, "publication", document_id, "published", by=by, payload={"publication": publication_id})
    try:
        transact([there, Update(publication_key(site, document_id), changes, same, of=row)], event)
    except Conflict as conflict:
        store.clear_artifacts([files.publication(publication_id)])
        if "document" in conflict.failed:
            raise NotFound("This document was deleted meanwhile. Nothing was published.") from conflict
        raise Conflict(_explain_late(site, document_id)) from conflict
    if seen:
        store.clear_artifacts([files.publication(seen)])
    return publication_id


def withdraw_document(site: str, document_id: str, *, seen: str, by: Actor) -> None:
    """Close it again, at once. ``seen``: the id of the publication that the person saw.

    Raises:
        NotFound: it is not open to everyone.
        Conflict: someone withdrew it, or published another version, meanwhile.

    """
    row = find_publication(site, document_id)
    if row is None:
        raise NotFound(queries.WITHDRAWN)
    event = entity_event(site, "publication", document_id, "withdrawn", by=by, payload={"publication": seen})
    try:
        transact([Delete(row.key, DocumentPublication.publication_id == seen, of=DocumentPublication)], event)
    except Conflict as conflict:
        raise Conflict(_explain_late(site, document_id)) from conflict
    DocumentFiles(site, row.project_id, document_id).clear_artifacts([files.publication(seen)])


def _explain_late(site: str, document_id: str) -> str:
    row = find_publication(site, document_id)
    if row is None:
        return "This document was withdrawn by another user. Nothing was changed."
    return f"{row.user_name} has opened another version of this document to everyone. Nothing was changed."

"""Writes that publish a version of a document to everyone and withdraw it; a purge removes all shares."""

import json
from dataclasses import asdict

from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition

from config import clock, table
from config.errors import Conflict, NotFound, Refused
from config.phrase import Phrase
from config.transaction import EXISTS, NEW, Check, Delete, Update, transact
from projects.audit.events import Actor, entity_event
from projects.documents.actions.properties import mark_public, unmark_public
from projects.documents.purge_hooks import at_purge
from projects.shares import actions
from workflows.links import pictures, queries
from workflows.links.items import DocumentPublication
from workflows.links.queries import find_publication, load_public_document, publication_key
from workflows.storage import files
from workflows.storage.objects import DocumentFiles


@at_purge
def forget_shared(site: str, document_id: str) -> None:
    """Delete every share of a purged document. Idempotent."""
    actions.forget_shares(site, document_id)


def publish_document(site: str, document_id: str, *, seen: str = "", by: Actor) -> str:
    """Publish the document as it is now to everyone, replacing an earlier publication; return the publication's id.

    ``seen``: the id of the publication that the person saw, empty for none. Copies are written first, so that a
    publication is never incomplete.

    Raises:
        NotFound: no such document, or it was deleted meanwhile.
        Refused: it has no published result yet, or too many pages.
        Conflict: someone published or withdrew it meanwhile.

    """
    public = load_public_document(site, document_id)
    if public.fields is None:
        raise Refused(gettext("This document has no published result yet. Wait until its run has ended."))
    if len(public.pages) > pictures.MOST_PAGES:
        raise Refused(
            gettext("A document with up to %(most_pages)s pages can be opened to everyone.")
            % {"most_pages": pictures.MOST_PAGES}
        )
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
        marked = mark_public(site, document, by=by)
        transact([there, Update(publication_key(site, document_id), changes, same, of=row), *marked], event)
    except Conflict as conflict:
        store.clear_artifacts([files.publication(publication_id)])
        if "document" in conflict.failed:
            raise NotFound(gettext("This document was deleted meanwhile. Nothing was published.")) from conflict
        raise Conflict(_explain_late(site, document_id)) from conflict
    if seen:
        store.clear_artifacts([files.publication(seen)])
    return publication_id


def withdraw_document(site: str, document_id: str, *, seen: str, by: Actor) -> None:
    """Withdraw a publication at once. ``seen``: the id of the publication that the person saw.

    Raises:
        NotFound: it is not public.
        Conflict: someone withdrew it, or published another version, meanwhile.

    """
    row = find_publication(site, document_id)
    if row is None:
        raise NotFound(queries.WITHDRAWN)
    event = entity_event(site, "publication", document_id, "withdrawn", by=by, payload={"publication": seen})
    try:
        mine = Delete(row.key, DocumentPublication.publication_id == seen, of=DocumentPublication)
        transact([mine, *unmark_public(site, document_id)], event)
    except Conflict as conflict:
        raise Conflict(_explain_late(site, document_id)) from conflict
    DocumentFiles(site, row.project_id, document_id).clear_artifacts([files.publication(seen)])


def _explain_late(site: str, document_id: str) -> str:
    row = find_publication(site, document_id)
    if row is None:
        return Phrase("This document was withdrawn by another user. Nothing was changed.")
    return gettext("%(user_name)s has opened another version of this document to everyone. Nothing was changed.") % {
        "user_name": row.user_name
    }

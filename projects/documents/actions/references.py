"""Documents that refer to a duplicate follow it to what it was merged into."""

import datetime as dt
from collections.abc import Sequence

from django.conf import settings

from config import clock, table
from config.errors import Conflict, NotFound, Refused
from config.transaction import Delete, transact
from projects.audit.events import Actor
from projects.documents.actions.properties import revise_attributes
from projects.documents.activity import Revision, revise_document
from projects.documents.items import Document
from projects.entities.items import EntityMerge
from projects.entities.references import find_referring_documents, follow_merges, list_referring, reference_to
from projects.schemas.attribute_values import Value
from projects.schemas.governing import AttributeDefinition


def repoint_documents(site: str, type_id: str, entity_id: str) -> None:
    """Point documents from a merged entity to what it was merged into; idempotent.

    The index of values lags behind, so the row stays due for one more look before it is done.
    """
    try:
        merge = EntityMerge.load(table.ENTITY_MERGE.key(site, entity_type_id=type_id, document_id=entity_id))
    except NotFound:
        return
    target = follow_merges(site, type_id, entity_id)
    if target is not None:
        before, after = reference_to(type_id, entity_id), reference_to(type_id, target.entity_id)
        by = Actor(merge.userId, merge.user_name)
        for definition in list_referring(site, type_id):
            for document_id in find_referring_documents(site, definition.key, before):
                _repoint(site, document_id, definition, before, after, by)
    if clock.parse(merge.inserteddate) + dt.timedelta(seconds=settings.REPAIR_AFTER_SECONDS) <= clock.now():
        transact([Delete(merge.key)])


def _repoint(  # noqa: PLR0917 - one document's part of the merge
    site: str, document_id: str, definition: AttributeDefinition, before: str, after: str, by: Actor
) -> None:
    def replace_value(values: Sequence[Value]) -> Sequence[Value]:
        return list(dict.fromkeys(after if one == before else one for one in values))

    def plan(document: Document, at: dt.datetime) -> Revision | None:
        return revise_attributes(site, document, [(definition, replace_value)], at, by)

    try:
        revise_document(site, document_id, plan, by=by, despite_lock=True)
    except (NotFound, Conflict, Refused):  # deleted meanwhile, or changed all the time: the next look finds it
        return

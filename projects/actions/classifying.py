"""The write of a document's classification, where it is found on the document and no project names it."""

import datetime as dt

from pynamodb.expressions.update import Action

from config import clock
from config.errors import NotFound
from projects import counting, queries
from projects.actions.documents import by_classification
from projects.activity import Changed
from projects.audit import Actor
from projects.items.documents import Document
from projects.revisions import Revision, revise


def classify(site: str, document_id: str, classification_id: str, *, name: str, by: Actor) -> bool:
    """Make it a document of this classification; empty: of none. False where it is that already, or is gone.

    ``name``: the classification's, for the activity. Lists and counters of both follow in the same transaction.

    Raises:
        Conflict: others change this document all the time.

    """

    def plan(document: Document, _at: dt.datetime) -> Revision | None:
        before = document.classification_id or ""
        if before == classification_id:
            return None
        changed = Changed("document type", _name(site, before), name if classification_id else None)
        tally = counting.classified(document_id, before, classification_id)
        return Revision([changed], counting.counted(site, tally), _placed(site, document, classification_id))

    try:
        return revise(site, document_id, plan, by=by)
    except NotFound:  # deleted while it ran, or an older writer's, which has no row of its own
        return False


def _placed(site: str, document: Document, classification_id: str) -> list[Action]:
    at = clock.parse(document.inserteddate)
    index = by_classification(site, document.document_id, classification_id, at=at)
    if not index:
        return [Document.classification_id.remove(), Document.GSI2PK.remove(), Document.GSI2SK.remove()]
    return [
        Document.classification_id.set(classification_id),
        Document.GSI2PK.set(index["GSI2PK"]),
        Document.GSI2SK.set(index["GSI2SK"]),
    ]


def _name(site: str, classification_id: str) -> str | None:
    if not classification_id:
        return None
    try:
        return queries.schemas.classification(site, classification_id).name or classification_id
    except NotFound:
        return classification_id

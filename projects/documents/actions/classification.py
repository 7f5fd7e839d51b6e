"""Setting a document's type: detected by a run, or chosen by a person."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock, table
from config.errors import Conflict, NotFound, Refused
from config.transaction import EXISTS, EventAt, Update, transact
from projects.audit.events import Actor
from projects.documents import counting
from projects.documents import queries as document_queries
from projects.documents.actions.documents import by_classification
from projects.documents.activity import ActivityChange, ActivityType, explain_lock, record_activity
from projects.documents.items import Document
from projects.schemas import queries as schema_queries

_ATTEMPTS = 8


@dataclass(frozen=True)
class Classified:
    """The writes that set a document's type, to be added to another transaction.

    ``actions`` and ``condition``: on the document's row; ``tally``: counters of both types; ``events``: activity.
    Without a change only the condition remains.
    """

    condition: Condition
    actions: Sequence[Action] = ()
    tally: counting.Tally = field(default_factory=counting.Tally)
    events: Sequence[EventAt] = ()

    @property
    def changes(self) -> bool:
        return bool(self.actions)


def classify_document(site: str, document_id: str, classification_id: str, *, by: Actor) -> None:
    """Set the document's type; empty for none. Runs and results stay unchanged.

    Raises:
        NotFound: no such document, or no such type.
        Refused: the type is archived, or another has the document checked out.
        Conflict: concurrent changes kept winning; nothing was changed.

    """
    name = ""
    if classification_id:
        kind = schema_queries.get_classification(site, classification_id)
        if kind.archived:
            raise Refused(gettext("This document type is archived. Choose another."))
        name = kind.name or ""
    key = table.DOCUMENT.key(site, document_id=document_id)
    for _ in range(_ATTEMPTS):
        if told := explain_lock(document_queries.get_document(site, document_id), by):
            raise Refused(told)
        found = set_classification(site, document_id, classification_id, name=name, by=by)
        if found is None:
            raise NotFound(gettext("Document not found."))
        if not found.changes:
            return
        changes = [Update(key, found.actions, EXISTS & found.condition), *counting.apply_tally(site, found.tally)]
        try:
            transact(changes, *found.events)
        except Conflict:  # someone else classified it, or it was deleted: read again
            continue
        return
    raise Conflict(gettext("This document is being changed by others. Nothing was changed; try again in a moment."))


def set_classification(
    site: str, document_id: str, classification_id: str, *, name: str, by: Actor
) -> Classified | None:
    """Plan setting the type; empty for none. None if the document is gone.

    ``name``: the type's name, for the activity. A concurrent classification makes the transaction fail.
    """
    try:
        document = document_queries.get_document(site, document_id)
    except NotFound:  # deleted while it ran, or an older writer's, which has no row of its own
        return None
    before = document.classification_id or ""
    same = Document.classification_id == before if before else Document.classification_id.does_not_exist()
    if before == classification_id:
        return Classified(same)
    changed = ActivityChange("document type", _name(site, before), name if classification_id else None)
    return Classified(
        same,
        [
            Document.revision.set(Document.revision + 1),
            Document.lastModifiedDate.set(clock.iso(clock.now())),
            *_classification_actions(site, document, classification_id),
        ],
        counting.count_classification(document_id, before, classification_id),
        [record_activity(site, document_id, ActivityType.MODIFY, by=by, changes=[changed], name=document.name)],
    )


def _classification_actions(site: str, document: Document, classification_id: str) -> list[Action]:
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
        return schema_queries.get_classification(site, classification_id).name or classification_id
    except NotFound:
        return classification_id

"""Document activity: builds the rows that ``transact`` writes with each change."""

import datetime as dt
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from django.utils.translation import gettext
from pynamodb.expressions.update import Action

from config import clock, table
from config.errors import Conflict, Refused
from config.phrase import write_moment
from config.table import DOCUMENT_ACTIVITY, Key
from config.transaction import Change, Update, transact
from projects.audit.events import Actor
from projects.documents.items import Document, DocumentActivity
from projects.documents.queries import get_document, list_latest_activities

_EDITED = ("document type", "attribute ", "metadata ")  # how the names of changes begin that say what a document is
_LOOKED_AT = 100  # activities; views of some minutes are one
_SHORT = 200  # letters of a value that the record repeats


class ActivityType(StrEnum):
    """Stored as written."""

    CREATE = "CREATE"
    VIEW = "VIEW"
    REVEAL = "REVEAL"
    DENY = "DENY"
    MODIFY = "MODIFY"
    SOFT_DELETE = "SOFT_DELETE"
    RESTORE = "RESTORE"
    DELETE = "DELETE"


@dataclass(frozen=True)
class ActivityChange:
    """One change; None for absent before or after."""

    what: str
    before: str | None = None
    after: str | None = None

    def shorten(self) -> "ActivityChange":
        return ActivityChange(self.what, _shorten_text(self.before), _shorten_text(self.after))


def _shorten_text(text: str | None) -> str | None:
    return text if text is None or len(text) <= _SHORT else f"{text[:_SHORT]}…"


def record_activity(
    site: str,
    document_id: str,
    kind: ActivityType,
    *,
    by: Actor,
    changes: Sequence[ActivityChange] = (),
    name: str | None = None,
    version: Key | None = None,
) -> Callable[[dt.datetime], DocumentActivity]:
    """Build an activity for the instant that ``transact`` chooses. ``version``: the row with the earlier state.

    The index by user uses the user's id where seed 002 has the name, since names change and are not unique.
    """

    def at(moment: dt.datetime) -> DocumentActivity:
        stamp = table.datetime_us(moment)
        parts = {"document_id": document_id, "datetime_us": stamp, "username": by.id}
        key = DOCUMENT_ACTIVITY.key(site, **parts)
        return DocumentActivity(
            key.pk,
            key.sk,
            **DOCUMENT_ACTIVITY.gsi1(site, **parts),
            **DOCUMENT_ACTIVITY.gsi2(site, **parts),
            documentId=document_id,
            type=kind,
            userId=by.id,
            user_name=by.name,
            name=name,
            inserteddate=clock.iso(moment),
            changes=[asdict(change.shorten()) for change in changes] or None,
            versionPk=version.pk if version else None,
            versionSk=version.sk if version else None,
        )

    return at


def find_editors(site: str, document_id: str) -> frozenset[str]:
    """Return the ids of who changed the document's type, attributes or metadata lately: one Query.

    Folder, name, tags, checkout and legal hold say where it is, not what it is.
    """
    rows = list_latest_activities(site, document_id, limit=_LOOKED_AT)
    return frozenset(row.userId for row in rows if row.type == ActivityType.MODIFY and _is_edit(row))


def _is_edit(row: DocumentActivity) -> bool:
    return any(str(one["what"]).startswith(_EDITED) for one in row.changes or ())


_ATTEMPTS = 12
_MOST = 98  # changes beside the document's own and the activity: a transaction holds 100


@dataclass(frozen=True)
class Revision:
    """The writes of one change besides the document's revision, and its activity.

    ``actions``: further updates of the document's row; ``version``: the row with the earlier state.
    """

    changed: Sequence[ActivityChange]
    changes: Sequence[Change] = ()
    actions: Sequence[Action] = ()
    version: Key | None = None


Plan = Callable[[Document, dt.datetime], Revision | None]


_DESK = "system"  # the id of the desk itself as an actor, whose writes no checkout stops


def explain_lock(document: Document, by: Actor) -> str:
    """Return why ``by`` cannot change the document; empty unless someone else has it checked out."""
    if not document.is_locked or by.id in {document.lock_by, _DESK}:
        return ""
    until = clock.parse(str(document.lock_until))
    return gettext("%(lock_by_name)s has checked out this document until %(until)s UTC. Nothing was changed.") % {
        "lock_by_name": document.lock_by_name,
        "until": write_moment(until).translated(),
    }


def revise_document(site: str, document_id: str, plan: Plan, *, by: Actor, despite_lock: bool = False) -> bool:
    """Write the ``plan`` for the current document; False if it returns None (nothing changes).

    The revision guards all writes: after a lost race the document is read and planned again, so concurrent additions
    are both kept. A plan that cannot follow another change raises Conflict itself. Its instant is for version rows,
    whose keys have seconds, so it moves on if one is taken.

    ``despite_lock``: also while someone else has it checked out.

    Raises:
        NotFound: no such document, or it was deleted.
        Refused: more changes than fit into one transaction.
        Conflict: concurrent changes kept winning, or someone else has it checked out.

    """
    later = dt.timedelta()
    for attempt in range(_ATTEMPTS):
        document = get_document(site, document_id)
        if not despite_lock and (told := explain_lock(document, by)):
            raise Conflict(told)
        revision = plan(document, clock.now() + later)
        if revision is None:
            return False
        if len(revision.changes) > _MOST:
            raise Refused(gettext("Too many values in one change. Nothing was saved; change fewer values at a time."))
        try:
            _write(site, document, revision, by)
        except Conflict as conflict:
            if "document" not in conflict.failed:  # the document is as it was read: a version row's second was taken
                later += dt.timedelta(seconds=1)
            time.sleep(random.uniform(0.005, 0.03) * (attempt + 1))
        else:
            return True
    raise Conflict(gettext("This document is being changed by others. Nothing was saved; try again in a moment."))


def _write(site: str, document: Document, revision: Revision, by: Actor) -> None:
    same = Document.revision == document.revision
    actions = [
        Document.revision.set(int(document.revision) + 1),
        Document.lastModifiedDate.set(clock.iso(clock.now())),
        *revision.actions,
    ]
    event = record_activity(
        site,
        document.document_id,
        ActivityType.MODIFY,
        by=by,
        changes=revision.changed,
        name=document.name,
        version=revision.version,
    )
    transact([Update(document.key, actions, same, name="document"), *revision.changes], event)

"""What people do with a document: builds the rows that ``transact`` writes with each change."""

import datetime as dt
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from pynamodb.expressions.update import Action

from config import clock, table
from config.errors import Conflict, Refused
from config.table import DOCUMENT_ACTIVITY, Key
from config.transaction import Change, Update, transact
from projects.audit.events import Actor
from projects.documents.items import Document, DocumentActivity
from projects.documents.queries import get_document

_SHORT = 200  # letters of a value that the record repeats


class ActivityType(StrEnum):
    """Stored as written."""

    CREATE = "CREATE"
    VIEW = "VIEW"
    REVEAL = "REVEAL"
    MODIFY = "MODIFY"
    SOFT_DELETE = "SOFT_DELETE"
    RESTORE = "RESTORE"
    DELETE = "DELETE"


@dataclass(frozen=True)
class ActivityChange:
    """One thing that changed; None for what was not there before or is not there after."""

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
    """For the instant that ``transact`` chooses. ``name`` is the document's; ``version`` the row that keeps what was.

    The index by user has the user's id where seed 002 has the name: names change and are not unique.
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


_ATTEMPTS = 12
_MOST = 98  # changes beside the document's own and the activity: a transaction holds 100


@dataclass(frozen=True)
class Revision:
    """What one change writes beside bumping the document's revision, and what the activity says of it.

    ``actions`` are more changes of the document's own row; ``version`` is the row that keeps what was.
    """

    changed: Sequence[ActivityChange]
    changes: Sequence[Change] = ()
    actions: Sequence[Action] = ()
    version: Key | None = None


Plan = Callable[[Document, dt.datetime], Revision | None]


_DESK = "system"  # the id of the desk itself as an actor, whose writes no checkout stops


def explain_lock(document: Document, by: Actor) -> str:
    """Why ``by`` changes nothing of the document now; empty if no one else has it checked out."""
    if not document.is_locked or by.id in {document.lock_by, _DESK}:
        return ""
    until = clock.parse(str(document.lock_until))
    return (
        f"{document.lock_by_name} has checked out this document until {until:%d %b %Y, %H:%M} UTC. Nothing was changed."
    )


def revise_document(site: str, document_id: str, plan: Plan, *, by: Actor, despite_lock: bool = False) -> bool:
    """Write what ``plan`` says of the document as it is now; False if it says None, since all is so already.

    The revision guards everything: whoever comes second reads again and plans again, so that two values added at once
    are both there. A plan that cannot follow someone else's change raises Conflict itself. The instant that it is
    given is for version rows: their keys have seconds, so it moves on where one is taken.

    ``despite_lock``: also while another has it checked out.

    Raises:
        NotFound: no such document, or it was deleted.
        Refused: more changes than one transaction holds.
        Conflict: others change this document all the time, or another has it checked out.

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
            raise Refused("Too many values in one change. Nothing was saved; change fewer values at a time.")
        try:
            _write(site, document, revision, by)
        except Conflict as conflict:
            if "document" not in conflict.failed:  # the document is as it was read: a version row's second was taken
                later += dt.timedelta(seconds=1)
            time.sleep(random.uniform(0.005, 0.03) * (attempt + 1))
        else:
            return True
    raise Conflict("This document is being changed by others. Nothing was saved; try again in a moment.")


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

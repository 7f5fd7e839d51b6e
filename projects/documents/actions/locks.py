"""Checkout: one person keeps a document for a while, and others change nothing of it until it is checked in or ends.

Runs go on, and so do the desk's own writes: it is people's and programs' changes that wait. A lock that has ended needs
no one to take it away; an admin can break one that has not.
"""

import datetime as dt

from config import clock
from config.errors import Conflict, NotAllowed, Refused
from projects.audit.events import Actor
from projects.documents.activity import ActivityChange, Revision, explain_lock, revise_document
from projects.documents.items import Document

MOST_HOURS = 72
_WHAT = "checkout"
_OVER = "This checkout has ended or was changed by another user. Nothing was changed."


def check_out(site: str, document_id: str, hours: int, *, by: Actor) -> None:
    """Keep the document for so many hours from now; one's own checkout is extended, or made shorter.

    Raises:
        NotFound: no such document, or it was deleted.
        Refused: no such number of hours.
        Conflict: another has it.

    """
    if not 1 <= hours <= MOST_HOURS:
        raise Refused(f"Enter 1 to {MOST_HOURS} hours.")

    def plan(document: Document, at: dt.datetime) -> Revision:
        if told := explain_lock(document, by):
            raise Conflict(told)
        until = clock.iso(at + dt.timedelta(hours=hours))
        taken = [
            Document.lock_at.set(clock.iso(at)),
            Document.lock_by.set(by.id),
            Document.lock_by_name.set(by.name),
            Document.lock_until.set(until),
        ]
        return Revision([ActivityChange(_WHAT, None, f"{by.name}, {hours} h")], actions=taken)

    revise_document(site, document_id, plan, by=by)


def check_in(site: str, document_id: str, *, since: str, by: Actor, admin: bool = False) -> None:
    """Give the document back, or as an ``admin`` break another's checkout. ``since``: the instant that was shown.

    Raises:
        NotFound: no such document.
        NotAllowed: it is another's, and they are no admin.
        Conflict: that checkout is not there any more.

    """

    def plan(document: Document, _at: dt.datetime) -> Revision:
        if not document.is_locked or document.lock_at != since:
            raise Conflict(_OVER)
        if document.lock_by != by.id and not admin:
            raise NotAllowed(f"Only {document.lock_by_name} or an admin can check in this document.")
        given = [
            Document.lock_at.remove(),
            Document.lock_by.remove(),
            Document.lock_by_name.remove(),
            Document.lock_until.remove(),
        ]
        return Revision([ActivityChange(_WHAT, document.lock_by_name, None)], actions=given)

    revise_document(site, document_id, plan, by=by, despite_lock=True)

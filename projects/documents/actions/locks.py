"""Checkout: one person locks a document for a while against changes by others.

Runs and the desk's own writes continue; only changes by people and programs wait. An expired lock needs no cleanup, and
an admin can break an active one.
"""

import datetime as dt

from django.utils.translation import gettext

from config import clock
from config.errors import Conflict, NotAllowed, Refused
from config.phrase import Phrase
from projects.audit.events import Actor
from projects.documents.activity import ActivityChange, Revision, explain_lock, revise_document
from projects.documents.items import Document

MOST_HOURS = 72
_WHAT = "checkout"
_OVER = Phrase("This checkout has ended or was changed by another user. Nothing was changed.")


def check_out(site: str, document_id: str, hours: int, *, by: Actor) -> None:
    """Check out the document for ``hours``; one's own checkout is extended or shortened.

    Raises:
        NotFound: no such document, or it was deleted.
        Refused: the number of hours is invalid.
        Conflict: someone else has it.

    """
    if not 1 <= hours <= MOST_HOURS:
        raise Refused(gettext("Enter 1 to %(most_hours)s hours.") % {"most_hours": MOST_HOURS})

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
    """Check in, or as an ``admin`` break someone else's checkout. ``since``: as shown to the person.

    Raises:
        NotFound: no such document.
        NotAllowed: someone else has it, and the person is not an admin.
        Conflict: that checkout has ended.

    """

    def plan(document: Document, _at: dt.datetime) -> Revision:
        if not document.is_locked or document.lock_at != since:
            raise Conflict(_OVER)
        if document.lock_by != by.id and not admin:
            raise NotAllowed(
                gettext("Only %(lock_by_name)s or an admin can check in this document.")
                % {"lock_by_name": document.lock_by_name}
            )
        given = [
            Document.lock_at.remove(),
            Document.lock_by.remove(),
            Document.lock_by_name.remove(),
            Document.lock_until.remove(),
        ]
        return Revision([ActivityChange(_WHAT, document.lock_by_name, None)], actions=given)

    revise_document(site, document_id, plan, by=by, despite_lock=True)

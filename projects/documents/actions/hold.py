"""Legal hold: a held document cannot be deleted by anyone until the hold is released."""

import datetime as dt

from django.utils.translation import gettext

from config import clock
from config.errors import Conflict, Refused
from projects.audit.events import Actor
from projects.documents.actions import expiry
from projects.documents.activity import ActivityChange, Revision, revise_document
from projects.documents.items import Document

LONGEST_REASON = 300  # characters
_WHAT = "legal hold"


def place_hold(site: str, document_id: str, reason: str, *, by: Actor) -> None:
    """Place a hold. A deletion in progress rereads the document and is refused.

    Raises:
        NotFound: no such document, or it was deleted.
        Refused: the reason is missing or too long.
        Conflict: it is on hold already.

    """
    reason = " ".join(reason.split())
    if not reason:
        raise Refused(gettext("Enter a reason, such as the name of the case."))
    if len(reason) > LONGEST_REASON:
        raise Refused(gettext("Use at most %(longest_reason)s characters.") % {"longest_reason": LONGEST_REASON})

    def plan(document: Document, at: dt.datetime) -> Revision:
        if document.hold_at:
            raise Conflict(
                gettext("%(hold_by_name)s has already placed this document on legal hold.")
                % {"hold_by_name": document.hold_by_name}
            )
        held = [
            Document.hold_at.set(clock.iso(at)),
            Document.hold_by.set(by.id),
            Document.hold_by_name.set(by.name),
            Document.hold_reason.set(reason),
        ]
        return Revision([ActivityChange(_WHAT, None, reason)], actions=held)

    expiry.suspend(site, document_id)
    revise_document(site, document_id, plan, by=by, despite_lock=True)
    expiry.suspend(site, document_id)  # what was closed meanwhile; what is closed from now on knows of the hold


def release_hold(site: str, document_id: str, *, since: str, by: Actor) -> None:
    """Release the hold. ``since``: start of the hold that the person saw.

    Raises:
        NotFound: no such document.
        Conflict: that hold was released meanwhile.

    """

    def plan(document: Document, _at: dt.datetime) -> Revision:
        if not document.hold_at or document.hold_at != since:
            raise Conflict(gettext("This hold was changed by another user. Nothing was released."))
        released = [
            Document.hold_at.remove(),
            Document.hold_by.remove(),
            Document.hold_by_name.remove(),
            Document.hold_reason.remove(),
        ]
        return Revision([ActivityChange(_WHAT, document.hold_reason, None)], actions=released)

    revise_document(site, document_id, plan, by=by, despite_lock=True)
    expiry.resume(site, document_id)

"""Activity without a change: views of documents, and reveals of personal values."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import asdict

from django.conf import settings

from config import table
from config.errors import Conflict, NotFound
from config.item import translate_store_errors
from config.phrase import Sentence
from config.transaction import NEW, transact
from projects.audit.events import Actor
from projects.documents.activity import ActivityChange, ActivityType, record_activity
from projects.documents.items import DocumentActivity
from projects.documents.queries import get_document
from projects.personal.masking import REVEALED

_POLICY = "access policy"
_LOOKED_AT = 100  # of the activity of some minutes; beyond it a second row is the smaller evil


def record_view(site: str, document_id: str, *, by: Actor, at: dt.datetime, policy: int = 0) -> bool:
    """Record a view; False if one of the same minutes is recorded already.

    ``policy``: version of the access policy that allowed it.
    """
    allowed = (
        [ActivityChange(_POLICY, None, Sentence("allowed by version %(version)s").fill(version=policy))]
        if policy
        else []
    )
    return _record_once(site, document_id, ActivityType.VIEW, allowed, by=by, at=at)


def record_denial(site: str, document_id: str, what: str, *, by: Actor, at: dt.datetime, policy: int) -> bool:
    """Record that version ``policy`` of the access policy denied access, and why; False as in ``record_view``."""
    denied = [
        ActivityChange(
            _POLICY, None, Sentence("denied by version %(version)s: %(what)s").fill(version=policy, what=what)
        )
    ]
    return _record_once(site, document_id, ActivityType.DENY, denied, by=by, at=at)


def _record_once(
    site: str, document_id: str, kind: ActivityType, changes: Sequence[ActivityChange], *, by: Actor, at: dt.datetime
) -> bool:
    """Write once: the key is the instant, so a message delivered twice makes one row."""
    if _was_recorded_lately(site, document_id, kind, changes, by=by, at=at):
        return False
    row = record_activity(site, document_id, kind, by=by, changes=changes, name=_name(site, document_id))(at)
    try:
        with translate_store_errors():
            row.save(condition=NEW)
    except Conflict:  # the same message at the same time, or another's activity in the very microsecond: that one stays
        return False
    return True


def record_reveal(site: str, document_id: str, labels: Sequence[str], *, by: Actor) -> None:
    """Record that ``by`` revealed these personal fields. Raises: Unavailable; then nothing is shown."""
    changes = [ActivityChange(one, *REVEALED) for one in labels]
    name = _name(site, document_id)
    transact([], record_activity(site, document_id, ActivityType.REVEAL, by=by, changes=changes, name=name))


def _name(site: str, document_id: str) -> str | None:
    try:
        return get_document(site, document_id).name
    except NotFound:  # an older writer's, which has runs and no row of its own
        return None


def _was_recorded_lately(
    site: str, document_id: str, kind: ActivityType, changes: Sequence[ActivityChange], *, by: Actor, at: dt.datetime
) -> bool:
    parts = {"document_id": document_id}
    since = at - dt.timedelta(seconds=settings.VIEW_ACTIVITY_SECONDS)
    first = table.DOCUMENT_ACTIVITY.key(site, **parts, datetime_us=table.datetime_us(since)).sk
    last = table.DOCUMENT_ACTIVITY.key(site, **parts, datetime_us=table.datetime_us(at)).sk
    page = DocumentActivity.page(
        table.DOCUMENT_ACTIVITY.partition_key(site, **parts),
        sk=DocumentActivity.SK.between(first, last),
        newest_first=True,
        limit=_LOOKED_AT,
        consistent=True,
    )
    same = [asdict(one.shorten()) for one in changes] if kind == ActivityType.DENY else None
    return any(
        row.type == kind and row.userId == by.id and (same is None or list(row.changes or ()) == same)
        for row in page.rows
    )

"""Activity that stands alone: someone looked at a document, or had its personal values shown."""

import datetime as dt
from collections.abc import Sequence

from django.conf import settings

from config import table
from config.errors import Conflict, NotFound
from config.item import translate_store_errors
from config.transaction import NEW, transact
from projects.audit.events import Actor
from projects.documents.activity import ActivityChange, ActivityType, record_activity
from projects.documents.items import DocumentActivity
from projects.documents.queries import get_document
from projects.personal.masking import REVEALED

_LOOKED_AT = 100  # of the activity of some minutes; beyond it a second row is the smaller evil


def record_view(site: str, document_id: str, *, by: Actor, at: dt.datetime) -> bool:
    """Write that ``by`` looked at the document at ``at``; False if a look of the same minutes is recorded already.

    The row's key is the instant of the look, so that a message that is delivered twice makes one row.
    """
    if _was_viewed_lately(site, document_id, by, at):
        return False
    try:
        with translate_store_errors():
            record_activity(site, document_id, ActivityType.VIEW, by=by, name=_name(site, document_id))(at).save(
                condition=NEW
            )
    except Conflict:  # the same message at the same time, or another's activity in the very microsecond: that one stays
        return False
    return True


def record_reveal(site: str, document_id: str, labels: Sequence[str], *, by: Actor) -> None:
    """Write that ``by`` had the personal values of these fields shown. Raises: Unavailable; then none is shown."""
    changes = [ActivityChange(one, *REVEALED) for one in labels]
    name = _name(site, document_id)
    transact([], record_activity(site, document_id, ActivityType.REVEAL, by=by, changes=changes, name=name))


def _name(site: str, document_id: str) -> str | None:
    try:
        return get_document(site, document_id).name
    except NotFound:  # an older writer's, which has runs and no row of its own
        return None


def _was_viewed_lately(site: str, document_id: str, by: Actor, at: dt.datetime) -> bool:
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
    return any(row.type == ActivityType.VIEW and row.userId == by.id for row in page.rows)

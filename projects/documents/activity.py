"""What people do with a document: builds the rows that ``transact`` writes with each change."""

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from config import clock, table
from config.table import DOCUMENT_ACTIVITY, Key
from projects.audit.events import Actor
from projects.documents.items import DocumentActivity

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

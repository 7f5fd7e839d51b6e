"""The list of versions on a page: the rows, the selected version, and the latest events."""

from collections.abc import Sequence
from dataclasses import dataclass

from projects.audit.items import EntityEvent
from projects.web.http import read_number
from workflows.learning.versions import S, Version


@dataclass(frozen=True)
class ActivateButton:
    url: str
    label: str


@dataclass(frozen=True)
class VersionRow:
    """``facts``: what it learned from; ``note``: a second line. ``number``: 0 for the default.

    ``button``: activates it; None if the page has another way.
    """

    number: int
    label: str
    facts: str
    is_active: bool
    is_shown: bool = False
    created_at: str = ""
    created_by: str = ""
    note: str = ""
    button: ActivateButton | None = None


@dataclass(frozen=True)
class EventRow:
    at: str
    who: str
    words: str


def choose_version(versions: Sequence[Version[S]], asked: str, active: int) -> Version[S] | None:
    """Return the version ``asked`` for, else the active one, else the newest; None if there is no version."""
    wanted = read_number(asked, otherwise=active)
    return next((one for one in versions if one.number == wanted), versions[0] if versions else None)


def event_row(event: EntityEvent, words: str) -> EventRow:
    return EventRow(str(event.inserteddate), str(event.metadata.as_dict().get("name") or ""), words)

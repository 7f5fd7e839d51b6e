"""Numbered versions of what reviews teach: stored by a worker, activated by a person, pinned by runs.

There are two kinds: calibrations and extractors.
"""

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition

from config import clock, table
from config.errors import Conflict, CountersignError, NotFound, Refused, StageFailed, Unavailable
from config.phrase import Phrase
from config.table import Entity, InvalidKey
from config.transaction import EXISTS, Change, Put, Update, transact
from projects.audit.events import Actor, entity_event
from projects.audit.items import EntityEvent
from projects.settings import queries as project_queries
from projects.settings.items import Project
from workflows.learning.items import StoredVersion
from workflows.storage import files
from workflows.storage.objects import SiteFiles

log = logging.getLogger(__name__)

MOST_VERSIONS = 50  # versions on a page
EVENTS_SHOWN = 10
_ATTEMPTS = 5  # retries for concurrent workers: each takes the next free number


class Summary(Protocol):
    """What lists show of a version without loading its object."""

    def to_json(self) -> str: ...


S = TypeVar("S", bound=Summary)
C = TypeVar("C")


@dataclass(frozen=True)
class Kind(Generic[S]):
    """``name``: of its events, and of the active version on the project's row. ``file``: key by project and hash.

    ``page``: where a person chooses another. ``activated``, ``none_activated``: what happened meanwhile.
    """

    name: str
    entity: Entity
    item: type[StoredVersion]
    file: Callable[[str, str], str]
    summary_from: Callable[[str], S]
    page: str
    activated: Phrase
    none_activated: Phrase

    @property
    def label(self) -> str:
        return self.name.capitalize()


@dataclass(frozen=True)
class Version(Generic[S]):
    """A stored version as pages and commands show it."""

    number: int
    sha256: str
    documents: int
    created_at: str
    created_by: str
    activated_at: str
    activated_by: str
    summary: S


def list_versions(kind: Kind[S], site: str, project_id: str) -> list[Version[S]]:
    """List the latest, newest first: one strongly consistent Query."""
    prefix = kind.item.SK.startswith(kind.entity.sort_prefix())
    pk = kind.entity.partition_key(site, project_id=project_id)
    page = kind.item.page(pk, sk=prefix, limit=MOST_VERSIONS, newest_first=True, consistent=True)
    return [_version(kind, row) for row in page.rows]


def get_version(kind: Kind[S], site: str, project_id: str, number: int) -> Version[S]:
    """Raises: NotFound."""
    try:
        row = kind.item.load(kind.entity.key(site, project_id=project_id, version=number))
    except (NotFound, InvalidKey) as error:
        raise NotFound(gettext("%(label)s %(number)s not found.") % {"label": kind.label, "number": number}) from error
    return _version(kind, row)


def list_version_events(kind: Kind[S], site: str, project_id: str) -> list[EntityEvent]:
    """List their latest events, newest first: one strongly consistent Query."""
    pk = table.ENTITY_EVENT.partition_key(site, entity_type=kind.name, entity_id=project_id)
    return list(EntityEvent.page(pk, limit=EVENTS_SHOWN, newest_first=True, consistent=True).rows)


def active_version(kind: Kind[S], project: Project) -> int:
    """Return the version that new runs pin; 0: none."""
    stored: dict[str, Any] = project.data.as_dict()
    return int((stored.get(kind.name) or {}).get("version") or 0)


def active_is(kind: Kind[S], seen: int) -> Condition:
    """Return the condition that version ``seen`` is active; 0: that none is."""
    stored: Any = Project.data
    version = stored[kind.name]["version"]
    shown: Condition = version == seen if seen else Project.PK.exists() & version.does_not_exist()
    return shown


def read_content(kind: Kind[S], site: str, project_id: str, sha256: str) -> Any:
    """Raises: NotFound, Tampered."""
    return json.loads(SiteFiles(site).read_pinned(kind.file(project_id, sha256), sha256))


def load_pinned(kind: Kind[S], number: int, load: Callable[[], C]) -> C:
    """Return what ``load`` returns for the version that a run pinned.

    Raises:
        StageFailed: it is missing, or not what was pinned.
        Unavailable: S3 does not answer.

    """
    try:
        return load()
    except Unavailable:
        raise
    except (CountersignError, ValueError, KeyError, TypeError) as error:
        raise StageFailed(
            gettext(
                "%(label)s %(number)s, which this run began with, cannot be read. Choose another on "
                "the project's %(page)s page and start the document again."
            )
            % {"label": kind.label, "number": number, "page": kind.page}
        ) from error


def keep_version(
    kind: Kind[S], site: str, project_id: str, content: Any, *, summary: S, documents: int, verb: str, by: Actor
) -> Version[S]:
    """Store ``content`` as the project's next version, unless it equals the newest. ``verb``: of the event.

    A new version changes nothing by itself: runs keep what they pinned, and new ones use the active version.
    """
    body = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    sha256 = files.sha256(body)
    SiteFiles(site).write(kind.file(project_id, sha256), body, "application/json")
    for _ in range(_ATTEMPTS):
        last = next(iter(list_versions(kind, site, project_id)), None)
        if last and last.sha256 == sha256:
            return last
        number = last.number + 1 if last else 1
        row = kind.item(
            *kind.entity.key(site, project_id=project_id, version=number),
            version=number,
            sha256=sha256,
            documents=documents,
            summary=summary.to_json(),
            created_at=clock.iso(clock.now()),
            created_by=by.name,
        )
        payload = {"version": number, "documents": documents, "sha256": sha256}
        try:
            transact([Put(row)], entity_event(site, kind.name, project_id, verb, by=by, payload=payload))
        except Conflict:  # another worker took the number
            continue
        log.info("version stored", extra={"project": project_id, "kind": kind.name, "version": number})
        return get_version(kind, site, project_id, number)
    raise Conflict(
        gettext("Another %(name)s of this project is being created. Try again in a moment.") % {"name": kind.name}
    )


def record_refusal(kind: Kind[S], site: str, project_id: str, error: Refused, *, by: Actor, order: str) -> None:
    """Record an event for the page, since nobody waits for a worker's answer.

    ``order``: the message's id; a redelivery records it once.
    """
    events = list_version_events(kind, site, project_id)
    if any(one.payload.as_dict().get("order") == order for one in events):
        return
    payload = {"reason": str(error), "order": order}
    transact([], entity_event(site, kind.name, project_id, "refused", by=by, payload=payload))


def activate_version(
    kind: Kind[S], site: str, project: Project, number: int, *, seen: int, by: Actor, **told: str
) -> None:
    """Let runs that start from now on pin this version; 0 is none. ``seen``: the active one that was shown.

    ``told``: further facts of the event.

    Raises:
        Conflict: another one was activated since.
        NotFound: no such version.

    """
    stored: Any = Project.data
    held = stored[kind.name]
    changes: list[Change] = []
    if number:
        version = get_version(kind, site, project.id, number)
        pinned = {"version": number, "sha256": version.sha256}
        changes.append(Update(project.key, [held.set(pinned)], active_is(kind, seen)))
        now = kind.item.activated_at.set(clock.iso(clock.now()))
        key = kind.entity.key(site, project_id=project.id, version=number)
        changes.append(Update(key, [now, kind.item.activated_by.set(by.name)], EXISTS))
    else:
        changes.append(Update(project.key, [held.remove()], active_is(kind, seen)))
    payload = {"before": seen, "after": number, **told}
    try:
        transact(changes, entity_event(site, kind.name, project.id, "activated", by=by, payload=payload))
    except Conflict as error:
        raise Conflict(_say_who_was_first(kind, site, project.id)) from error


def _say_who_was_first(kind: Kind[S], site: str, project_id: str) -> str:
    now = active_version(kind, project_queries.get_project(site, project_id))
    found = next((one for one in list_versions(kind, site, project_id) if one.number == now), None)
    if not now:
        return kind.none_activated
    return kind.activated.fill(number=now, name=found.activated_by if found else Phrase("another user"))


def _version(kind: Kind[S], row: StoredVersion) -> Version[S]:
    return Version(
        int(row.version),
        row.sha256,
        int(row.documents),
        row.created_at,
        row.created_by,
        row.activated_at or "",
        row.activated_by or "",
        kind.summary_from(row.summary),
    )

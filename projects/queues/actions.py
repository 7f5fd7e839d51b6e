"""Writes of queues: one conditional transaction each, with its audit event."""

import re
from collections.abc import Sequence
from typing import Any

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock
from config.errors import Conflict
from config.phrase import Sentence, tell_who_was_first
from config.table import QUEUE
from config.transaction import Put, RecordAt, Update, transact
from projects.audit.events import Actor, entity_event
from projects.queues import queries as queue_queries
from projects.queues.items import ACTIVE, ARCHIVED, Queue
from projects.sites import directory

_ULID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")


def queue_id_from(form: str) -> str:
    """Return the form's id, so that a form sent twice creates one queue; a new one if it was lost."""
    return form if _ULID.fullmatch(form) else clock.new_ulid()


def create_queue(site: str, name: str, groups: Sequence[str], *, by: Actor, queue_id: str) -> Queue:
    """Create the queue, or return the one that the same form created before.

    Raises:
        Conflict: the id is someone else's queue.

    """
    now = clock.iso(clock.now())
    queue = Queue(
        *QUEUE.key(site, document_id=queue_id),
        **QUEUE.gsi1(site, name=name, document_id=queue_id),
        documentId=queue_id,
        name=name,
        groups=sorted(groups),
        status=ACTIVE,
        version=1,
        created_by=by.id,
        updated_by=by.name,
        created_at=now,
        updated_at=now,
    )
    payload = {"name": name, "groups": sorted(groups)}
    try:
        transact([Put(queue)], entity_event(site, "queue", queue_id, "created", by=by, payload=payload))
    except Conflict:
        made = queue_queries.get_queue(site, queue_id)
        if made.created_by != by.id:
            raise
        return made
    finally:
        directory.forget_queues()
    return queue


def update_queue(site: str, queue_id: str, *, name: str, groups: Sequence[str], version: int, by: Actor) -> None:
    """Change name and groups of the queue at ``version``; nothing is written if unchanged.

    Raises:
        Conflict: someone changed it since; the message names who and when.
        NotFound: no such queue.

    """
    before = queue_queries.get_queue(site, queue_id)
    wanted: dict[str, Any] = {"name": name, "groups": sorted(groups)}
    stored: dict[str, Any] = {"name": before.name, "groups": sorted(before.groups or ())}
    changed = {key: value for key, value in wanted.items() if stored[key] != value}
    if before.version == version and not changed:
        return
    actions: list[Action] = [Queue.name.set(name), Queue.groups.set(wanted["groups"])]
    actions.append(Queue.GSI1SK.set(QUEUE.gsi1(site, name=name, document_id=queue_id)["GSI1SK"]))
    payload = {key: {"before": stored[key], "after": value} for key, value in changed.items()}
    event = entity_event(site, "queue", queue_id, "updated", by=by, payload=payload)
    # An older writer's queue has no version until it is saved here for the first time.
    same: Condition = Queue.version == version if version else Queue.version.does_not_exist()
    _change(before, [*actions, *_stamps(by)], same, event)


def archive_queue(site: str, queue_id: str, *, by: Actor) -> None:
    """Archive the queue: it is no longer offered, but its waiting reviews stay. Raises: Conflict, NotFound."""
    queue = queue_queries.get_queue(site, queue_id)
    event = entity_event(site, "queue", queue_id, "archived", by=by, payload={"name": queue.name})
    _change(queue, [Queue.status.set(ARCHIVED), *_stamps(by)], Queue.status != ARCHIVED, event)


def restore_queue(site: str, queue_id: str, *, by: Actor) -> None:
    """Raises: Conflict, NotFound."""
    queue = queue_queries.get_queue(site, queue_id)
    event = entity_event(site, "queue", queue_id, "restored", by=by, payload={"name": queue.name})
    _change(queue, [Queue.status.set(ACTIVE), *_stamps(by)], Queue.status == ARCHIVED, event)


def _stamps(by: Actor) -> list[Action]:
    now = clock.iso(clock.now())
    return [
        Queue.version.set((Queue.version | 0) + 1),
        Queue.updated_at.set(now),
        Queue.updated_by.set(by.name),
    ]


def _change(queue: Queue, actions: Sequence[Action], when: Condition, event: RecordAt) -> None:
    try:
        transact([Update(queue.key, actions, Queue.PK.exists() & when)], event)
    except Conflict as error:
        raise Conflict(_who_was_first(Queue.load(queue.key))) from error
    finally:
        directory.forget_queues()


def _who_was_first(queue: Queue) -> str:
    told = Sentence(
        "%(who)s changed this queue on %(time)s UTC. Your change was not saved. Check the current settings and "
        "try again."
    )
    bare = Sentence("%(who)s changed this queue. Your change was not saved. Check the current settings and try again.")
    return tell_who_was_first(told, bare, by=queue.updated_by, at=queue.updated_at)

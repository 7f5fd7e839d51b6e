"""Writes of exports and schedules: order, claim, renew, finish. Each is one conditional write."""

import datetime as dt
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock
from config.due import actions as due_work
from config.errors import Conflict, Refused
from config.phrase import Phrase, Sentence
from config.transaction import Change, Delete, Put, Update, transact
from projects.audit.events import Actor, entity_event
from workflows.exports import queries
from workflows.exports.choice import FORMATS, TABLE_WAYS, Choice
from workflows.exports.items import UNDER_WAY, Export, ExportFile, ExportSchedule, ExportStatus

MOST_AT_ONCE = 3  # running exports of a project: each reads every result
KEPT_DAYS = 14  # rows and files, since their documents may be deleted or purged meanwhile
EVERY: Mapping[str, str] = {"day": Phrase("Every day"), "week": Phrase("Every week"), "month": Phrase("Every month")}
_FOLDER = re.compile(r"[a-z0-9][a-z0-9._-]*(/[a-z0-9][a-z0-9._-]*)*")
LONGEST_FOLDER = 100
_LOST = Sentence(
    "The export ended its worker %(tries)s times. Choose a shorter range or fewer columns and export again."
)
S = ExportStatus


@dataclass(frozen=True)
class Orderer:
    """Who orders an export, and what they may see: their ``groups``; ``is_everywhere``: every queue and folder."""

    by: Actor
    groups: tuple[str, ...] = ()
    is_everywhere: bool = False


def check_choice(choice: Choice) -> None:
    """Raises: Refused."""
    if choice.form not in FORMATS:
        known = ", ".join(FORMATS)
        raise Refused(
            gettext("“%(form)s” is not an export format. Use one of %(known)s.")
            % {"form": choice.form, "known": known},
            field="format",
        )
    if choice.tables not in TABLE_WAYS:
        raise Refused(gettext("Use one of %(table_ways)s.") % {"table_ways": ", ".join(TABLE_WAYS)}, field="tables")
    if choice.since and choice.until and choice.since >= choice.until:
        raise Refused(gettext("The range ends before it begins. Change one of the days."), field="until")


def order_export(
    site: str, project_id: str, choice: Choice, *, who: Orderer, export_id: str = "", folder: str = "",
    schedule_id: str = "",
) -> Export:  # fmt: skip
    """Store the order of an export, up to this moment at most; the caller sends it to a worker.

    Raises:
        Refused: as ``check_choice``, or too many exports are in progress.
        Conflict: ``export_id`` is ordered already.

    """
    check_choice(choice)
    if not schedule_id and sum(one.is_under_way for one in queries.list_exports(site, project_id).rows) >= MOST_AT_ONCE:
        raise Refused(
            gettext("%(most_at_once)s exports of this project are running. Wait for one to finish.")
            % {"most_at_once": MOST_AT_ONCE}
        )
    now, export_id = clock.now(), export_id or clock.new_ulid()
    row = Export(
        *queries.export_key(site, project_id, export_id),
        **Export.due_keys(due_work.next_look(), export_id=export_id),
        project_id=project_id,
        export_id=export_id,
        status=S.QUEUED,
        choice=replace(choice, until=min(choice.until or clock.iso(now), clock.iso(now))).to_json(),
        groups=list(who.groups),
        is_everywhere=who.is_everywhere,
        folder=folder or export_id,
        schedule_id=schedule_id or None,
        by_id=who.by.id,
        by_name=who.by.name,
        created_at=clock.iso(now),
        TimeToLive=int((now + dt.timedelta(days=KEPT_DAYS)).timestamp()),
    )
    transact([Put(row)], _event(site, row, "ordered", who.by, _facts(choice)))
    return row


def _facts(choice: Choice) -> dict[str, Any]:
    told = {"format": choice.form, "tables": choice.tables, "personal data": choice.personal}
    return told | {name: day[:10] for name, day in (("from", choice.since), ("to", choice.until)) if day}


def _event(site: str, row: Export, word: str, by: Actor, payload: Mapping[str, Any]) -> Any:
    return entity_event(site, "export", f"{row.project_id}.{row.export_id}", word, by=by, payload=payload)


def claim_export(row: Export, *, owner: str) -> Export:
    """Claim the export to write it. Raises: Conflict if it has ended, another worker has it, or it failed too often."""
    later = due_work.postpone_actions(Export, due_work.next_look(), export_id=row.export_id)
    started = [Export.status.set(S.RUNNING), Export.documents.set(0)]
    return due_work.claim(row, owner=owner, when=_is_under_way(), also=[*later, *started])


def renew_export(row: Export, documents: int, *, owner: str) -> None:
    """Renew the lease after a page of documents. Raises: Conflict if it was ended; the work must stop."""
    later = due_work.postpone_actions(Export, due_work.next_look(), export_id=row.export_id)
    mine: Condition = _is_under_way() & (Export.lease_owner == owner)
    due_work.renew(row, when=mine, also=[Export.documents.set(documents), *later])


def finish_export(site: str, row: Export, documents: int, files: Sequence[ExportFile]) -> bool:
    """Record the files of a finished export. Return False if it has ended already."""
    actions = [
        Export.status.set(S.DONE),
        Export.documents.set(documents),
        Export.files.set(list(files)),
    ]
    payload = {"documents": documents, "files": [one.name for one in files]}
    also = [change for plan in _AT_FINISH for change in plan(site, row)]
    return _end_export(site, row, actions, "written", payload, also=also)


Plan = Callable[[str, Export], Sequence[Change]]
_AT_FINISH: list[Plan] = []


def at_finish(plan: Plan) -> Plan:
    """Register changes to write together with the end of an export of a site."""
    _AT_FINISH.append(plan)
    return plan


def fail_export(site: str, row: Export, sentence: str, *, when: Condition | None = None) -> bool:
    """Record why there are no files. Return False if it has ended already."""
    actions = [Export.status.set(S.FAILED), Export.message.set(sentence)]
    return _end_export(site, row, actions, "failed", {"why": sentence}, when=when)


def give_up_export(site: str, row: Export) -> bool:
    """Fail an export that was begun too often. Return False if it moved."""
    same = due_work.not_begun_since(row, owner="")
    return fail_export(site, row, _LOST.fill(tries=settings.WORKER_ATTEMPTS), when=same)


def _end_export(
    site: str, row: Export, actions: Sequence[Action], word: str, payload: Mapping[str, Any], *,
    when: Condition | None = None, also: Sequence[Change] = (),
) -> bool:  # fmt: skip
    ended = [Export.ended_at.set(clock.iso(clock.now())), *due_work.finish_actions(), *due_work.release_actions()]
    condition = _is_under_way() if when is None else _is_under_way() & when
    by = Actor(row.by_id, row.by_name)
    try:
        transact([Update(row.key, [*actions, *ended], condition), *also], _event(site, row, word, by, payload))
    except Conflict:
        return False
    return True


def _is_under_way() -> Condition:
    under_way: Condition = Export.status.is_in(*UNDER_WAY)
    return under_way


def create_schedule(
    site: str, project_id: str, choice: Choice, every: str, folder: str, *, who: Orderer
) -> ExportSchedule:
    """Schedule exports of what is published from now on, the first after one ``every``.

    Raises:
        Refused: as ``check_choice``; the prefix is invalid; or there are too many schedules.

    """
    check_choice(choice)
    folder = folder.strip().strip("/")
    if not _FOLDER.fullmatch(folder) or len(folder) > LONGEST_FOLDER:
        raise Refused(
            gettext("Use lowercase letters, digits, dots and hyphens for the prefix, such as finance/monthly."),
            field="folder",
        )
    if every not in EVERY:
        raise Refused(gettext("Choose every day, week or month."), field="every")
    if len(queries.list_schedules(site, project_id)) >= queries.MOST_SCHEDULES:
        raise Refused(
            gettext("A project has up to %(most_schedules)s schedules. Delete one first.")
            % {"most_schedules": queries.MOST_SCHEDULES}
        )
    schedule_id, now = clock.new_ulid(), clock.now()
    due_at = next_time(every, now)
    row = ExportSchedule(
        *queries.schedule_key(site, project_id, schedule_id),
        **ExportSchedule.due_keys(due_at, schedule_id=schedule_id),
        project_id=project_id,
        schedule_id=schedule_id,
        choice=replace(choice, since="", until="").to_json(),
        groups=list(who.groups),
        is_everywhere=who.is_everywhere,
        repeat=every,
        folder=folder,
        since=clock.iso(now),
        due_at=due_at,
        by_id=who.by.id,
        by_name=who.by.name,
        created_at=clock.iso(now),
    )
    payload = {**_facts(choice), "every": every, "prefix": folder}
    transact([Put(row)], _schedule_event(site, row, "created", who.by, payload))
    return row


def delete_schedule(site: str, project_id: str, schedule_id: str, *, by: Actor) -> None:
    """Delete a schedule. Its files stay until they expire. Idempotent."""
    row = next((one for one in queries.list_schedules(site, project_id) if one.schedule_id == schedule_id), None)
    if row is None:
        return
    try:
        transact(
            [Delete(row.key, ExportSchedule.PK.exists())],
            _schedule_event(site, row, "deleted", by, {"prefix": row.folder}),
        )
    except Conflict:
        return


def _schedule_event(site: str, row: ExportSchedule, word: str, by: Actor, payload: Mapping[str, Any]) -> Any:
    return entity_event(site, "export_schedule", f"{row.project_id}.{row.schedule_id}", word, by=by, payload=payload)


def next_time(every: str, now: dt.datetime) -> str:
    """Return midnight (UTC) of the next day, the next Monday, or the next first of a month.

    >>> next_time("month", dt.datetime(2026, 12, 9, tzinfo=dt.UTC))
    '2027-01-01T00:00:00.000000+00:00'
    """
    day = now.astimezone(dt.UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if every == "month":
        following = (day.replace(day=28) + dt.timedelta(days=4)).replace(day=1)
    else:
        following = day + dt.timedelta(days=1 if every == "day" else 7 - day.weekday())
    return clock.iso(following)


def begin_scheduled(site: str, row: ExportSchedule) -> Export | None:
    """Order an export of what was published since the last one, and move the schedule on.

    Return None if another sweeper did. The export's id is derived from the schedule's time, so that ordering it twice
    makes one export. It is ordered first, so that a sweeper that dies in between leaves the schedule due.
    """
    now, due_at = clock.now(), clock.parse(row.due_at)
    choice = replace(Choice.from_json(row.choice), since=row.since, until=clock.iso(due_at))
    who = Orderer(Actor(row.by_id, row.by_name), tuple(row.groups), bool(row.is_everywhere))
    export_id = clock.ulid_of(due_at, row.schedule_id)
    try:
        found = order_export(
            site, row.project_id, choice, who=who, export_id=export_id, folder=f"{row.folder}/{due_at:%Y-%m-%d}",
            schedule_id=row.schedule_id,
        )  # fmt: skip
    except Conflict:
        found = queries.get_export(site, row.project_id, export_id)
    following = next_time(row.repeat, max(now, due_at))
    actions = [
        ExportSchedule.since.set(clock.iso(due_at)),
        ExportSchedule.due_at.set(following),
        *due_work.postpone_actions(ExportSchedule, following, schedule_id=row.schedule_id),
    ]
    try:
        ExportSchedule.change(row.key, actions, due_work.if_not_moved(row))
    except Conflict:
        return None
    return found

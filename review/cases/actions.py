"""Writes of cases: one conditional transaction each, with its audit event and outgoing events.

A case counts its open tasks and NIGOs. Closing the last one closes the case in the same write; opening another
reopens it. A rejected review opens a NIGO in each case of its document.
"""

import datetime as dt
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock, table
from config.errors import Conflict, NotFound, Refused
from config.item import Item, translate_store_errors
from config.phrase import Figure, Phrase
from config.table import Key
from config.transaction import EXISTS, Change, Delete, Put, RecordAt, Update, transact
from projects.audit.events import Actor, entity_event
from projects.documents.purge_hooks import at_purge
from projects.documents.queries import get_document
from projects.sites import directory
from projects.sites.actions import change_row
from projects.sites.items import CASES, Site
from review.cases import queries
from review.cases.items import Case, CaseDocument, CaseItem, CaseNigo, CaseStatus, CaseTask, Kind
from review.identity import ReviewRef
from workflows.runs import events

_ATTEMPTS = 8
LONGEST_NAME, LONGEST_TEXT = 120, 2000  # characters
MOST_ITEMS = 200  # tasks and NIGOs that are open in one case
_NO_DAY = "~"  # sorts after every day
_BUSY = Phrase("This case is being changed by others. Nothing was saved; try again in a moment.")
OPEN, CLOSED = CaseStatus.OPEN, CaseStatus.CLOSED


@dataclass(frozen=True)
class CaseText:
    """The texts of a case; ``number``: the name people know it by, derived from its id if empty."""

    name: str
    description: str = ""
    number: str = ""
    reference: str = ""

    def tidy(self) -> "CaseText":
        """Raises: Refused."""
        return CaseText(
            _tidy_name(self.name), _tidy_text(self.description), _tidy_text(self.number), _tidy_text(self.reference)
        )


@dataclass(frozen=True)
class TaskText:
    """What is to be done, by whom (id and name, empty if unassigned), and by which day."""

    name: str
    description: str = ""
    owner_id: str = ""
    owner_name: str = ""
    due_on: str = ""

    def tidy(self) -> "TaskText":
        """Raises: Refused."""
        try:
            day = dt.date.fromisoformat(self.due_on).isoformat() if self.due_on else ""
        except ValueError as error:
            raise Refused(gettext("Enter the due date as year, month and day, such as 2026-12-31.")) from error
        name, description = _tidy_name(self.name), _tidy_text(self.description)
        return TaskText(name, description, self.owner_id, self.owner_name, day)


def _tidy_name(name: str) -> str:
    found = " ".join(name.split())
    if not found:
        raise Refused(gettext("Enter a name."))
    if len(found) > LONGEST_NAME:
        raise Refused(gettext("Use at most %(longest_name)s characters.") % {"longest_name": LONGEST_NAME})
    return found


def _tidy_text(text: str) -> str:
    found = text.strip()
    if len(found) > LONGEST_TEXT:
        raise Refused(
            gettext("Use at most %(longest_text)s characters.")
            % {"longest_text": Figure(f"{LONGEST_TEXT:,}").translated()}
        )
    return found


def case_key(site: str, case_id: str) -> Key:
    return table.CASE.key(site, case_id=case_id)


def item_key(site: str, case_id: str, kind: Kind, item_id: str) -> Key:
    """Return the key of a task or NIGO."""
    if kind == Kind.TASK:
        return table.CASE_TASK.key(site, case_id=case_id, task_id=item_id)
    return table.CASE_NIGO.key(site, case_id=case_id, nigo_id=item_id)


def create_case(site: str, text: CaseText, *, by: Actor, document_ids: Sequence[str] = (), case_id: str = "") -> Case:
    """Open a case with its first documents; ``case_id``: generated if empty.

    Raises:
        Refused: a text is missing or too long.
        NotFound: one of the documents is gone.

    """
    text = text.tidy()
    for one in document_ids:
        get_document(site, one)
    case_id, now = case_id or clock.new_ulid(), clock.iso(clock.now())
    index = table.CASE.gsi1(site, case_id=case_id) | _by_status(site, case_id, OPEN, now)
    case = Case(
        *case_key(site, case_id),
        **index,
        documentId=case_id,
        name=text.name,
        description=text.description or None,
        status=OPEN,
        caseNumber=text.number or f"{now[:4]}-{case_id[-6:]}",
        documentNumber=text.reference or None,
        inserteddate=now,
        startDate=now,
        user_name=by.name,
        version=1,
        updated_at=now,
        updated_by=by.name,
    )
    documents = [
        Put(_document(site, case_id, one, kind=Kind.CASE, object_id=case_id, by_name=by.name)) for one in document_ids
    ]
    told = entity_event(site, "case", case_id, "created", by=by, payload={"name": text.name})
    first = [] if directory.has_cases(site) else [change_row(site, Site.uses.add({CASES}))]
    opened = events.of_case(site, case_id, events.CASE_OPENED, {"name": text.name})
    transact([Put(case), *documents, *first], told, opened)
    if first:
        directory.forget()
    return case


def update_case(site: str, case_id: str, text: CaseText, *, version: int, by: Actor) -> None:
    """Raises: NotFound, Refused; Conflict, if someone changed it since ``version`` was shown."""
    text, case = text.tidy(), queries.get_case(site, case_id)
    actions = [
        Case.name.set(text.name),
        Case.description.set(text.description) if text.description else Case.description.remove(),
        *([Case.caseNumber.set(text.number)] if text.number else []),
        Case.documentNumber.set(text.reference) if text.reference else Case.documentNumber.remove(),
        *_touch(site, case_id, CaseStatus(str(case.status)), version + 1, by),
    ]
    payload = {"name": {"before": case.name, "after": text.name}}
    event = entity_event(site, "case", case_id, "updated", by=by, payload=payload)
    try:
        transact([Update(case.key, actions, Case.version == version)], event)
    except Conflict as conflict:
        raise Conflict(
            gettext("%(updated_by)s changed this case. Nothing was saved; check it again.")
            % {"updated_by": case.updated_by}
        ) from conflict


def close_case(site: str, case_id: str, *, by: Actor) -> None:
    """Raises: NotFound; Refused, while a task or a NIGO is open; Conflict, if it is closed already."""

    def plan(case: Case) -> _Plan:
        if case.open_items:
            raise Refused(gettext("Complete the open tasks and NIGOs first. The case then closes automatically."))
        if not case.is_open:
            raise Conflict(gettext("%(updated_by)s has already closed this case.") % {"updated_by": case.updated_by})
        return _Plan("closed", {"name": case.name}, status=CLOSED)

    _change(site, case_id, plan, by=by)


def reopen_case(site: str, case_id: str, *, by: Actor) -> None:
    """Raises: NotFound; Conflict, if it is open."""

    def plan(case: Case) -> _Plan:
        if case.is_open:
            raise Conflict(gettext("%(updated_by)s has already reopened this case.") % {"updated_by": case.updated_by})
        return _Plan("reopened", {"name": case.name}, status=OPEN)

    _change(site, case_id, plan, by=by)


def add_task(site: str, case_id: str, text: TaskText, *, by: Actor, task_id: str = "") -> str:
    """Add an open task and return its id. A closed case is reopened; a repeated ``task_id`` adds nothing.

    Raises:
        NotFound: no such case.
        Refused: a text is missing or too long, or too much is open.

    """
    text, task_id = text.tidy(), task_id or clock.new_ulid()
    now = clock.iso(clock.now())
    task = CaseTask(
        *item_key(site, case_id, Kind.TASK, task_id),
        **(_of_owner(site, case_id, task_id, text) if text.owner_id else {}),
        documentId=task_id,
        caseId=case_id,
        name=text.name,
        description=text.description or None,
        status=OPEN,
        inserteddate=now,
        startDate=now,
        user_name=by.name,
        owner_id=text.owner_id or None,
        owner_name=text.owner_name or None,
        due_on=text.due_on or None,
    )
    _add(site, case_id, task, {"task": text.name, "owner": text.owner_name}, by=by)
    return task_id


def add_nigo(site: str, case_id: str, name: str, description: str = "", *, by: Actor, nigo_id: str = "") -> str:
    """Record that something is missing or wrong (NIGO). Raises: as ``add_task``."""
    name, description, nigo_id = _tidy_name(name), _tidy_text(description), nigo_id or clock.new_ulid()
    nigo = _nigo(site, case_id, nigo_id, name=name, description=description, by_name=by.name)
    _add(site, case_id, nigo, {"nigo": name}, by=by)
    return nigo_id


def _nigo(
    site: str, case_id: str, nigo_id: str, *, name: str, description: str, by_name: str, review: str | None = None
) -> CaseNigo:
    now = clock.iso(clock.now())
    return CaseNigo(
        *item_key(site, case_id, Kind.NIGO, nigo_id),
        documentId=nigo_id,
        caseId=case_id,
        name=name,
        description=description or None,
        status=OPEN,
        inserteddate=now,
        startDate=now,
        user_name=by_name,
        review=review,
    )


def _add(site: str, case_id: str, item: CaseItem, payload: Mapping[str, Any], *, by: Actor) -> None:
    def plan(case: Case) -> _Plan:
        if int(case.open_items) >= MOST_ITEMS:
            raise Refused(
                gettext("A case can have up to %(most_items)s open tasks and NIGOs. Complete some first.")
                % {"most_items": MOST_ITEMS}
            )
        told = [events.of_case(site, case_id, events.NIGO_OPENED, payload)] if isinstance(item, CaseNigo) else []
        return _Plan("updated", payload, [Put(item, name="item")], opened=1, told=told)

    try:
        _change(site, case_id, plan, by=by)
    except Conflict as conflict:
        if "item" not in conflict.failed:  # a form sent twice is one task
            raise


def update_task(site: str, case_id: str, task_id: str, text: TaskText, *, by: Actor) -> None:
    """Raises: NotFound, Refused; Conflict, if it was completed or others change the case all the time."""
    text = text.tidy()

    def plan(_case: Case) -> _Plan:
        task = CaseTask.load(item_key(site, case_id, Kind.TASK, task_id))
        if not task.is_open:
            raise Conflict(gettext("%(closed_by)s has already completed this task.") % {"closed_by": task.closed_by})
        places = _of_owner(site, case_id, task_id, text) if text.owner_id else {}
        wanted = [
            (CaseTask.name, text.name), (CaseTask.description, text.description), (CaseTask.owner_id, text.owner_id),
            (CaseTask.owner_name, text.owner_name), (CaseTask.due_on, text.due_on),
            (CaseTask.GSI1PK, places.get("GSI1PK")), (CaseTask.GSI1SK, places.get("GSI1SK")),
        ]  # fmt: skip
        actions: list[Action] = [name.set(value) if value else name.remove() for name, value in wanted]
        payload = {"task": text.name, "owner": {"before": task.owner_name, "after": text.owner_name}}
        return _Plan("updated", payload, [Update(task.key, actions, CaseTask.status == OPEN, name="item")])

    _change(site, case_id, plan, by=by)


def close_item(site: str, case_id: str, kind: Kind, item_id: str, *, answer: str = "", by: Actor) -> None:
    """Complete a task or resolve a NIGO; the last open one closes the case.

    Raises:
        NotFound: no such task or NIGO.
        Conflict: it is closed already.

    """
    answer, key = _tidy_text(answer), item_key(site, case_id, kind, item_id)

    def plan(_case: Case) -> _Plan:
        item = _load_item(key, kind)
        if not item.is_open:
            raise Conflict(gettext("%(closed_by)s has already completed this.") % {"closed_by": item.closed_by})
        actions: list[Action] = [
            CaseItem.status.set(CLOSED),
            CaseItem.endDate.set(clock.iso(clock.now())),
            CaseItem.closed_by.set(by.name),
            CaseItem.GSI1PK.remove(),
            CaseItem.GSI1SK.remove(),
            *([CaseItem.answer.set(answer)] if answer else []),
        ]
        payload = {
            str(kind).lower(): item.name,
            "answer": answer,
            "state": {"before": OPEN.value, "after": CLOSED.value},
        }
        return _Plan("updated", payload, [Update(key, actions, CaseItem.status == OPEN, name="item")], opened=-1)

    _change(site, case_id, plan, by=by)


def reopen_item(site: str, case_id: str, kind: Kind, item_id: str, *, by: Actor) -> None:
    """Raises: NotFound; Conflict, if it is open."""
    key = item_key(site, case_id, kind, item_id)

    def plan(_case: Case) -> _Plan:
        item = _load_item(key, kind)
        if item.is_open:
            raise Conflict(gettext("It was already reopened by another user."))
        actions: list[Action] = [
            CaseItem.status.set(OPEN), CaseItem.endDate.remove(), CaseItem.closed_by.remove(), CaseItem.answer.remove()
        ]  # fmt: skip
        if isinstance(item, CaseTask) and item.owner_id:
            places = _of_owner(site, case_id, item_id, TaskText("", owner_id=item.owner_id, due_on=item.due_on or ""))
            actions += [CaseItem.GSI1PK.set(places["GSI1PK"]), CaseItem.GSI1SK.set(places["GSI1SK"])]
        payload = {str(kind).lower(): item.name, "state": {"before": CLOSED.value, "after": OPEN.value}}
        return _Plan("updated", payload, [Update(key, actions, CaseItem.status == CLOSED, name="item")], opened=1)

    _change(site, case_id, plan, by=by)


def _load_item(key: Key, kind: Kind) -> CaseItem:
    try:
        return CaseTask.load(key) if kind == Kind.TASK else CaseNigo.load(key)
    except NotFound as error:
        raise NotFound(gettext("This task or NIGO was not found.")) from error


def attach_document(
    site: str, case_id: str, document_id: str, *, by: Actor, kind: Kind = Kind.CASE, item_id: str = ""
) -> bool:
    """Attach a document to a case, or to one of its tasks or NIGOs; False if it is attached already.

    Raises:
        NotFound: no such case, item or document.

    """
    get_document(site, document_id)
    if kind != Kind.CASE:
        _load_item(item_key(site, case_id, kind, item_id), kind)
    row = _document(site, case_id, document_id, kind=kind, object_id=item_id or case_id, by_name=by.name)

    def plan(_case: Case) -> _Plan:
        return _Plan("updated", {"document": {"before": None, "after": document_id}}, [Put(row, name="item")])

    try:
        _change(site, case_id, plan, by=by)
    except Conflict as conflict:
        if "item" in conflict.failed:
            return False
        raise
    return True


def detach_document(
    site: str, case_id: str, document_id: str, *, by: Actor, kind: Kind = Kind.CASE, item_id: str = ""
) -> None:
    """Raises: NotFound; Conflict, if it is not attached any more."""
    parts = {"case_id": case_id, "type": kind, "object_id": item_id or case_id, "document_id": document_id}
    change = Delete(table.CASE_DOCUMENT.key(site, **parts), EXISTS, name="item")

    def plan(_case: Case) -> _Plan:
        return _Plan("updated", {"document": {"before": document_id, "after": None}}, [change])

    _change(site, case_id, plan, by=by)


def _document(site: str, case_id: str, document_id: str, *, kind: Kind, object_id: str, by_name: str) -> CaseDocument:
    parts = {"case_id": case_id, "type": kind, "object_id": object_id, "document_id": document_id}
    return CaseDocument(
        *table.CASE_DOCUMENT.key(site, **parts),
        **table.CASE_OF_DOCUMENT.gsi1(site, **parts),
        documentId=document_id,
        caseId=case_id,
        objectId=object_id,
        type=kind,
        inserteddate=clock.iso(clock.now()),
        user_name=by_name,
    )


def plan_rejection(ref: ReviewRef, *, decision_id: str, listed: str, reason: str, by_name: str) -> list[Change]:
    """Plan a NIGO in each case of the document, for the transaction that ends its run by a rejected review.

    ``listed``: the reason chosen from the project's list, if any; ``reason``: as the reviewer typed it. The NIGO's id
    is the decision's, which makes it idempotent. Cases are never deleted, so this cannot fail and keep a decision from
    being applied.
    """
    changes: list[Change] = []
    for case in queries.list_cases_of_document(ref.site, ref.document_id)[:_MOST_CASES]:
        name = _tidy_name(f"Review rejected: {listed}"[:LONGEST_NAME] if listed else Phrase("Review rejected"))
        nigo = _nigo(
            ref.site, case.case_id, decision_id,
            name=name, description=reason[:LONGEST_TEXT], by_name=by_name, review=ref.path,
        )  # fmt: skip
        document = _document(
            ref.site, case.case_id, ref.document_id, kind=Kind.NIGO, object_id=decision_id, by_name=by_name
        )
        now = clock.iso(clock.now())
        index = _by_status(ref.site, case.case_id, OPEN, now)
        opened: list[Action] = [
            Case.open_items.set((Case.open_items | 0) + 1),
            Case.version.set((Case.version | 0) + 1),
            Case.status.set(OPEN),
            Case.endDate.remove(),
            Case.updated_at.set(now),
            Case.updated_by.set(by_name),
            Case.GSI2PK.set(index["GSI2PK"]),
            Case.GSI2SK.set(index["GSI2SK"]),
        ]
        changes += [Put(nigo), Put(document), Update(case.key, opened, EXISTS)]
    return changes


_MOST_CASES = 10  # of one document that get a rejection's NIGO


@at_purge
def forget_document(site: str, document_id: str) -> None:
    """Remove a purged document, and why it was rejected, from its cases; idempotent."""
    pk = table.CASE_OF_DOCUMENT.gsi1_partition(site, document_id=document_id)
    for one in CaseDocument.every(pk, index="GSI1"):
        case_id, kind, object_id = str(one.GSI1SK).split("#")
        if kind == Kind.NIGO:
            _forget_reason(item_key(site, case_id, Kind.NIGO, object_id), document_id)
        with translate_store_errors():
            Item(one.PK, one.SK).delete()


def _forget_reason(key: Key, document_id: str) -> None:
    """Forget why a review of this document was rejected; texts of NIGOs that people wrote belong to the case."""
    with suppress(Conflict):
        CaseNigo.change(
            key,
            [CaseNigo.review.remove(), CaseNigo.description.remove()],
            CaseNigo.review.startswith(f"{document_id}/"),
        )


@dataclass(frozen=True)
class _Plan:
    """The writes of a change besides the case's row. ``opened``: change in the number of open items."""

    event: str
    payload: Mapping[str, Any]
    changes: Sequence[Change] = ()
    opened: int = 0
    status: CaseStatus | None = None
    told: Sequence[RecordAt] = ()


def _change(site: str, case_id: str, plan: Callable[[Case], _Plan], *, by: Actor) -> None:
    """Write the ``plan`` for the current case; after a lost race, read and plan again.

    Raises:
        NotFound: no such case.
        Conflict: ``failed`` has ``item`` if the plan's own condition did not hold.

    """
    for attempt in range(_ATTEMPTS):
        case = queries.get_case(site, case_id)
        todo = plan(case)
        open_items = max(int(case.open_items) + todo.opened, 0)
        status = todo.status or _next_status(case, todo.opened, open_items)
        same: Condition = Case.version == case.version
        actions = [
            Case.open_items.set(open_items),
            *_touch(site, case_id, status, int(case.version) + 1, by),
            *([] if status == case.status else _move(status)),
        ]
        payload = dict(todo.payload) | ({} if status == case.status else {"status": _describe_move(case, status)})
        told = list(todo.told)
        if status == CLOSED != case.status:
            told.append(events.of_case(site, case_id, events.CASE_CLOSED, {"name": case.name}))
        event = entity_event(site, "case", case_id, todo.event, by=by, payload=payload)
        try:
            transact([Update(case.key, actions, same, name="case"), *todo.changes], event, *told)
        except Conflict as conflict:
            if "case" not in conflict.failed:
                raise
            time.sleep(0.01 * (attempt + 1))
        else:
            return
    raise Conflict(_BUSY)


def _describe_move(case: Case, status: CaseStatus) -> dict[str, str]:
    return {"before": str(case.status), "after": status.value}


def _next_status(case: Case, opened: int, open_items: int) -> CaseStatus:
    if opened > 0:
        return OPEN
    return CLOSED if opened < 0 and not open_items else CaseStatus(str(case.status))


def _move(status: CaseStatus) -> list[Action]:
    ended = Case.endDate.set(clock.iso(clock.now())) if status == CLOSED else Case.endDate.remove()
    return [Case.status.set(status), ended]


def _touch(site: str, case_id: str, status: CaseStatus, version: int, by: Actor) -> list[Action]:
    now = clock.iso(clock.now())
    index = _by_status(site, case_id, status, now)
    return [
        Case.version.set(version),
        Case.updated_at.set(now),
        Case.updated_by.set(by.name),
        Case.GSI2PK.set(index["GSI2PK"]),
        Case.GSI2SK.set(index["GSI2SK"]),
    ]


def _by_status(site: str, case_id: str, status: CaseStatus, at: str) -> dict[str, Any]:
    return table.CASE_BY_STATUS.gsi2(site, case_id=case_id, status=status, updated_at=at)


def _of_owner(site: str, case_id: str, task_id: str, text: TaskText) -> dict[str, Any]:
    parts = {"case_id": case_id, "task_id": task_id, "user_id": text.owner_id, "due_on": text.due_on or _NO_DAY}
    return table.TASK_OF_OWNER.gsi1(site, **parts)

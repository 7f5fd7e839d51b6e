"""Hiding deleted documents from every list: their rows drop their index keys, and restoring puts them back exactly."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pynamodb.expressions.condition import Condition

from config import table
from config.errors import Conflict
from config.transaction import EXISTS, Check, Update, transact
from projects.documents import counting
from projects.documents.items import HideableRow
from workflows.publish import hiding
from workflows.runs.actions import advance
from workflows.runs.items import DocumentWorkflow, Run

_AT_ONCE = 50  # rows; a transaction holds 100
Beat = Callable[[], None]


def hide_document(site: str, document_id: str, still: Check, beat: Beat) -> None:
    """Remove every row of the document from its indexes, except its decisions, which the audit lists. Idempotent.

    Raises:
        Conflict: the document is no longer being deleted (``still``); the rows hidden so far are correct nevertheless.

    """
    audited = table.REVIEW_DECISION.gsi2_partition(site)
    rows = [row for row in _rows(site, document_id) if audited != row.GSI2PK]
    _settle(site, rows, still, beat, _hide_step)


def show_document(site: str, document_id: str, still: Check, beat: Beat) -> None:
    """Put every row back into its indexes. Idempotent; rows written meanwhile stay as written.

    Raises:
        Conflict: as ``hide_document``.

    """
    _settle(site, list(_rows(site, document_id)), still, beat, _show_step)


@dataclass(frozen=True)
class _Step:
    """A row's change and its counter changes: a waiting review leaves its queue's counter, or returns to it."""

    update: Update
    tally: counting.Tally


def _settle(
    site: str, rows: Sequence[HideableRow], still: Check, beat: Beat, change: Callable[[HideableRow], _Step | None]
) -> None:
    steps = [made for row in rows if (made := change(row))]
    for start in range(0, len(steps), _AT_ONCE):
        beat()
        some = steps[start : start + _AT_ONCE]
        try:
            _write(site, some, still)
        except Conflict as conflict:
            if "removal" in conflict.failed:
                raise
            _one_by_one(site, some, still)


def _one_by_one(site: str, steps: Sequence[_Step], still: Check) -> None:
    """Write the rows one by one after a conflict, skipping any that was written meanwhile."""
    for one in steps:
        try:
            _write(site, [one], still)
        except Conflict as conflict:
            if "removal" in conflict.failed:
                raise


def _write(site: str, steps: Sequence[_Step], still: Check) -> None:
    tally = counting.Tally()
    for one in steps:
        tally.update(one.tally)
    transact([still, *(one.update for one in steps), *counting.apply_tally(site, tally)])


def _count_in_queue(row: HideableRow, keys: Mapping[str, str], by: int) -> counting.Tally:
    if not row.queue or "GSI1PK" not in keys:
        return counting.Tally()
    postponed = str(keys["GSI1SK"]).startswith(table.POSTPONED)
    return counting.count_queued(row.queue, str(row.document_id), by, postponed=postponed)


def _hide_step(row: HideableRow) -> _Step | None:
    if row.hidden is not None:
        return None
    if hiding.is_follow_up(row):
        return _Step(hiding.hide_row(row), counting.Tally())
    keys = row.index_keys
    if not keys and not _is_opened_by_id(row):
        return None
    same: Condition = HideableRow.GSI1SK == row.GSI1SK if row.GSI1SK else HideableRow.GSI1SK.does_not_exist()
    actions = [HideableRow.hidden.set(keys), *(getattr(HideableRow, name).remove() for name in keys)]
    update = Update(row.key, actions, EXISTS & same & HideableRow.hidden.does_not_exist())
    return _Step(update, _count_in_queue(row, keys, -1))


def _show_step(row: HideableRow) -> _Step | None:
    if row.hidden is None:
        return None
    keys: dict[str, Any] = row.hidden.as_dict()
    actions = [*(getattr(HideableRow, name).set(value) for name, value in keys.items()), HideableRow.hidden.remove()]
    return _Step(Update(row.key, actions, HideableRow.hidden.exists()), _count_in_queue(row, keys, 1))


def _is_opened_by_id(row: HideableRow) -> bool:
    """Return True for boards and reviews, which are opened by id: a mark tells their pages of the deletion."""
    head = table.REVIEW.sort_prefix()
    return table.WORKFLOW_STEPS.sk == row.SK or (row.SK.startswith(head) and "#" not in row.SK.removeprefix(head))


def _rows(site: str, document_id: str) -> Iterator[HideableRow]:
    removal = table.DOCUMENT_REMOVAL.key(site, document_id=document_id)
    yield from (row for row in _list_partition(removal.pk) if row.SK not in {removal.sk, table.DOCUMENT.sk})
    of_document = table.REVIEW.partition_key(site, document_id=document_id)
    yield from _list_partition(of_document, HideableRow.SK.startswith(table.REVIEW.sort_prefix()))
    for run in runs_of(site, document_id):
        yield from HideableRow.load_many([advance.execution_key(run), advance.board_key(run)])


def _list_partition(pk: str, sk: Condition | None = None) -> Iterator[HideableRow]:
    cursor = None
    while True:
        page = HideableRow.page(pk, sk=sk, limit=500, consistent=True, cursor=cursor)
        yield from page.rows
        cursor = page.next
        if not cursor:
            return


def runs_of(site: str, document_id: str) -> Iterator[Run]:
    """Yield every run of the document."""
    pk = table.DOCUMENT_WORKFLOW.partition_key(site, document_id=document_id)
    prefix = DocumentWorkflow.SK.startswith(table.DOCUMENT_WORKFLOW.sort_prefix())
    cursor = None
    while True:
        page = DocumentWorkflow.page(pk, sk=prefix, limit=100, consistent=True, cursor=cursor)
        for row in page.rows:
            yield Run(site, str(row.data["project_id"]), document_id, str(row.SK).partition("#")[2])
        cursor = page.next
        if not cursor:
            return

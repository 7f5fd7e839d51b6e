"""While a document is deleted no list finds it: its rows give up their index keys, and get them back exactly."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock, table
from config.errors import Conflict, NotFound
from config.item import Item, VersionItem, translate_store_errors
from config.table import Key
from config.transaction import EXISTS, Check, Update, transact
from projects.documents import counting
from projects.documents.actions.copies import forget_digests
from projects.documents.items import DocumentRemoval, HideableRow, RemovalState
from projects.documents.queries import get_removal
from workflows.insight.actions import forget_run
from workflows.intake import bucket
from workflows.intake.items import IncomingFile, IncomingOrigin
from workflows.publish import actions as publish_actions
from workflows.publish.items import FollowUp
from workflows.runs.actions import advance
from workflows.runs.actions.document_rows import DELETED, INDEX_KEYS
from workflows.runs.items import DocumentWorkflow, FollowUpStatus, Run
from workflows.storage.objects import DocumentFiles, delete_object

_AT_ONCE = 50  # a transaction holds 100
_MOST_OPEN = 80  # beside what else a deletion writes
Beat = Callable[[], None]


def follow_ups_hidden(site: str, document_id: str) -> list[Update]:
    """Part of the deletion: what follows a publication rests; fails while a worker is doing it.

    Only what is open, which a message on its way may be about, and no more than fit: the others follow with the
    document's other rows, and whoever does one of them meanwhile finds the document gone.
    """
    pk = table.FOLLOW_UP.partition_key(site, document_id=document_id)
    rows = _list_partition(pk, HideableRow.SK.startswith(table.FOLLOW_UP.sort_prefix()))
    open_ones = (row for row in rows if row.status == FollowUpStatus.OPEN)
    return [_follow_up_hidden(row) for row in itertools.islice(open_ones, _MOST_OPEN)]


def _follow_up_hidden(row: HideableRow) -> Update:
    """Its status goes with it, since a worker whose message is on the way asks for that."""
    idle = FollowUp.lease_owner.does_not_exist() | (FollowUp.lease_until < clock.iso(clock.now()))
    return Update(row.key, _rest_claims(row), (HideableRow.status == row.status) & idle, name="follow_up")


def _rest_claims(row: HideableRow) -> list[Action]:
    return [
        HideableRow.hidden.set({**_keys(row), "status": row.status}),
        HideableRow.status.set(DELETED),
        *(getattr(HideableRow, name).remove() for name in _keys(row)),
    ]


def hide_follow_up(run: Run, *, owner: str) -> bool:
    """Have it rest with its deleted document, by the worker that holds it; False if that does not come back.

    Raises:
        Conflict: another worker has it by now, or the document is on its way back.

    """
    try:
        record = get_removal(run.site, run.document_id)
        row = HideableRow.load(publish_actions.follow_up_key_of(run))
    except NotFound:
        return False
    if record.status not in (RemovalState.DELETING, RemovalState.DELETED):
        return False
    still = Check(record.key, DocumentRemoval.status == record.status)
    actions = [*_rest_claims(row), FollowUp.lease_owner.remove(), FollowUp.lease_until.remove()]
    transact([still, Update(row.key, actions, publish_actions.if_held_by(owner))])
    return True


def hide_document(site: str, document_id: str, still: Check, beat: Beat) -> None:
    """Take every row of the document out of its indexes; again is harmless.

    Raises:
        Conflict: the document is no longer on its way there (``still``); what was done is right nevertheless.

    """
    _settle(site, list(_rows(site, document_id)), still, beat, _hide_step)


def show_document(site: str, document_id: str, still: Check, beat: Beat) -> None:
    """Put every row back where it was; again is harmless, and what was written meanwhile stays as it was written.

    Raises:
        Conflict: as ``hide_document``.

    """
    _settle(site, list(_rows(site, document_id)), still, beat, _show_step)


@dataclass(frozen=True)
class _Step:
    """A row's change, and what it counts: a review that still waits in a queue leaves it, or comes back."""

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
    """Someone wrote one of them meanwhile: that one is left as it was written."""
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
    if row.SK.startswith(table.FOLLOW_UP.sort_prefix()):
        return _Step(_follow_up_hidden(row), counting.Tally())
    keys = _keys(row)
    if not keys and not _is_opened_by_id(row):
        return None
    same: Condition = HideableRow.GSI1SK == row.GSI1SK if row.GSI1SK else HideableRow.GSI1SK.does_not_exist()
    actions = [HideableRow.hidden.set(keys), *(getattr(HideableRow, name).remove() for name in keys)]
    update = Update(row.key, actions, EXISTS & same & HideableRow.hidden.does_not_exist())
    return _Step(update, _count_in_queue(row, keys, -1))


def _keys(row: HideableRow) -> dict[str, str]:
    return {name: value for name in INDEX_KEYS if (value := getattr(row, name))}


def _show_step(row: HideableRow) -> _Step | None:
    if row.hidden is None:
        return None
    keys: dict[str, Any] = row.hidden.as_dict()
    actions = [*(getattr(HideableRow, name).set(value) for name, value in keys.items()), HideableRow.hidden.remove()]
    return _Step(Update(row.key, actions, HideableRow.hidden.exists()), _count_in_queue(row, keys, 1))


def _is_opened_by_id(row: HideableRow) -> bool:
    """Boards and reviews are opened by their addresses: the mark tells their pages that the document is deleted."""
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
    """Every run of the document."""
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


def child_key(site: str, parent_id: str, document_id: str) -> Key:
    return table.CHILD_DOCUMENT.key(site, document_id=parent_id, child_document_id=document_id)


Forget = Callable[[str, str], None]
_FORGETTERS: list[Forget] = []
_BATCH = 25  # a heartbeat's distance


def at_purge(forget: Forget) -> Forget:
    """Register what else forgets a purged document, of a site and by its id; again has to be harmless."""
    _FORGETTERS.append(forget)
    return forget


def destroy_document(site: str, record: DocumentRemoval, beat: Beat) -> None:
    """Delete the files, then the rows; the rows that lead to others go after them.

    Raises:
        Unavailable: S3 or the table does not answer; what is gone is gone, the rest is gone on with.

    """
    document_id, project_id = str(record.documentId), str(record.project_id)
    _destroy_arrival(site, document_id)
    DocumentFiles(site, project_id, document_id).destroy(beat)
    for run in runs_of(site, document_id):
        _destroy_run(run, beat)
    of_document = table.DOCUMENT_WORKFLOW.partition_key(site, document_id=document_id)
    event = table.DOCUMENT_EVENT.sort_prefix()
    _empty_partition(Item, of_document, beat, keep=lambda sk: sk.startswith(event))
    _empty_partition(Item, table.REVIEW_CHECKPOINT.partition_key(site, document_id=document_id), beat)
    _empty_partition(Item, table.DEFINITION_DOCUMENT.partition_key(site, document_id=document_id), beat)
    _remove(table.PROJECT_DOCUMENT.key(site, project_id=project_id, document_id=document_id))
    forget_digests(site, document_id)
    for forget in _FORGETTERS:
        forget(site, document_id)
    _empty_partition(Item, record.PK, beat, keep=lambda sk: sk == record.SK)
    _empty_partition(VersionItem, table.DOCUMENT_VERSION.partition_key(site, document_id=document_id), beat)
    history = table.DOCUMENT_ACTIVITY.partition_key(site, document_id=document_id)
    told = table.DOCUMENT_ACTIVITY.sort_prefix()
    _empty_partition(VersionItem, history, beat, keep=lambda sk: sk.startswith(told))
    if record.belongsToDocumentId:
        _remove(child_key(site, record.belongsToDocumentId, document_id))


def _destroy_arrival(site: str, document_id: str) -> None:
    """The object that another system put into the bucket, where the document was made of one."""
    try:
        origin = IncomingOrigin.load(table.INCOMING_ORIGIN.key(site, document_id=document_id))
        file = IncomingFile.load(bucket.key_of(origin.digest))
    except NotFound:
        return
    if file.s3_key:
        delete_object(file.s3_key, file.s3version or "")
        bucket.forget(file)


def _destroy_run(run: Run, beat: Beat) -> None:
    """The link from the document goes last: by it a second attempt finds the run."""
    forget_run(run)
    _empty_partition(Item, advance.board_key(run).pk, beat)
    _empty_partition(Item, advance.execution_key(run).pk, beat)
    _remove(table.PROJECT_WORKFLOW.key(run.site, project_id=run.project_id, workflow_id=run.workflow_id))
    _remove(table.WEB_WORKFLOW.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id))
    _remove(table.DOCUMENT_WORKFLOW.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id))


def _empty_partition(kind: type[Item], pk: str, beat: Beat, *, keep: Callable[[str], bool] = lambda _: False) -> None:
    """Delete the partition's rows but those whose sort key is to be kept."""
    with translate_store_errors(), kind.batch_write() as batch:
        rows = kind.query(pk, consistent_read=True, attributes_to_get=["PK", "SK"])
        for number, row in enumerate(rows):
            if number % _BATCH == 0:
                beat()
            if not keep(str(row.SK)):
                batch.delete(row)


def _remove(key: Key) -> None:
    with translate_store_errors():
        Item(key.pk, key.sk).delete()

"""A process dies at any call of a deletion, a restoration or a purge; the sweeper finishes it, to the same end."""

from collections import Counter
from collections.abc import Callable

import pytest

from config.due import sweeper
from config.due.sweeper import DueRow
from projects.documents.items import RemovalState
from projects.documents.queries import get_removal
from tests.aws_faults import count_calls, crash_after, crash_before
from tests.factories import SITE, start_run
from tests.projects.make_schemas import make_attributes
from tests.pump import Pump
from tests.workflows import stored
from tests.workflows.removing import MARTA, ROSA, files_of, hang_on, is_trail, state
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.documents.actions import removals
from workflows.runs import queries
from workflows.runs.actions import advance, segments
from workflows.runs.items import Run
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

Act = Callable[[Run], None]
# Not UpdateItem: heartbeats, which come as time goes, and the mark of an event that was sent.
WRITES = {
    ("dynamodb", "TransactWriteItems"),
    ("dynamodb", "BatchWriteItem"),
    ("dynamodb", "DeleteItem"),
    ("s3", "DeleteObjects"),
}


def document() -> Run:
    run = start_run()
    segments.write(run, 3)
    store = DocumentFiles(SITE, run.project_id, run.document_id)
    for body in (b"1", b"2"):
        store.write(files.page_image(0), body, "image/png")
    advance.fail(run, DOCUMENT_ANALYSIS, queries.execution(run), attempt=1, error="E", sentence="Not readable.")
    hang_on(run.document_id)
    return run


def deleted() -> Run:
    run = document()
    removals.delete_document(SITE, run.document_id, by=ROSA)
    return run


def snapshot() -> dict[tuple[str, str, str], stored.Row]:
    return {key: row for key, row in stored.rows().items() if not is_trail(key)}


def swept(run: Run, pump: Pump) -> None:
    """What the sweeper does with the removal's row once it is due."""
    record = get_removal(SITE, run.document_id)
    sweeper.repair_due(DueRow("removal", run.document_id, record.key, SITE))
    before = pump.ran("finish_removal")
    pump.run(lambda: pump.ran("finish_removal") > before)


def positions(act: Act, run: Run) -> list[tuple[str, str, int]]:
    """Every writing call that the act makes: its service, its operation, the how-maniest of that kind it is.

    Killed before a call is killed after the one before it, and a read leaves nothing.
    """
    seen: Counter[tuple[str, str]] = Counter()
    found = []
    with count_calls() as calls:
        act(run)
    for call in calls.calls:
        name = (call.service, call.operation)
        seen[name] += 1
        if name in WRITES:
            found.append((*name, seen[name]))
    assert len(found) > 2
    return found


def delete(run: Run) -> None:
    removals.delete_document(SITE, run.document_id, by=ROSA)


def restore(run: Run) -> None:
    removals.restore_document(SITE, run.document_id, by=MARTA)


def finish(run: Run) -> None:
    removals.finish_removal(SITE, run.document_id)


@pytest.fixture
def worker(pump: Pump) -> Pump:
    make_attributes()
    pump.hold = lambda message: not message.task.endswith("finish_removal")
    return pump


@pytest.mark.wide
def test_a_deletion_that_is_killed_anywhere_is_whole_or_has_not_begun(worker: Pump) -> None:
    untouched = document()
    with crash_before("dynamodb", "TransactWriteItems"):
        delete(untouched)
    assert state(untouched) is None
    for service, operation, nth in positions(delete, untouched):
        run = document()
        before = snapshot()
        with crash_after(service, operation, nth):
            delete(run)
        if state(run) is None:
            assert snapshot() == before
            continue
        if state(run) == RemovalState.DELETING:
            swept(run, worker)
        assert state(run) == RemovalState.DELETED
        assert {sk for _, sk in stored.indexed(run.document_id) if not is_trail(("", "", sk))} == {
            "removal",
            f"softdelete#document{run.document_id}",
        }
        restore(run)
        assert snapshot() == before


@pytest.mark.wide
def test_a_restoration_that_is_killed_anywhere_brings_everything_back(worker: Pump) -> None:
    for service, operation, nth in positions(restore, deleted()):
        run = document()
        before = snapshot()
        delete(run)
        gone = snapshot()
        with crash_after(service, operation, nth):
            restore(run)
        if state(run) == RemovalState.DELETED:
            assert snapshot() == gone
            restore(run)
        elif state(run) == RemovalState.RESTORING:
            swept(run, worker)
        assert state(run) is None
        assert snapshot() == before


@pytest.mark.wide
def test_a_purge_that_is_killed_anywhere_is_gone_on_with_to_its_end(worker: Pump) -> None:
    def begun() -> Run:
        run = deleted()
        removals.purge_document(SITE, run.document_id, by=MARTA)
        return run

    for service, operation, nth in positions(finish, begun()):
        run = begun()
        with crash_after(service, operation, nth):
            finish(run)
        if state(run) != RemovalState.PURGED:
            swept(run, worker)
        assert state(run) == RemovalState.PURGED
        left = {key[2] for key, row in stored.rows().items() if run.document_id in str(row) and not is_trail(key)}
        assert left == {"removal"}
        assert not [key for key, row in stored.rows().items() if run.workflow_id in str(row) and not is_trail(key)
                    and key[2] != "removal"]  # fmt: skip
        assert not files_of(run)


@pytest.mark.wide
def test_the_sweeper_finds_what_is_left_by_itself(worker: Pump) -> None:
    run = deleted()
    with crash_after("dynamodb", "TransactWriteItems"):
        removals.purge_document(SITE, run.document_id, by=MARTA)
    assert state(run) == RemovalState.PURGING

    def purged() -> bool:
        sweeper.sweep()
        return state(run) == RemovalState.PURGED

    worker.run(purged, seconds=20)
    assert not files_of(run)

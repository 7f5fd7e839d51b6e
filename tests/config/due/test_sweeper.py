import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.conf import LazySettings

from config import clock, table
from config.due import sweeper
from projects.audit.events import Actor
from projects.documents.queries import get_removal
from tests.aws_faults import before_each, crash_before, fail
from tests.factories import ended_run, start_run
from workflows.documents.actions import removals
from workflows.insight.actions import count_run
from workflows.runs import events
from workflows.runs.actions import advance
from workflows.runs.actions.advance import figures_key
from workflows.runs.items import Execution, Run, RunFigures

pytestmark = pytest.mark.usefixtures("machines", "table")
BY = Actor("1", "Rosa Marin")


def due_events(run: Run, count: int) -> None:
    """Events that nobody has put on the bus, due long ago."""
    for number in range(count):
        event = events.lineage(run, "PUBLISHED", bus_type=events.PROCESSED)(clock.in_seconds(-3600 + number / 1000))
        event.save()


def waiting_events() -> int:
    return sum(row.kind == "event" for row in sweeper.due_rows(0))


def overdue(run: Run, name: str = "document-analysis.v999") -> None:
    """A run of a definition that this version does not know, due before everything else."""
    actions = [Execution.GSI2SK.set(f"2000-01-01T00:00:00Z#run#{run.workflow_id}"), Execution.definition.set(name)]
    Execution.change(advance.execution_key(run), actions, Execution.PK.exists())


@pytest.mark.wide
def test_a_sweep_goes_on_behind_its_first_page() -> None:
    due_events(start_run(), 130)
    assert waiting_events() == 130
    assert sweeper.sweep() >= 130
    assert waiting_events() == 0


def test_a_row_that_nobody_understands_keeps_none_behind_it(caplog: pytest.LogCaptureFixture) -> None:
    run = start_run()
    overdue(run)
    due_events(run, 1)
    sweeper.sweep()
    assert waiting_events() == 0
    assert "repair waits" in caplog.messages


def test_a_sweep_lasts_no_longer_than_it_may(settings: LazySettings) -> None:
    due_events(start_run(), 3)
    settings.SWEEP_SECONDS = 0
    assert sweeper.sweep() == 1
    assert waiting_events() == 2


@contextmanager
def silent_engine(seconds: float = 0) -> Iterator[None]:
    """It takes its time and then does not answer."""
    dead = fail("stepfunctions", "DescribeExecution", error_code="connection", times=99)
    with dead, before_each("stepfunctions", "DescribeExecution", lambda: time.sleep(seconds), times=99):
        yield


def place_of(run: Run) -> table.DuePlace:
    return table.due_place(str(Execution.load(advance.execution_key(run)).GSI2SK))


def due_run() -> Run:
    """Nothing else of it is due: its figures are counted."""
    run = start_run()
    count_run(run.site, RunFigures.load(figures_key(run)))
    move(run, "2000-01-01T00:00:00+00:00")
    return run


def move(run: Run, due_at: str, end: str = "") -> None:
    actions = [Execution.GSI2SK.set(f"{due_at}#run#{run.workflow_id}{end}")]
    Execution.change(advance.execution_key(run), actions, Execution.PK.exists())


@pytest.mark.wide
def test_an_engine_that_does_not_answer_keeps_no_event_waiting(settings: LazySettings) -> None:
    settings.SWEEP_SECONDS = 1
    rows = [due_run() for _ in range(6)]
    due_events(rows[0], 1)
    with silent_engine(0.6):
        sweeper.sweep()
        assert sum(place_of(run).tries for run in rows) == 1  # its share of a sweep; the others wait for the next
        sweeper.sweep()
    assert waiting_events() == 0


def test_a_row_that_fails_is_moved_on_twice_as_far_each_time_and_never_out_of_sight(settings: LazySettings) -> None:
    settings.SWEEP_PAUSE_SECONDS = 60
    run, pauses = due_run(), []
    for tries in range(5):
        if tries:
            move(run, "2000-01-01T00:00:00+00:00", f"#again#{tries}#2000-01-01T00:00:00+00:00")
        with silent_engine():
            assert sweeper.sweep() == 1
        place = place_of(run)
        assert (place.tries, place.since, place.id) == (tries + 1, "2000-01-01T00:00:00+00:00", run.workflow_id)
        pauses.append((clock.parse(place.due_at) - clock.now()).total_seconds())
        assert sweeper.sweep() == 0
    assert [round(pause, -1) for pause in pauses] == [10, 20, 40, 60, 60]


@pytest.mark.wide
def test_what_failed_is_repaired_once_its_service_answers_and_forgets_that_it_failed() -> None:
    run = due_run()
    with silent_engine():
        sweeper.sweep()
    assert place_of(run).tries == 1
    time.sleep(1.1)
    assert sweeper.sweep() == 1
    assert place_of(run).tries == 0
    assert place_of(run).due_at > clock.iso(clock.now())


def test_whoever_moves_a_row_while_its_repair_fails_is_not_overruled() -> None:
    run, later = due_run(), clock.iso(clock.in_seconds(3600))
    with silent_engine(), before_each("dynamodb", "UpdateItem", lambda: move(run, later)):
        sweeper.sweep()
    assert (place_of(run).due_at, place_of(run).tries) == (later, 0)


def test_a_table_that_does_not_take_the_move_ends_no_sweep(caplog: pytest.LogCaptureFixture) -> None:
    run = due_run()
    due_events(run, 1)
    with silent_engine(), fail("dynamodb", "UpdateItem"):
        sweeper.sweep()
    assert "row could not be moved on" in caplog.messages
    assert waiting_events() == 0
    assert place_of(run).tries == 0


def test_what_has_failed_before_comes_behind_what_has_not() -> None:
    one, other = due_run(), due_run()
    move(one, "1999-01-01T00:00:00+00:00", "#again#3#1998-01-01T00:00:00+00:00")
    asked: list[str] = []
    with silent_engine(), pytest.MonkeyPatch.context() as patch:
        inner = sweeper.repair_due
        patch.setattr(sweeper, "repair_due", lambda row: (asked.append(row.id), inner(row)))
        sweeper.sweep()
    assert asked == [other.workflow_id, one.workflow_id]


@pytest.mark.wide
def test_a_conflict_that_moves_nothing_is_not_the_first_of_each_sweep() -> None:
    run = ended_run()
    time.sleep(1.1)
    sweeper.sweep()  # its event
    with crash_before("dynamodb", "TransactWriteItems", nth=2):
        removals.delete_document(run.site, run.document_id, by=BY)
    time.sleep(1.1)
    with fail("dynamodb", "UpdateItem", error_code="ConditionalCheckFailedException"):
        sweeper.sweep()
    place = table.due_place(str(get_removal(run.site, run.document_id).GSI2SK))
    assert (place.kind, place.tries) == ("removal", 1)

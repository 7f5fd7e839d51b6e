import pytest
from django.conf import LazySettings

from config import clock
from review import sweeper
from tests.factories import start_run
from workflows import events
from workflows.actions import runs
from workflows.frozen import Run
from workflows.items.runs import Execution

pytestmark = pytest.mark.usefixtures("machines", "table")


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
    Execution.change(runs.execution_key(run), actions, Execution.PK.exists())


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
    assert "row could not be repaired" in caplog.messages


def test_a_sweep_lasts_no_longer_than_it_may(settings: LazySettings) -> None:
    due_events(start_run(), 3)
    settings.SWEEP_SECONDS = 0
    assert sweeper.sweep() == 1
    assert waiting_events() == 2

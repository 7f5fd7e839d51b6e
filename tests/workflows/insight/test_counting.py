"""Runs are added to their days once, whatever happens; the sums equal a recount from every row of the table."""

import io

import pytest
from django.core.management import CommandError, call_command
from pynamodb.expressions.operand import Path

from config import clock, table
from config.due import sweeper
from config.errors import Conflict, NotFound
from projects.documents.counting import EVERYTHING, Kind
from review.decide import claims, decisions
from review.decide.tasks import enqueue_redeem
from review.status import Decision
from tests.aws_faults import crash_after, crash_before
from tests.factories import PROJECT_ID, ROSA, SITE, start_run, verdict, waiting_run
from tests.pump import Pump
from tests.workflows import stored
from tests.workflows.advancing import failed, published, waiting
from tests.workflows.removing import ROSA as SENDER
from workflows.documents.actions import removals
from workflows.engine import interventions
from workflows.insight import actions, figures, queries, recount
from workflows.insight.actions import Span
from workflows.insight.items import Rollup
from workflows.insight.queries import Scope
from workflows.runs.actions.advance import figures_key
from workflows.runs.items import Run, RunFigures


def today(scope=Scope(SITE)):  # noqa: B008 - a plain tuple
    rows = Rollup.load_many([scope.key(clock.now().date())])
    return rows[0].numbers if rows else {}


def row_of(run: Run) -> RunFigures:
    return RunFigures.load(figures_key(run))


def count(run: Run) -> None:
    actions.count_run(SITE, row_of(run))


def scanned(site=SITE):
    """From every row of the table, without the notes of what was counted: outcome → runs, and documents received."""
    found = {}
    for (_, pk, sk), row in stored.rows().items():
        if table.site_of(pk) != site or not (
            pk.removeprefix(f"{site}/").startswith("EXECUTION#") and sk == "#METADATA"
        ):
            continue
        found["received"] = found.get("received", 0) + 1
        if "outcome" in row:
            name = f"ended|{row['outcome']['S']}"
            found[name] = found.get(name, 0) + 1
    return found


def of(numbers, *names):
    return {name: number for name, number in numbers.items() if name.split("|")[0] in names}


@pytest.fixture
def runs(table):
    return [published(start_run()), failed(start_run()), waiting(start_run()), start_run()]


def test_runs_are_due_when_they_begin_and_end_and_are_counted_by_the_sweeper(runs):
    assert sweeper.sweep() >= 4
    assert of(today(), "received", "ended") == scanned() == {"received": 4, "ended|published": 1, "ended|failed": 1}
    assert today(Scope(SITE, PROJECT_ID)) == today()
    assert today(Scope(SITE, "proj_other")) == today(Scope("acme")) == {}
    assert not any(row_of(run).is_scheduled for run in runs)
    assert recount.find_differences(SITE) == []


def test_counted_twice_it_is_added_once(runs):
    row = row_of(runs[0])
    actions.count_run(SITE, row)
    with pytest.raises(Conflict):
        actions.count_run(SITE, row)
    assert today()["received"] == 1


def test_a_sweeper_that_died_before_or_after_its_write_leaves_a_sum_that_is_right(runs):
    for crash in (crash_before, crash_after):
        with crash("dynamodb", "TransactWriteItems"), pytest.raises(BaseException):  # noqa: B017, PT011 - as if killed
            count(runs[0])
    sweeper.sweep()
    assert of(today(), "received", "ended") == scanned()
    assert recount.find_differences(SITE) == []


def test_who_reads_before_a_run_ends_and_writes_after_loses_and_counts_again(table):
    run = start_run()
    row = row_of(run)
    failed(run)
    with pytest.raises(Conflict):
        actions.count_run(SITE, row)
    sweeper.sweep()
    assert of(today(), "received", "ended") == {"received": 1, "ended|failed": 1}


def test_a_failed_run_that_goes_on_is_taken_back_from_the_failures(table):
    run = failed(start_run())
    count(run)
    assert today()["failed|segment_prep|E"] == 1
    assert [row.workflow_id for row in queries.list_failures(SITE, "segment_prep", "E", cursor=None).rows] == [
        run.workflow_id
    ]
    interventions.resume(run, interventions.ResumeWay.AGAIN, by=SENDER)
    count(run)
    assert today() == {"received": 1}
    assert not queries.list_failures(SITE, "segment_prep", "E", cursor=None).rows
    assert recount.find_differences(SITE) == []


@pytest.mark.wide
def test_a_decision_is_counted_with_its_person_its_time_and_its_fields(pump: Pump):
    run, ref = waiting_run(pump)
    claims.claim_review(ref, run, by=ROSA)
    chosen = verdict(ref, Decision.APPROVE, total="12.34")
    decisions.decide_review(ref, run, chosen, by=ROSA, undo_seconds=0)
    enqueue_redeem(ref, chosen.decision_id, delay=0)
    pump.run(lambda: row_of(run).ended_at is not None)
    count(run)
    numbers = today()
    assert numbers["reviewed"] == numbers["field|Total|corrected"] == 1
    assert "straight" not in numbers
    assert numbers[figures.join_name("person", ROSA.id, ROSA.name, "decided")] == 1
    assert any(name.startswith("person|1|Rosa Marin|time|") for name in numbers)
    assert any(name.startswith("step|document-analysis|human_review|") for name in numbers)


def test_a_purge_leaves_the_sums_and_neither_run_nor_document(table):
    run = published(start_run())
    removals.delete_document(SITE, run.document_id, by=SENDER)
    removals.purge_document(SITE, run.document_id, by=SENDER)
    removals.finish_removal(SITE, run.document_id)
    assert of(today(), "received", "ended") == {"received": 1, "ended|published": 1}
    assert recount.count_again(SITE) == 0
    with pytest.raises(NotFound):
        row_of(run)
    assert recount.find_differences(SITE) == []


def test_the_recount_finds_and_repairs_what_differs(runs):
    sweeper.sweep()
    key = actions.RollupKey(Span.DAY, Kind.SITE, EVERYTHING, "*", clock.now().date().isoformat())
    Rollup.change(key.at(SITE), [Path(["received"]).add(5)], Rollup.PK.exists())
    with pytest.raises(CommandError, match="1 days differ"):
        call_command("recount_insight", stdout=io.StringIO())
    call_command("recount_insight", repair=True, stdout=io.StringIO())
    out = io.StringIO()
    call_command("recount_insight", stdout=out)
    assert "all figures match" in out.getvalue()

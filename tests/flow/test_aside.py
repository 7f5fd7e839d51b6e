"""A site's many single documents hold up nobody else's: those that begin while it has enough of them stand aside."""

import datetime as dt
import uuid
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as desk
from django.urls import reverse

from config import clock
from projects.documents import counting
from projects.documents.items import Counter
from projects.sites import actions as site_actions
from projects.sites import directory
from tests.aws_faults import count_calls, fail
from tests.engines import EngineKind
from tests.factories import PROJECT, PROJECT_ID, SITE, sample_files
from tests.flow.test_fanout import redeliver
from tests.flow.test_slots import steps_in
from tests.html import one_line
from tests.people import bob, signed_in
from tests.projects.make_sites import BY, make_site
from tests.projects.projects import make_project
from tests.pump import Pump
from tests.tools.samples import write_due_invoice
from tests.workflows.intake.test_new_version_actions import ended_run, original_of
from tests.workflows.make_rules import arrived
from tests.workflows.repeated import field, published_run
from workflows.documents.actions import reruns
from workflows.engine import limits
from workflows.intake import inspection, store
from workflows.runs import queries as run_queries
from workflows.runs import run_settings, seed_000
from workflows.runs.items import Outcome, Run


@pytest.fixture(autouse=True)
def _few(settings: Any) -> None:
    settings.BUSY_RUNS = 1


def aside(run: Run) -> bool:
    marks = {run_queries.execution(run).aside, run_queries.board(run.site, run.workflow_id, consistent=True).aside}
    assert len(marks) == 1
    return bool(marks.pop())


def crowd(count: int, **where: Any) -> list[bool]:
    return [aside(arrived(**where)) for _ in range(count)]


def test_a_run_stands_aside_once_its_site_has_more_in_progress_than_it_may(pump: Pump) -> None:
    make_site("acme")
    assert crowd(4) == [False, False, True, True]
    assert crowd(1, site="acme") == [False]


def test_what_an_admin_gave_the_site_counts_before_the_desks(pump: Pump) -> None:
    make_site("acme")
    site_actions.set_slots("acme", 2, version=1, by=BY)
    directory.forget()
    assert crowd(4, site="acme") == [False, False, False, True]


def test_a_project_that_an_admin_gave_fewer_slots_stands_aside_earlier(pump: Pump, settings) -> None:
    settings.BUSY_RUNS = 9
    few = {**PROJECT, "slots": 1}
    assert crowd(3, project=few) == [False, False, True]
    assert crowd(1) == [False]
    settings.BUSY_RUNS = 1
    assert crowd(1, project={**PROJECT, "slots": 50}) == [True]  # however many it has, the site is busy


def test_another_projects_documents_do_not_fill_a_projects_slots(pump: Pump, settings) -> None:
    settings.BUSY_RUNS = 9
    crowd(3)
    assert not limits.has_no_slot(SITE, "proj_other", project_slots=2)
    assert limits.has_no_slot(SITE, PROJECT_ID, project_slots=2)


def test_it_is_looked_up_by_one_query(pump: Pump) -> None:
    crowd(1)
    with count_calls() as calls:
        limits.has_no_slot(SITE, PROJECT_ID, project_slots=0)
    assert calls.names() == ["dynamodb.Query"]


@pytest.mark.wide
def test_a_count_that_does_not_come_or_is_wrong_changes_the_order_and_nothing_else(pump: Pump, tmp_path: Path) -> None:
    crowd(3)
    with fail("dynamodb", "Query"):
        assert not limits.has_no_slot(SITE, PROJECT_ID, project_slots=0)
    place = counting.Place(counting.Kind.SITE, counting.EVERYTHING, 0)
    for number, wanted in ((-1000, False), (1000, True)):
        Counter(*counting.key_of(SITE, place), in_progress=number).save()
        today = clock.now().date() - dt.timedelta(days=40 * wanted)  # of another month, and with another number
        run = arrived(write_due_invoice(tmp_path / str(number), today))
        assert aside(run) == wanted
        finish(pump, run)


def finish(pump: Pump, run: Run) -> None:
    """Until it is published: the sample is clean."""
    pump.hold = lambda _message: False
    pump.run(lambda: run_queries.execution(run).outcome == Outcome.PUBLISHED)


@pytest.mark.every_engine
def test_all_steps_of_a_run_that_stands_aside_are_done_where_slices_are(pump: Pump, settings) -> None:
    settings.BUSY_RUNS = -1
    finish(pump, arrived())
    done = steps_in(pump, desk.SLICES_QUEUE)
    assert done[0] == (1, True)
    assert all(large for _, large in done)
    assert steps_in(pump, desk.STEPS_QUEUE) == [(step, False) for step, _ in done]  # for a moment each


def test_a_site_that_has_little_to_do_stays_in_the_queue_of_steps(pump: Pump) -> None:
    finish(pump, arrived())
    assert steps_in(pump, desk.SLICES_QUEUE) == []


@pytest.mark.every_engine
def test_a_step_handed_on_twice_is_done_once(pump: Pump, engine_kind: EngineKind, settings) -> None:
    settings.BUSY_RUNS = -1
    pump.hold = lambda message: message.task.endswith("run_step")
    run = arrived()
    pump.run(lambda: bool(pump.held))
    (order,) = pump.held
    with engine_kind.crash_before_message():
        pump.redeliver(order)
    assert run_queries.execution(run).lease_owner is None
    pump.redeliver(order)
    redeliver(pump, order)
    pump.run(lambda: len(pump.held) == 2)
    for message in list(pump.held):
        redeliver(pump, message)
    finish(pump, run)
    moves = run_queries.transitions(run.site, run.workflow_id).rows
    assert [int(one.fromStep) for one in moves].count(1) == 1


def entered(**more: Any) -> Run:
    """As a file of the bucket, of an archive or of a batch does."""
    file, document_id = sample_files()[0], str(uuid.uuid4())
    local = store.LocalFile(file, file.name, inspection.inspect(file, file.name))
    store.enter(SITE, make_project(), document_id, local, by=BY, **more)
    return Run(SITE, "", document_id, seed_000.newest_run(SITE, document_id) or "")


@pytest.mark.django_db
def test_what_comes_from_the_bucket_or_an_archive_stands_aside_and_a_batch_keeps_to_its_slots(pump: Pump) -> None:
    crowd(2)
    assert aside(entered())
    assert not aside(entered(batch_line="batch/0/0"))


def test_a_newer_content_stands_aside(pump: Pump) -> None:
    run = ended_run()
    crowd(2)
    plan = store.plan_run(SITE, PROJECT_ID, PROJECT, "application/pdf")
    assert aside(store.start_again(plan, document_id=run.document_id, original=original_of(run), by=BY))


@pytest.mark.parametrize("busy", [False, True])
def test_a_run_beside_another_stands_aside(pump: Pump, busy: bool) -> None:
    run = published_run(field("total", "4.00"))
    crowd(2 * busy)
    assert aside(reruns.analyse_again(run, run_settings.freeze(PROJECT), by=BY)) == busy


@pytest.mark.wide
@pytest.mark.django_db
def test_the_page_of_a_run_says_that_it_stands_aside_while_it_does(pump: Pump, tmp_path: Path) -> None:
    first, _ = arrived(), arrived()
    last = arrived(write_due_invoice(tmp_path, clock.now().date()))  # the same again would wait for a person

    def shown(run: Run) -> bool:
        url = reverse("workflows:show-run", args=[run.document_id, run.workflow_id])
        return "This one is queued after them" in one_line(signed_in(bob()).get(url).content)

    assert (shown(first), shown(last)) == (False, True)
    finish(pump, last)
    assert not shown(last)

"""However large a document is, so many of its slices are under way as its site and its project have slots for."""

from collections.abc import Iterator

import pytest
from django.conf import settings as desk

from config.errors import Conflict
from projects.settings import actions as project_actions
from projects.settings import queries as project_queries
from projects.settings.merging import digest_settings
from projects.settings.values import ProjectSettings
from projects.sites import actions as site_actions
from projects.sites import directory
from tests.engines import EngineKind
from tests.factories import PROJECT_ID, SITE, start_run
from tests.flow.test_fanout import finish, held_slices, redeliver
from tests.projects.make_sites import BY, make_site
from tests.pump import Message, Pump
from tests.workflows.fanned import fanned_out, join_of, many_pages, small_slices
from workflows.engine import joins, limits
from workflows.runs import queries as run_queries
from workflows.runs.items import Run
from workflows.stages.base import SliceResult

PAGES = 7  # in four slices


@pytest.fixture(autouse=True)
def _small_slices() -> Iterator[None]:
    with small_slices():
        yield


def under_way(pump: Pump, run: Run) -> list[int]:
    held = (message for message in held_slices(pump) if message.kwargs["workflow_id"] == run.workflow_id)
    return [int(message.kwargs["number"]) for message in held]


def first(pump: Pump, run: Run) -> Message:
    return next(message for message in held_slices(pump) if message.kwargs["workflow_id"] == run.workflow_id)


def give(run: Run, count: int) -> None:
    """What an admin saves on the project's page."""
    project = project_queries.get_project(run.site, run.project_id)
    wanted = ProjectSettings(**{**vars(project.settings), "slots": count})
    project_actions.update_project(
        run.site, run.project_id, wanted, seen=digest_settings(project.settings, project.version), by=BY
    )
    directory.forget()


@pytest.mark.wide
def test_a_projects_slots_hold_at_once_for_a_document_that_is_under_way(pump: Pump, settings) -> None:
    settings.PROJECT_SLOTS = 1
    project_actions.create_project(SITE, ProjectSettings("Bills"), by=BY, project_id=PROJECT_ID)
    run = fanned_out(pump, PAGES)
    assert under_way(pump, run) == [0]
    give(run, 2)
    redeliver(pump, first(pump, run))
    assert under_way(pump, run) == [1, 2]
    give(run, 1)
    redeliver(pump, held_slices(pump)[1])  # in the second lane, which there is no more
    assert under_way(pump, run) == [1]
    redeliver(pump, first(pump, run))
    assert under_way(pump, run) == [3]
    finish(pump, run)


@pytest.mark.wide
def test_the_documents_of_a_site_share_its_slots_and_one_that_needs_no_more_leaves_them(pump: Pump) -> None:
    make_site("acme")
    site_actions.set_slots("acme", 2, version=1, by=BY)
    directory.forget()
    pump.hold = lambda message: message.task.endswith("run_slice")
    one = start_run(many_pages(PAGES), site="acme")
    pump.run(lambda: len(under_way(pump, one)) == 2)
    other = start_run(many_pages(PAGES), site="acme")
    pump.run(lambda: len(under_way(pump, other)) == 1)
    elsewhere = start_run(many_pages(PAGES))
    pump.run(lambda: len(under_way(pump, elsewhere)) == 4)  # another site's are its own
    for _ in range(2):
        redeliver(pump, first(pump, one))
    assert under_way(pump, one) == [2]
    redeliver(pump, first(pump, one))
    redeliver(pump, first(pump, other))
    assert (under_way(pump, one), under_way(pump, other)) == ([3], [1])
    pump.hold = lambda _message: True  # the other stages of the first one too
    redeliver(pump, first(pump, one))  # its last is sent and done: the other one has both
    redeliver(pump, first(pump, other))
    assert under_way(pump, other) == [2, 3]


def test_of_two_workers_one_takes_the_next_slice_into_a_lane(pump: Pump, settings) -> None:
    settings.PROJECT_SLOTS = 1
    run = fanned_out(pump, PAGES)
    join = join_of(run)
    assert joins.take(join, 1).at_work == {0: 0, 1: 1}
    with pytest.raises(Conflict):
        joins.take(join, 1)
    joins.take(join, 2)
    joins.take(join, 3)
    with pytest.raises(Conflict):  # there is none left
        joins.take(join, 4)


def test_a_lane_that_finds_the_last_slice_taken_rests(pump: Pump, settings) -> None:
    settings.PROJECT_SLOTS = 3
    run = fanned_out(pump, PAGES)
    before = join_of(run)
    joins.take(before, 3)
    found = joins.count(before, 0, 0, SliceResult(), slots=3)
    assert (found.at_work, found.done, found.GSI1PK) == ({1: 1, 2: 2, 3: 3}, {0}, None)
    assert joins.count(before, 0, 0, SliceResult(), slots=3).done == {0}


def test_shares_are_equal_parts_of_what_is_there_and_never_nothing(table, settings) -> None:
    settings.SITE_SLOTS, settings.PROJECT_SLOTS = 12, 6
    assert limits.shares("default", ["p", "p", "q"]) == {"p": 3, "q": 4}
    assert limits.shares("default", ["p"]) == {"p": 6}
    assert limits.shares("default", ["p"] * 30) == {"p": 1}
    assert limits.of_fan_out("default", "p", "w") == 6
    settings.PROJECT_SLOTS = 40
    assert limits.of_fan_out("default", "p", "w") == desk.SLICES_IN_FLIGHT


def steps_in(pump: Pump, queue: str) -> list[tuple[int, bool]]:
    found = (message for message in pump.seen if message.task.endswith("run_step") and message.queue == queue)
    return [(int(message.kwargs["step"]), bool(message.kwargs.get("large"))) for message in found]


@pytest.mark.wide
def test_every_step_of_a_large_document_is_done_where_slices_are(pump: Pump, settings) -> None:
    settings.LARGE_PAGES = PAGES - 1
    run = start_run(many_pages(PAGES), pages=PAGES)
    finish(pump, run)
    assert steps_in(pump, desk.STEPS_QUEUE) == [(step, False) for step in (1, 3, 4, 7, 8, 9)]  # for a moment each
    assert steps_in(pump, desk.SLICES_QUEUE) == [(step, True) for step in (1, 3, 4, 7, 8, 9)]


@pytest.mark.wide
def test_what_is_not_large_stays_in_the_queue_of_steps(pump: Pump, settings) -> None:
    settings.LARGE_PAGES = PAGES
    finish(pump, start_run(many_pages(PAGES), pages=PAGES))
    assert steps_in(pump, desk.SLICES_QUEUE) == []


@pytest.mark.wide
def test_a_document_whose_parts_are_counted_late_is_large_from_then_on(pump: Pump, settings) -> None:
    settings.LARGE_PAGES = PAGES - 1
    finish(pump, start_run(many_pages(PAGES)))
    assert [step for step, _ in steps_in(pump, desk.SLICES_QUEUE)] == [3, 4, 7, 8, 9]


@pytest.mark.every_engine("slow")
def test_a_step_handed_on_twice_is_done_once(pump: Pump, engine_kind: EngineKind, settings) -> None:
    settings.LARGE_PAGES = PAGES - 1
    pump.hold = lambda message: message.task.endswith("run_step")
    run = start_run(many_pages(PAGES), pages=PAGES)
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
    assert int(join_of(run).attempt) == 1
    finish(pump, run)

"""A stage in slices: whatever is delivered twice, lost or killed between, each slice counts once and one completes."""

import json
from collections import Counter
from collections.abc import Iterator
from unittest import mock

import pytest
from django.conf import settings

from config import clock
from config.due import sweeper
from config.transaction import EXISTS
from tests.aws_faults import count_calls, crash_after, crash_before
from tests.engines import EngineKind
from tests.flow.protocol import ended
from tests.pump import Message, Pump
from tests.workflows.fanned import PREP, fanned_out, join_of, slices_of, small_slices
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.engine import actions, joins
from workflows.runs import queries
from workflows.runs.items import Execution, Join, Run
from workflows.runs.run_files import files_of
from workflows.stages.base import SliceResult
from workflows.storage import files

PAGES, SLICES = 7, 4  # of two pages and one


@pytest.fixture(autouse=True)
def _small_slices() -> Iterator[None]:
    with small_slices():
        yield


def held_slices(pump: Pump) -> list[Message]:
    """The slices of the first step that are under way, by number."""
    pump.run(idle=0.3)
    return sorted((m for m in pump.held if m.task.endswith("run_slice")), key=lambda m: int(m.kwargs["number"]))


def finish(pump: Pump, run: Run) -> None:
    """Let everything be delivered, until a person is asked."""
    pump.hold = lambda _message: False
    pump.run(lambda: pump.ran("open_review") == 1)
    assert_complete(run)


def assert_complete(run: Run) -> None:
    moves = [(int(row.fromStep), int(row.toStep)) for row in queries.transitions(run.site, run.workflow_id).rows]
    assert moves == [(1, 3), (3, 4), (4, 7), (7, 8), (8, 9), (9, 10)]  # past what a PDF does not need
    store = files_of(run)
    texts = [json.loads(store.read(files.segment(index)))["text_content"] for index in range(PAGES)]
    assert [text.split()[2] for text in texts] == [str(index) for index in range(PAGES)]
    rows = queries.segments(run.site, run.workflow_id).rows
    assert [int(row.data["segment_index"]) for row in rows] == list(range(PAGES))
    assert len(json.loads(store.read(files.result(run.workflow_id)))["pages"]) == PAGES


def redeliver(pump: Pump, message: Message) -> None:
    """The same message comes back; its delivery is acknowledged this time."""
    if message in pump.held:
        pump.held.remove(message)
    pump.deliver(message)


@pytest.mark.wide
def test_every_slice_is_ordered_once_and_written_once_at_the_join(pump: Pump) -> None:
    with count_calls() as calls:
        run = fanned_out(pump, PAGES, held=lambda _: False)
        finish(pump, run)
    for step in (1, 3, 7, 8):  # the pages have text, so nothing is left for OCR
        assert Counter(slices_of(pump, step)) == dict.fromkeys(range(SLICES), 1)
    writes = [
        call.params["Key"]["SK"]["S"]
        for call in calls.of("dynamodb", "UpdateItem")
        if call.params["Key"]["SK"]["S"].startswith("JOIN#")
    ]
    assert set(Counter(writes).values()) == {SLICES + 1}
    assert len(set(writes)) == 4


@pytest.mark.wide
@pytest.mark.every_engine
def test_each_slice_delivered_twice_counts_once(pump: Pump) -> None:
    run = fanned_out(pump, PAGES)
    for message in held_slices(pump):
        pump.redeliver(message)
        redeliver(pump, message)
    assert joins.is_complete(join_of(run))
    finish(pump, run)


@pytest.mark.wide
def test_an_order_delivered_twice_opens_one_join(pump: Pump) -> None:
    run = fanned_out(pump, PAGES)
    order = next(message for message in pump.seen if message.task.endswith("run_step"))
    redeliver_at = join_of(run).created_at
    pump.redeliver(order)
    assert join_of(run).created_at == redeliver_at
    assert len(held_slices(pump)) == 2 * SLICES  # sent again, since nobody knows what of the first was
    finish(pump, run)


@pytest.mark.wide
@pytest.mark.parametrize("crash", [crash_before, crash_after])
def test_a_death_at_the_join_is_made_good_by_the_message(pump: Pump, crash) -> None:
    run = fanned_out(pump, PAGES)
    message = held_slices(pump)[1]
    with crash("dynamodb", "UpdateItem"):
        pump.redeliver(message)
    assert (1 in (join_of(run).done or ())) == (crash is crash_after)
    redeliver(pump, message)
    assert 1 in join_of(run).done
    finish(pump, run)


@pytest.mark.wide
def test_a_slice_counted_before_is_not_worked_on_again(pump: Pump) -> None:
    run = fanned_out(pump, PAGES)
    message = held_slices(pump)[0]
    pump.redeliver(message)
    with count_calls() as calls:
        redeliver(pump, message)
    assert not calls.of("s3")
    finish(pump, run)


@pytest.mark.wide
@pytest.mark.parametrize("crash", [crash_before, crash_after])
def test_a_death_after_the_last_slice_is_counted_is_made_good(pump: Pump, crash) -> None:
    run = fanned_out(pump, PAGES)
    *others, last = held_slices(pump)
    for message in others:
        redeliver(pump, message)
    with crash("dynamodb", "TransactWriteItems"):
        pump.redeliver(last)
    assert joins.is_complete(join_of(run))
    redeliver(pump, last)
    finish(pump, run)


@pytest.mark.wide
@pytest.mark.every_engine
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_death_at_the_answer_is_made_good(pump: Pump, engine_kind: EngineKind, when) -> None:
    run = fanned_out(pump, PAGES)
    *others, last = held_slices(pump)
    for message in others:
        redeliver(pump, message)
    with engine_kind.crash(when):
        pump.redeliver(last)
    assert int(queries.execution(run).currentStep) == DOCUMENT_ANALYSIS.named("format_parser").order
    redeliver(pump, last)
    finish(pump, run)


@pytest.mark.wide
@pytest.mark.every_engine
def test_only_so_many_slices_are_under_way_and_each_sends_the_next(pump: Pump, engine_kind: EngineKind) -> None:
    with mock.patch.object(settings, "SLICES_IN_FLIGHT", 2):
        run = fanned_out(pump, PAGES)
        assert [m.kwargs["number"] for m in held_slices(pump)] == [0, 1]
        redeliver(pump, held_slices(pump)[0])
        assert [m.kwargs["number"] for m in held_slices(pump)] == [1, 2]
        with engine_kind.crash_before_message():  # dies when it is counted, and the next is not sent
            pump.redeliver(held_slices(pump)[0])
        redeliver(pump, held_slices(pump)[0])
        assert [m.kwargs["number"] for m in held_slices(pump)] == [2, 3]
        finish(pump, run)


def test_a_large_documents_slices_are_in_nobodys_way(pump: Pump) -> None:
    """Its steps wait with everybody's, each for the moment that planning takes; its slices wait in their own queue."""
    fanned_out(pump, PAGES)
    assert {message.queue for message in held_slices(pump)} == {settings.SLICES_QUEUE}
    assert {message.queue for message in pump.seen if message.task.endswith("run_step")} == {settings.STEPS_QUEUE}


def due_now(run: Run) -> None:
    join = join_of(run)
    past = clock.iso(clock.in_seconds(-1))
    Join.change(join.key, [Join.GSI2SK.set(past + str(join.GSI2SK)[len(past) :])], EXISTS)


@pytest.mark.every_engine
def test_lost_slices_are_sent_again_by_the_sweeper(pump: Pump) -> None:
    run = fanned_out(pump, PAGES)
    first, *lost = held_slices(pump)
    redeliver(pump, first)
    for message in lost:
        pump.held.remove(message)
    due_now(run)
    sweeper.sweep()  # something had been done since: it waits for one more look
    assert held_slices(pump) == []
    due_now(run)
    sweeper.sweep()
    assert [message.kwargs["number"] for message in held_slices(pump)] == [1, 2, 3]
    finish(pump, run)


@pytest.mark.wide
def test_a_fan_out_that_never_moves_is_a_failure_with_a_reason(pump: Pump) -> None:
    run = fanned_out(pump, PAGES)
    for _ in range(6):
        held_slices(pump)  # taken by workers that never say anything again
        due_now(run)
        sweeper.sweep()
    assert queries.execution(run).outcome == "failed"
    assert "crashed every worker" in queries.board(run.site, run.workflow_id).data[PREP]["error"]
    due_now(run)
    sweeper.sweep()
    assert join_of(run).GSI2PK is None
    assert join_of(run).TimeToLive


@pytest.mark.wide
def test_slices_that_wait_for_a_worker_are_not_sent_twice_and_fail_nothing(pump: Pump) -> None:
    run = fanned_out(pump, PAGES)
    first, *lost = held_slices(pump)
    for message in lost:
        pump.held.remove(message)
    with mock.patch("config.brokers.queues.count_messages", return_value=3):  # somebody's large document is before it
        for _ in range(8):
            due_now(run)
            sweeper.sweep()
    assert held_slices(pump) == [first]
    assert queries.execution(run).status == "running"
    due_now(run)
    sweeper.sweep()
    assert [message.kwargs["number"] for message in held_slices(pump)] == [0, 0, 1, 2, 3]


def test_slices_of_an_attempt_that_is_over_change_nothing(pump: Pump) -> None:
    run = fanned_out(pump, PAGES)
    actions.begin_next(run, attempt=1, why="test")
    with count_calls() as calls:
        redeliver(pump, held_slices(pump)[0])
    assert not calls.of("s3")
    assert join_of(run).done is None


def test_a_stage_that_cannot_be_done_ends_the_run_with_its_sentence(pump: Pump) -> None:
    run = fanned_out(pump, PAGES)
    store = files_of(run)
    store.write(f"{run.document_id}.pdf", b"no PDF at all", "application/pdf")
    with mock.patch("workflows.runs.run_files.fetch_original", side_effect=lambda *a: a[2].write_bytes(b"no PDF")):
        redeliver(pump, held_slices(pump)[0])
        pump.hold = lambda message: message.task.endswith("run_slice")
        pump.run(lambda: ended(run))
    assert "could not be repaired" in queries.board(run.site, run.workflow_id).data[PREP]["error"]


@pytest.mark.wide
def test_a_page_that_fails_is_failed_in_its_row_and_counted_with_the_run(pump: Pump) -> None:
    run = fanned_out(pump, PAGES)
    with mock.patch("workflows.stages.segment_prep._pdf_page", side_effect=torn(3)):
        for message in held_slices(pump):
            redeliver(pump, message)
    pump.hold = lambda _message: False
    pump.run(lambda: int(queries.execution(run).currentStep) > DOCUMENT_ANALYSIS.named("segment_builder").order)
    rows = queries.segments(run.site, run.workflow_id).rows
    assert [int(row.data["segment_index"]) for row in rows if "status" in row.data] == [3]
    assert "could not be processed" in rows[3].data["error"]
    assert queries.execution(run).failed == {3}


def torn(*pages: int):
    from workflows.stages import segment_prep  # noqa: PLC0415 - the function before it is replaced

    inner = segment_prep._pdf_page

    def page(document, index: int):
        if index in pages:
            raise RuntimeError("torn")
        return inner(document, index)

    return page


def test_counts_and_failures_are_added_up_once(pump: Pump) -> None:
    run = fanned_out(pump, PAGES)
    join = join_of(run)
    joins.count(join, 0, 0, SliceResult({1: "first"}, {"pages": 2, "seconds": 0.5}), slots=8)
    joins.count(join, 0, 0, SliceResult({1: "first"}, {"pages": 2, "seconds": 0.5}), slots=8)
    join = joins.count(join, 2, 2, SliceResult({4: "second", 5: "third"}, {"pages": 2, "seconds": 0.25}), slots=8)
    assert (join.done, join.failed, join.error) == ({0, 2}, {1, 4, 5}, "first")
    assert join.counts.as_dict() == {"pages": 4, "seconds": 0.75}


def test_a_join_belongs_to_one_attempt(pump: Pump) -> None:
    run = fanned_out(pump, PAGES)
    assert joins.load(run, PREP, 2) is None
    assert not joins.begin(run, PREP, step=1, attempt=1, slices=9, planned=9, slots=8, token=None)
    assert int(join_of(run).slices) == SLICES
    assert Execution.load(queries.execution(run).key).lease_owner is None  # whoever finishes it claims it

"""Workers go along an experiment: each request is answered once, whatever ends them, within the cost limit."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from decimal import Decimal
from unittest import mock

import pytest
from django.conf import settings

from config.due import sweeper
from config.errors import Conflict, Refused
from tests.aws_faults import before_each, crash_after, crash_before
from tests.pump import Pump
from tests.workflows.experiments.counting_server import CountingServer
from tests.workflows.experiments.made import (
    BY,
    MODEL,
    PRICED,
    make_experiment,
    two_prompts,
    work,
    work_all,
)
from workflows.documents.actions import removals
from workflows.experiments import actions, due, lanes, queries, tasks
from workflows.experiments.items import Experiment, ExperimentLane
from workflows.experiments.queries import ExperimentRef
from workflows.experiments.results import list_differences
from workflows.runs.items import Run
from workflows.storage.objects import DocumentFiles
from workflows.testsets.queries import SetRef

pytestmark = [pytest.mark.usefixtures("table"), pytest.mark.django_db]


def scores(head: Experiment, ref: ExperimentRef, variant: int) -> tuple[float, float]:
    found = queries.load_results(ref, str(head.results_sha256)).halves[variant]["held_back"]
    assert found.f1
    assert found.exact
    return round(found.f1.share, 3), found.exact.share


@pytest.mark.wide
def test_prompts_and_settings_are_measured_and_each_request_is_sent_once(
    server: CountingServer, testset: SetRef, run: Run
) -> None:
    plain, careful = two_prompts(run.project_id)
    ref = make_experiment(
        testset, [plain, careful], thresholds=(0.001, 0.8), models=(type(MODEL)(**{**vars(MODEL), **PRICED}),)
    )
    head = work_all(ref)
    assert (head.status, int(head.answered), int(head.total)) == ("done", 12, 12)
    assert (server.asked, int(head.asked), server.twice) == (6, 6, [])  # the threshold is nothing to a model
    assert (int(head.spent), int(head.micros)) == (6 * 300, 12 * 300)
    assert scores(head, ref, 1)[1] == 0.0
    assert scores(head, ref, 3) == (1.0, 1.0)
    assert scores(head, ref, 1)[0] < 1.0
    results = queries.load_results(ref, str(head.results_sha256))
    assert {one.document_id for one in list_differences(results, 1, 3)} == {
        one.document_id for one in queries.list_all_cells(ref)
    }
    assert list_differences(results, 1, 2) == []
    strict = results.halves[2]["held_back"]  # the rules are sure of another total than this one
    assert (strict.review_rate, strict.accepted) == (1.0, 1.0)
    assert results.halves[1]["held_back"].review_rate == 0.0
    again = make_experiment(testset, [careful])
    assert (int(work_all(again).asked), server.asked) == (0, 6)


@pytest.mark.wide
@pytest.mark.parametrize(
    "crash",
    [
        lambda: crash_after("s3", "PutObject", 1),  # the answer is kept, nothing else
        lambda: crash_before("dynamodb", "TransactWriteItems", 2),
        lambda: crash_after("dynamodb", "TransactWriteItems", 2),
    ],
)
def test_a_worker_that_ends_asks_no_one_again(
    server: CountingServer, testset: SetRef, run: Run, crash: Callable[[], AbstractContextManager[None]]
) -> None:
    ref = make_experiment(testset, two_prompts(run.project_id), lanes=1)
    with crash():
        work(ref)
    assert not work(ref)  # its lease has not run out
    assert queries.get_experiment(ref).status == "running"
    free(ref)
    head = work_all(ref)
    assert (head.status, int(head.answered), server.asked, server.twice) == ("done", 6, 6, [])


def free(ref: ExperimentRef) -> None:
    """Its worker was silent for long enough."""
    past = "2000-01-01T00:00:00.000000+00:00"
    for row in queries.list_lanes(ref):
        ExperimentLane.change(row.key, [ExperimentLane.lease_until.set(past)], ExperimentLane.PK.exists())


@pytest.mark.wide
def test_messages_that_come_twice_change_nothing(server: CountingServer, testset: SetRef, run: Run, pump: Pump) -> None:
    ref = make_experiment(testset, two_prompts(run.project_id))
    pump.hold = lambda message: not message.task.endswith("experiments.tasks.work")
    tasks.order_lanes(ref)
    tasks.order_lanes(ref)
    pump.run(lambda: pump.ran("experiments.tasks.work") == 4)
    for message in [one for one in pump.seen if one.task.endswith("experiments.tasks.work")]:
        pump.redeliver(message)
    head = queries.get_experiment(ref)
    assert (head.status, int(head.answered), server.asked, server.twice) == ("done", 6, 6, [])
    assert not any(row.is_scheduled for row in queries.list_lanes(ref))


@pytest.mark.wide
def test_a_document_that_is_purged_while_a_model_reads_it_leaves_nothing(
    server: CountingServer, testset: SetRef, run: Run
) -> None:
    def purge() -> None:
        removals.delete_document(run.site, run.document_id, by=BY)
        removals.purge_document(run.site, run.document_id, by=BY)
        removals.finish_removal(run.site, run.document_id)

    ref = make_experiment(testset, two_prompts(run.project_id), lanes=1)
    with before_each("s3", "PutObject", purge):  # of the first answer, which is this document's
        head = work_all(ref)
    assert (head.status, int(head.removed), int(head.answered), server.asked) == ("done", 2, 4, 5)
    assert not DocumentFiles(run.site, run.project_id, run.document_id).exists("")


def hold_others(pump: Pump) -> None:
    pump.hold = lambda message: not message.task.endswith("experiments.tasks.work")


def orders(pump: Pump) -> list[str]:
    return [one.kwargs["order_id"] for one in pump.seen if one.task.endswith("experiments.tasks.work")]


@pytest.mark.wide
def test_a_resumed_lane_has_one_message_whatever_is_on_its_way(
    server: CountingServer, testset: SetRef, run: Run, pump: Pump
) -> None:
    ref = make_experiment(testset, two_prompts(run.project_id), lanes=1)
    tasks.order_lanes(ref)
    actions.pause_experiment(ref, by=BY)
    actions.resume_experiment(ref, by=BY)
    tasks.order_lanes(ref)
    due.resume_lane(ref.site, queries.get_lane(ref, 0))  # the sweeper took a long queue for a lost message
    hold_others(pump)
    with mock.patch.object(lanes, "SLICE_SECONDS", 0):
        pump.run(lambda: queries.get_experiment(ref).status == "done")
    pump.run(idle=1)
    sent = orders(pump)
    # One for each answer, the paused one, and what the sweeper sent once more.
    assert (len(sent), len(set(sent)), server.asked, server.twice) == (6 + 1 + 1, 6 + 1, 6, [])


@pytest.mark.wide
def test_a_message_that_comes_back_is_not_followed_by_another(
    server: CountingServer, testset: SetRef, run: Run, pump: Pump
) -> None:
    ref = make_experiment(testset, two_prompts(run.project_id), lanes=1)
    tasks.order_lanes(ref)
    hold_others(pump)
    with mock.patch.object(lanes, "SLICE_SECONDS", 0):
        while queries.get_experiment(ref).status != "done":
            pump.step(1)
            pump.redeliver(pump.seen[-1])
    pump.run(idle=1)
    assert (len(orders(pump)), len(set(orders(pump)))) == (2 * 6, 6)
    assert (server.asked, server.twice) == (6, [])


@pytest.mark.wide
def test_its_messages_wait_for_no_document_and_no_document_for_them(
    server: CountingServer, testset: SetRef, run: Run, pump: Pump
) -> None:
    ref = make_experiment(testset, [1])
    tasks.order_lanes(ref)
    hold_others(pump)
    pump.run(lambda: queries.get_experiment(ref).status == "done")
    ran = [one.queue for one in pump.seen if one.task.endswith("experiments.tasks.work")]
    assert set(ran) == {settings.EXPERIMENTS_QUEUE}


@pytest.mark.wide
def test_it_is_paused_resumed_and_stopped_and_who_is_late_is_told(
    server: CountingServer, testset: SetRef, run: Run
) -> None:
    ref = make_experiment(testset, two_prompts(run.project_id))
    actions.pause_experiment(ref, by=BY)
    assert (work_all(ref).status, server.asked) == ("paused", 0)
    with pytest.raises(Conflict, match="Ada Admin changed this experiment: it is paused now"):
        actions.pause_experiment(ref, by=BY)
    actions.resume_experiment(ref, by=BY)
    assert (work_all(ref).status, server.asked) == ("done", 6)
    with pytest.raises(Conflict, match="it is done now"):
        actions.stop_experiment(ref, by=BY)
    other = make_experiment(testset, [1])
    actions.stop_experiment(other, by=BY)
    assert (work_all(other).status, int(queries.get_experiment(other).answered)) == ("stopped", 0)


@pytest.mark.wide
def test_the_cost_limit_stops_it_and_a_higher_one_goes_on(server: CountingServer, testset: SetRef, run: Run) -> None:
    priced = type(MODEL)(**{**vars(MODEL), **PRICED})
    wanted = {"models": (priced,), "limit": Decimal("0.0006"), "lanes": 1}
    ref = make_experiment(testset, two_prompts(run.project_id), **wanted)
    head = work_all(ref)
    assert (head.status, int(head.spent), server.asked) == ("over_limit", 600, 2)
    assert head.results_sha256
    with pytest.raises(Refused, match="spent already"):
        actions.resume_experiment(ref, by=BY)
    actions.resume_experiment(ref, limit=Decimal(1), by=BY)
    assert (work_all(ref).status, server.asked) == ("done", 6)


@pytest.mark.wide
def test_a_worker_that_leaves_while_it_is_resumed_goes_on(server: CountingServer, testset: SetRef, run: Run) -> None:
    """The lane saw the pause; the resumption came before it took itself from the index."""
    ref = make_experiment(testset, two_prompts(run.project_id), lanes=1)
    actions.pause_experiment(ref, by=BY)
    settle = lanes.settle

    def resumed(*given: object) -> None:
        settle(*given)
        if queries.get_experiment(ref).status == "paused":
            actions.resume_experiment(ref, by=BY)

    with mock.patch.object(lanes, "settle", resumed):
        assert work_all(ref).status == "done"


@pytest.mark.wide
def test_a_document_that_was_purged_counts_as_removed(server: CountingServer, testset: SetRef, run: Run) -> None:
    DocumentFiles(run.site, run.project_id, run.document_id).destroy(lambda: None)
    head = work_all(make_experiment(testset, [1]))
    assert (head.status, int(head.removed), int(head.answered), server.asked) == ("done", 1, 2, 2)


@pytest.mark.wide
def test_a_document_that_ends_its_workers_is_left_out(server: CountingServer, testset: SetRef, run: Run) -> None:
    ref = make_experiment(testset, [1], lanes=1)
    for _ in range(settings.WORKER_ATTEMPTS):
        with crash_before("s3", "GetObject"):
            work(ref)
        free(ref)
        queries.load_plan.cache_clear()
    assert not work(ref)
    due.resume_lane(ref.site, queries.get_lane(ref, 0))
    head = work_all(ref)
    assert (head.status, int(head.failed), int(head.answered)) == ("done", 1, 2)


@pytest.mark.wide
def test_a_lane_whose_message_was_lost_is_ordered_by_the_sweeper(
    server: CountingServer, testset: SetRef, run: Run, pump: Pump
) -> None:
    with mock.patch.object(settings, "MESSAGE_LOST_SECONDS", 0):
        ref = make_experiment(testset, [1], lanes=1)
        sweeper.sweep()
    pump.hold = lambda message: not message.task.endswith("experiments.tasks.work")
    pump.run(lambda: queries.get_experiment(ref).status == "done")


def test_a_model_that_cannot_be_asked_pauses_it(testset: SetRef, run: Run) -> None:
    head = work_all(make_experiment(testset, [1]))
    assert head.status == "paused"
    assert "The endpoint local of Local model is not set up" in str(head.message)


def test_what_cannot_be_measured_is_refused(testset: SetRef) -> None:
    with pytest.raises(Refused, match="at least one prompt version and one model"):
        make_experiment(testset, [1], models=())
    with pytest.raises(Refused, match="cost limit above 0"):
        make_experiment(testset, [1], limit=Decimal(0))
    with pytest.raises(Refused, match="at most 24"):
        make_experiment(testset, [1], temperatures=tuple(one / 10 for one in range(25)))


@pytest.mark.wide
@pytest.mark.parametrize(("workers", "lanes"), [(1, 1), (2, 2), (4, 3)])
def test_as_many_documents_are_read_at_once_as_there_may_be_workers(
    testset: SetRef, run: Run, workers: int, lanes: int
) -> None:
    """Of three documents; no one is asked for a number, which a worker alone would make no use of."""
    ref = make_experiment(testset, [1], lanes=workers)
    assert (int(queries.get_experiment(ref).lanes), len(queries.list_lanes(ref))) == (lanes, lanes)
    assert settings.EXPERIMENT_LANES == 1  # on a laptop

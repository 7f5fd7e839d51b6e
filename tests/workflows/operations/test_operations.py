"""The page of operations: every row says how something stands, and has the action that helps."""

import re

import pytest
from django.conf import settings

from config import clock, table
from config.brokers import queues
from config.due import sweeper
from config.due.actions import if_scheduled
from config.errors import Conflict
from config.item import Item
from projects.audit.items import EntityEvent
from review.status import DECIDED
from tests.aws_faults import count_calls, fail
from tests.engines import KINDS, running_on
from tests.factories import ROSA, start_run
from tests.html import one_line
from tests.people import alice, bob, signed_in
from tests.projects.projects import make_project
from workflows.engine import repair
from workflows.operations import actions, desk_state, metrics, workers
from workflows.operations.tasks import measure_desk
from workflows.operations.workers import Pulse
from workflows.providers import actions as provider_actions
from workflows.runs import events, queries

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
URL = "/settings/operations/"


def page(*, count: bool = False) -> str:
    return one_line(signed_in(alice()).get(URL, {"count": "1"} if count else {}).content)


def make_older(row: Item, **ages: float) -> None:
    """Set these instants of ``row`` to so many seconds ago."""
    sets = [getattr(type(row), name).set(clock.iso(clock.in_seconds(-age))) for name, age in ages.items()]
    type(row).change(row.key, sets, type(row).PK.exists())


def samples() -> dict[tuple[str, str], float]:
    found = [one for family in metrics.DeskCollector(decided=DECIDED).collect() for one in family.samples]
    return {(one.name, one.labels["queue"]): one.value for one in found if "queue" in one.labels}


def fail_event(seconds: float = 3600) -> desk_state.OverdueRow:
    """An event that the bus has not taken, and the sweeper could not send."""
    events.lineage(start_run(), "PUBLISHED", bus_type=events.PROCESSED)(clock.in_seconds(-seconds)).save()
    with fail("events", "PutEvents", error_code="connection"):
        sweeper.sweep()
    (row,) = [one for one in desk_state.list_overdue() if one.kind == "event"]
    return row


def test_every_queue_is_listed_with_what_waits_and_what_to_start():
    queues.enqueue("any.task", settings.SEARCH_QUEUE, {})
    state = desk_state.read_state()
    assert [(one.queue, one.waiting, one.dead) for one in state.queues] == [
        (queue, 1 if queue == settings.SEARCH_QUEUE else 0, 0) for queue in settings.QUEUE_URLS
    ]
    text = page(count=True)
    assert text.count("No worker, messages wait") == 1
    assert all(f"manage.py start worker-{name}" in text for name in ("search", "steps", "sweep"))


def test_a_worker_that_gave_a_sign_of_life_is_shown_and_one_that_went_quiet_is_missed():
    pulse = Pulse("desk@here", (settings.DESK_QUEUE, settings.SWEEP_QUEUE), 2)
    pulse.beat(taken=0, waited=0, busy=0)
    pulse.beat(taken=5, waited=2.5, busy=1)
    found = {one.queue: one for one in desk_state.read_state().queues}
    desk = found[settings.DESK_QUEUE]
    assert (desk.alive, desk.rate, desk.waited) == (1, 5, 2.5)
    assert found[settings.SWEEP_QUEUE].alive == 1
    assert found[settings.STEPS_QUEUE].alive == 0
    assert samples()["countersign_workers", settings.DESK_QUEUE] == 1
    make_older(workers.read_known().workers[0], seen_at=600)
    assert samples()["countersign_workers", settings.DESK_QUEUE] == 0
    assert "None in the last minute" in page()


def test_workers_that_stood_still_are_counted_on_the_page_and_in_metrics():
    for waiting in (7, 12):
        workers.record_stall({settings.STEPS_QUEUE: waiting})
    assert "with 12 messages waiting" in page()
    assert samples()["countersign_stalled_workers", settings.STEPS_QUEUE] == 2


def test_a_broker_that_does_not_answer_is_said_so():
    with fail("sqs", "GetQueueAttributes", error_code="connection", times=99):
        text = page(count=True)
    assert text.count("Queue does not respond") == len(settings.QUEUE_URLS)
    assert "Dead letters <b>" not in text


@pytest.mark.parametrize("kind", KINDS[1:], ids=lambda kind: kind.broker)
def test_metrics_say_what_waits_on_redis_and_rabbitmq(kind):
    with running_on(kind):
        queues.enqueue("any.task", settings.DESK_QUEUE, {})
        found = samples()
    waiting = {queue: value for (name, queue), value in found.items() if name == "countersign_waiting_messages"}
    assert waiting == {queue: float(queue == settings.DESK_QUEUE) for queue in settings.QUEUE_URLS}


def test_the_page_costs_five_calls_of_the_table():
    make_project()
    fail_event()
    client = signed_in(alice())
    client.get(URL)
    with count_calls() as calls:
        assert client.get(URL).status_code == 200
    assert len(calls.names()) == 5  # though no worker counts: on SQS the web would make a call for each queue
    assert not [name for name in calls.names() if not name.startswith("dynamodb.") or "Scan" in name]


def test_queues_that_no_worker_counts_are_counted_when_a_person_asks():
    queues.enqueue("any.task", settings.SEARCH_QUEUE, {})
    text = page()
    assert "Not counted yet" in text
    assert "Dead letters <b>" not in text
    assert "Queue does not respond" not in text
    assert text.count("No worker</span>") == len(settings.QUEUE_URLS)
    counted = page(count=True)
    assert counted.count("No worker, messages wait") == 1
    assert "Dead letters <b>0</b>" in counted
    assert "Count now" not in counted


@pytest.mark.parametrize("kind", KINDS[1:], ids=lambda kind: kind.broker)
def test_redis_and_rabbitmq_are_counted_for_the_page_if_no_worker_counts(kind):
    with running_on(kind):
        queues.enqueue("any.task", settings.SEARCH_QUEUE, {})
        text = page()
    assert text.count("No worker, messages wait") == 1
    assert "Count now" not in text


def test_beat_is_missed_only_when_a_worker_could_have_seen_a_sweep():
    pulse = Pulse("sweep@here", (settings.SWEEP_QUEUE,), 1)
    pulse.beat(taken=0, waited=0, busy=0)
    text = page()
    assert "Worker just started" in text
    assert "Start <code>beat</code>" not in text
    make_older(workers.read_known().workers[0], started_at=workers.BEAT_SECONDS + 1)
    assert "Start <code>beat</code>" in page()


def test_messages_counted_in_the_last_minute_are_shown_and_not_counted_again():
    queues.enqueue("any.task", settings.SEARCH_QUEUE, {})
    client = signed_in(alice())
    measure_desk()
    with count_calls() as calls:
        text = one_line(client.get(URL).content)
    assert not [name for name in calls.names() if name.startswith("sqs.")]
    assert len([one for one in calls.names() if one.startswith("dynamodb.")]) <= 5
    assert text.count("No worker, messages wait") == 1
    assert "Counted" in text
    queues.enqueue("any.task", settings.DESK_QUEUE, {})
    assert page().count("No worker, messages wait") == 1
    assert one_line(client.get(URL, {"count": "1"}).content).count("No worker, messages wait") == 2
    make_older(workers.read_known().depths, counted_at=91)
    text = page()
    assert text.count("No worker, messages wait") == 1  # what was known last
    assert "Last counted" in text
    assert "Count now" in text
    assert "Start <code>beat</code>" in text


def test_counts_of_a_broker_that_does_not_answer_are_not_kept():
    with fail("sqs", "GetQueueAttributes", error_code="connection", times=99):
        measure_desk()
    assert workers.read_known().depths is None


def test_stuck_work_is_repaired_by_the_next_sweep_when_a_person_asks():
    form = {"place": fail_event().place}
    client = signed_in(alice())
    assert form["place"] in client.get(URL).content.decode()
    waiting = queues.count_messages(settings.SWEEP_QUEUE)
    answer = client.post("/settings/operations/repair/", form, follow=True)
    assert "is being repaired by a sweep" in one_line(answer.content)
    assert queues.count_messages(settings.SWEEP_QUEUE) == waiting + 1
    sweeper.sweep()
    assert not [one for one in desk_state.list_overdue() if one.kind == "event"]
    again = client.post("/settings/operations/repair/", form)
    assert again.status_code == 404
    assert "no longer overdue" in one_line(again.content)


def test_a_sweep_that_is_faster_wins(monkeypatch):
    row = fail_event()
    overdue = desk_state.list_overdue()
    Item.change(row.key, [Item.GSI2SK.set(f"{clock.iso(clock.in_seconds(60))}#event#e")], if_scheduled())
    monkeypatch.setattr(desk_state, "list_overdue", lambda: overdue)
    with pytest.raises(Conflict, match="just moved on"):
        actions.hurry_repair(row.place, by=ROSA)


def test_a_paused_connection_is_tried_again_when_a_person_asks():
    for _ in range(settings.PROVIDER_FAILURES):
        provider_actions.record_failure("bedrock", "ThrottlingException")
    client = signed_in(alice())
    assert "ThrottlingException, 5 in a row" in one_line(client.get(URL).content)
    answer = client.post("/settings/operations/connections/bedrock/retry/", follow=True)
    assert "No connection is paused." in one_line(answer.content)
    provider_actions.admit_call("bedrock")  # does not raise: this call has the right to try
    pk = table.ENTITY_EVENT.partition_key(table.DEFAULT_SITE, entity_type="provider", entity_id="bedrock")
    assert [one.type for one in EntityEvent.page(pk).rows] == ["retried"]
    assert client.post("/settings/operations/connections/bedrock/retry/").status_code == 409


def test_a_run_that_lost_its_execution_is_counted_among_the_repairs(pump):
    run = start_run()
    repair.start_next_attempt(run, queries.execution(run), why="test", review=None)
    text = page()
    assert "Run restarted at its step" in text
    assert re.search(rf"/workflows/{run.document_id}/{run.workflow_id}/", text)


def test_a_sweep_is_ordered():
    client = signed_in(alice())
    assert "Sweep started" in one_line(client.post("/settings/operations/sweep/", follow=True).content)
    assert queues.count_messages(settings.SWEEP_QUEUE) == 1


def test_only_those_who_manage_sites_see_it_and_act():
    client = signed_in(bob())
    assert client.get(URL).status_code == 403
    assert client.post("/settings/operations/sweep/").status_code == 403

"""The page of failed messages on Redis and RabbitMQ: what was put aside there is shown, sent again, thrown away."""

from collections.abc import Iterator
from unittest import mock

import pytest
from django.conf import settings
from django.urls import reverse

from config import aws, clock
from config.brokers import queues, redelivery, transport
from config.celery import app
from config.errors import NotFound, Unavailable
from projects.audit.events import Actor
from review.status import DECIDED
from tests.aws_faults import audit_refused
from tests.engines import KINDS, EngineKind, running_on
from tests.html import one_line
from tests.people import alice, signed_in
from tests.pump import receive
from workflows.operations import dead_letter_queues, dead_letters, metrics, undelivered_events

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
BY = Actor("1", "Alice Novak")
QUEUE = settings.STEPS_QUEUE
GIVEN = {"site": "default", "document_id": "d1", "workflow_id": "w1", "step": 3, "token": "a secret"}


@pytest.fixture(autouse=True, params=KINDS[1:], ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Iterator[EngineKind]:
    with running_on(request.param):
        yield request.param


def put_aside(name: str = "m1") -> None:
    headers = {redelivery.ASIDE_AT: clock.iso(clock.now()), "redelivered": True}
    box = transport.dead_letter_queue(app.amqp.queues[QUEUE])
    app.send_task("workflows.tasks.run_step", kwargs=GIVEN, task_id=name, queue=box, headers=headers)


def settle(order: str, name: str = "m1") -> str:
    url = reverse("operations:settle-dead-letter", args=[QUEUE, name])
    return signed_in(alice()).post(url, {"order": order}, follow=True).content.decode()


def test_ids_are_shown_and_no_token() -> None:
    put_aside()
    for _ in range(2):  # looking takes nothing away
        (letter,) = dead_letters.list_dead_letters()
    assert (letter.queue, letter.task, letter.id) == (QUEUE, "workflows.tasks.run_step", "m1")
    assert dict(letter.facts) == {"site": "default", "document_id": "d1", "workflow_id": "w1", "step": "3"}
    assert (clock.now() - clock.parse(letter.at)).total_seconds() < 60
    text = one_line(signed_in(alice()).get("/settings/failed/").content)
    assert "w1" in text
    assert "a secret" not in text


def test_sent_again_it_is_in_its_queue_as_if_it_was_new() -> None:
    put_aside("m1")
    put_aside("m2")
    assert "is queued again" in settle("replay")
    (message,) = receive(QUEUE)
    assert (message.task, message.id, message.kwargs) == ("workflows.tasks.run_step", "m1", GIVEN)
    assert redelivery.ASIDE_AT not in message.taken.headers
    assert not message.taken.delivery_info.get("redelivered")
    assert [one.id for one in dead_letters.list_dead_letters()] == ["m2"]
    with pytest.raises(NotFound):
        dead_letters.replay_dead_letter(QUEUE, "m1", by=BY)


def test_thrown_away_it_is_gone() -> None:
    put_aside()
    assert "was discarded" in settle("discard")
    assert (dead_letters.list_dead_letters(), receive(QUEUE)) == ([], [])


def test_without_its_event_the_message_stays() -> None:
    put_aside()
    for act in (dead_letters.replay_dead_letter, dead_letters.discard_dead_letter):
        with audit_refused(), pytest.raises(Exception, match="Too many simultaneous changes"):
            act(QUEUE, "m1", by=BY)
    assert (len(dead_letters.list_dead_letters()), receive(QUEUE)) == (1, [])


def test_events_of_the_bus_lie_on_sqs_all_the_same() -> None:
    url = f"{settings.EVENTS_QUEUE_URL}-dead"
    aws.aws_client("sqs").purge_queue(QueueUrl=url)
    aws.aws_client("sqs").send_message(QueueUrl=url, MessageBody='{"execution": "e", "status": "FAILED"}')
    (letter,) = dead_letters.list_dead_letters()
    assert letter.queue == undelivered_events.QUEUE
    dead_letters.discard_dead_letter(undelivered_events.QUEUE, letter.id, by=BY)


def test_what_lies_there_is_a_metric() -> None:
    put_aside()
    assert dead_letter_queues.count_dead_letters()[QUEUE] == 1
    samples = [one for family in metrics.DeskCollector(decided=DECIDED).collect() for one in family.samples]
    found = {one.labels["queue"]: one.value for one in samples if one.name == "countersign_failed_messages"}
    assert found == dict.fromkeys(settings.QUEUE_URLS, 0) | {QUEUE: 1}


def test_a_broker_that_is_away_is_said() -> None:
    away = mock.patch.object(queues, "borrow_channel", side_effect=Unavailable("The queue is not responding."))
    with away:
        assert signed_in(alice()).get("/settings/failed/").status_code == 503

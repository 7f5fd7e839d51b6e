"""The page of workers, and what /metrics says of them."""

import pytest
from django.conf import settings

from config.brokers import queues
from review.status import DECIDED
from tests.aws_faults import fail
from tests.engines import KINDS, running_on
from tests.html import one_line
from tests.people import alice, bob, signed_in
from workflows.operations import metrics, workers

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
URL = "/settings/workers/"


def samples() -> dict[tuple[str, str], float]:
    found = [one for family in metrics.Overdue(decided=DECIDED).collect() for one in family.samples]
    return {(one.name, one.labels["queue"]): one.value for one in found if "queue" in one.labels}


def test_every_queue_is_listed_with_what_waits():
    queues.enqueue("any.task", settings.SEARCH_QUEUE, {})
    assert [(one.queue, one.waiting) for one in workers.list_queues()] == [
        (queue, 1 if queue == settings.SEARCH_QUEUE else 0) for queue in settings.QUEUE_URLS
    ]
    text = one_line(signed_in(alice()).get(URL).content)
    assert all(queue in text for queue in settings.QUEUE_URLS)
    assert text.count("never") == len(settings.QUEUE_URLS)


def test_workers_that_stood_still_are_counted_on_the_page_and_in_metrics():
    for waiting in (7, 12):
        workers.record_stall({settings.STEPS_QUEUE: waiting})
    assert "with 12 messages waiting" in one_line(signed_in(alice()).get(URL).content)
    assert samples()["countersign_stalled_workers", settings.STEPS_QUEUE] == 2


def test_a_broker_that_does_not_answer_is_said_so():
    with fail("sqs", "GetQueueAttributes", error_code="connection", times=len(settings.QUEUE_URLS)):
        text = one_line(signed_in(alice()).get(URL).content)
    assert text.count("The queue does not respond. Check the broker.") == len(settings.QUEUE_URLS)


@pytest.mark.parametrize("kind", KINDS[1:], ids=lambda kind: kind.broker)
def test_metrics_say_what_waits_on_redis_and_rabbitmq(kind):
    with running_on(kind):
        queues.enqueue("any.task", settings.DESK_QUEUE, {})
        found = samples()
    waiting = {queue: value for (name, queue), value in found.items() if name == "countersign_waiting_messages"}
    assert waiting == {queue: float(queue == settings.DESK_QUEUE) for queue in settings.QUEUE_URLS}


def test_only_those_who_manage_sites_see_it():
    assert signed_in(bob()).get(URL).status_code == 403

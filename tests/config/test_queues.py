"""What a broker carries, on the real ones: sizes, delays, and a broker that is away."""

from unittest import mock

import pytest
from celery import Celery
from django.conf import settings
from kombu.exceptions import OperationalError

from config import queues
from config.errors import Unavailable
from tests.engines import KINDS, OPENED, EngineKind, running_on
from tests.pump import receive

BROKERS = KINDS[1:]


@pytest.fixture(params=BROKERS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest):
    with running_on(request.param):
        yield request.param


def test_what_is_sent_waits_until_somebody_takes_it(kind: EngineKind) -> None:
    assert queues.size(settings.STEPS_QUEUE) == 0
    for number in range(3):
        queues.send("any.task", settings.STEPS_QUEUE, {"number": number})
    assert queues.size(settings.STEPS_QUEUE) == 3
    assert queues.size(settings.DESK_QUEUE) == 0
    found = receive(settings.STEPS_QUEUE)
    assert [(message.task, message.kwargs["number"], message.eta) for message in found] == [
        ("any.task", number, None) for number in range(3)
    ]
    assert queues.size(settings.STEPS_QUEUE) == 0


def test_a_delay_is_the_message_s_own(kind: EngineKind) -> None:
    queues.send("any.task", settings.STEPS_QUEUE, {}, delay=30)
    (message,) = receive(settings.STEPS_QUEUE)
    assert message.eta
    assert not message.due


def test_a_queue_that_nobody_has_made_is_empty(kind: EngineKind) -> None:
    OPENED[0].close()
    assert queues.size(settings.STEPS_QUEUE) == 0
    OPENED[0].__post_init__()  # for the end of the test


def test_an_error_leaves_no_closed_connection_behind(kind: EngineKind) -> None:
    with pytest.raises(Unavailable), queues.channel():
        raise Unavailable("of something else")
    assert queues.size(settings.STEPS_QUEUE) == 0


def test_a_broker_that_is_away_is_unavailable() -> None:
    away = mock.patch.object(Celery, "send_task", side_effect=OperationalError("no route"))
    with away, pytest.raises(Unavailable, match="tried again"):
        queues.send("any.task", settings.STEPS_QUEUE, {})


def test_a_broker_that_goes_away_while_it_is_asked_is_unavailable(kind: EngineKind) -> None:
    with pytest.raises(Unavailable), queues.channel() as channel:
        raise channel.connection.client.connection_errors[0]("gone")

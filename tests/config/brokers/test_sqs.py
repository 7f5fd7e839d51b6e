from kombu import Connection

from config.brokers import sqs
from config.celery import app


def test_celery_uses_our_transport() -> None:
    with Connection("sqs://") as connection:
        assert isinstance(connection.transport, sqs.Transport)
    with app.connection_for_read() as connection:
        assert isinstance(connection.transport, sqs.Transport)


def test_a_poll_that_nobody_answered_is_an_empty_one() -> None:
    """What kombu hands on after a 5xx or a lost connection."""
    channel = object.__new__(sqs.Channel)
    assert channel._on_messages_ready("http://127.0.0.1/queue", "queue", []) == 0

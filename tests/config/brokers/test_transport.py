import os
import subprocess
import sys

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config.brokers import transport
from tests.each import each


@each(
    ("url", "broker"),
    [
        ("sqs://", "sqs"),
        ("redis://127.0.0.1:6379/0", "redis"),
        ("rediss://cache.example:6380", "redis"),
        ("amqp://guest:guest@127.0.0.1:5672//", "rabbitmq"),
        ("amqps://mq.example", "rabbitmq"),
    ],
)
def test_the_broker_is_known_by_its_address(url: str, broker: str) -> None:
    assert transport.broker_of(url) == broker


def test_an_unknown_broker_is_named_without_its_password() -> None:
    with pytest.raises(ImproperlyConfigured, match="begins with 'kafka'") as refused:
        transport.broker_of("kafka://me:secret@somewhere")
    assert "secret" not in str(refused.value)


def test_each_engine_has_its_brokers() -> None:
    for broker in (transport.SQS, transport.REDIS, transport.RABBITMQ):
        assert transport.check_engine("celery", broker) == "celery"
    assert transport.check_engine("stepfunctions", transport.SQS) == "stepfunctions"
    with pytest.raises(ImproperlyConfigured, match="use 'stepfunctions' or 'celery'"):
        transport.check_engine("airflow", transport.SQS)


@pytest.mark.wide
@each(
    "command",
    [
        ["manage.py", "check"],
        ["manage.py", "process", "any.pdf"],
        ["-m", "gunicorn", "--check-config", "config.wsgi"],
        ["-m", "celery", "-A", "config", "worker"],
        ["-m", "celery", "-A", "config", "beat"],
    ],
)
def test_no_process_starts_with_step_functions_on_another_broker_than_sqs(command: list[str], tmp_path) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "COUNTERSIGN_"))}
    env |= {"COUNTERSIGN_BROKER_URL": "redis://127.0.0.1:6379/0", "COUNTERSIGN_STATE_DIR": str(tmp_path)}
    env |= {"DJANGO_SETTINGS_MODULE": "config.settings", "COUNTERSIGN_ENGINE": "stepfunctions"}
    done = subprocess.run(
        [sys.executable, *command], cwd=settings.BASE_DIR, env=env, capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert done.returncode != 0
    told = "Set COUNTERSIGN_ENGINE=celery to use Redis, or unset COUNTERSIGN_BROKER_URL."
    assert told in done.stderr + done.stdout


def test_queues_are_routed_to_by_their_names_and_may_be_called_otherwise_on_a_shared_broker() -> None:
    assert transport.make_queues(transport.SQS, ["steps"], "acme-") is None
    (queue,) = transport.make_queues(transport.RABBITMQ, ["steps"], "acme-") or ()
    assert (queue.name, queue.alias, queue.routing_key) == ("acme-steps", "steps", "acme-steps")
    # The longest task has an hour, and RabbitMQ takes a message back after half of one.
    assert queue.queue_arguments["x-consumer-timeout"] > 3600 * 1000

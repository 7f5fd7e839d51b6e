"""One emulator for the whole run, one bootstrapped account for each worker, one empty table for each test."""

import contextlib
import functools
import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings

from config import aws
from config.deploy import bootstrap
from config.laptop import emulator
from config.table import DEFAULT_SITE
from projects.sites import directory, permissions
from tests import engines, leftovers
from tests.pump import Pump
from tests.settings import CONTROLLER, FOLDER
from workflows.definitions import versions
from workflows.engine import driver

KEPT = ("AttributeDefinitions", "TableName", "KeySchema", "StreamSpecification")
EMULATOR = pytest.StashKey[emulator.Emulator]()


def pytest_configure(config: pytest.Config) -> None:
    if CONTROLLER:
        engines.forget_killed_runs()
        config.stash[EMULATOR] = emulator.start(
            state_dir=FOLDER / "emulator", port=int(os.environ["COUNTERSIGN_EMULATOR_PORT"]), persistent=False
        )


def pytest_unconfigure(config: pytest.Config) -> None:
    if EMULATOR in config.stash:
        config.stash[EMULATOR].stop()
        engines.forget_run(FOLDER)
        shutil.rmtree(FOLDER, ignore_errors=True)


@pytest.fixture(scope="session")
def aws_stack() -> list[str]:
    """The stack of this worker's account; what bootstrap reported."""
    lines: list[str] = []
    bootstrap.deploy(lines.append)
    return lines


@pytest.fixture
def table(aws_stack: list[str]) -> Iterator[str]:
    """The name of an empty table, with empty queues and no execution of an earlier test."""
    empty_table()
    if leftovers.may_be():
        with leftovers.unseen():
            empty_queues()
        leftovers.taken_away()
    know_the_roles()
    yield settings.TABLE_NAME
    if leftovers.may_be():
        with leftovers.unseen():
            stop_executions()


@pytest.fixture(scope="session")
def machines(aws_stack: list[str]) -> None:
    """The state machines of this worker's account."""
    driver.publish_machines(lambda _text: None)


@pytest.fixture
def pump(machines: None, table: str) -> Pump:
    """Delivers messages to tasks in this process, beside an empty table."""
    return Pump()


def know_the_roles() -> None:
    """As in a process that has answered a page: sites, groups and active definitions are read and remembered."""
    directory.forget()
    directory.permissions(DEFAULT_SITE, permissions.ROLES)
    directory.limited_queues(DEFAULT_SITE)
    versions.active()


def empty_table() -> None:
    """Make both tables anew: seven calls, whatever they held."""
    for name in (settings.TABLE_NAME, settings.VERSIONS_TABLE_NAME):
        described = describe_table(name)
        aws.dynamodb_client().delete_table(TableName=name)
        create_table(described)


def describe_table(name: str = settings.TABLE_NAME) -> dict[str, Any]:
    described: dict[str, Any] = aws.dynamodb_client().describe_table(TableName=name)["Table"]
    return described


def create_table(described: dict[str, Any]) -> None:
    client = aws.dynamodb_client()
    client.create_table(
        **{name: described[name] for name in KEPT if name in described},
        BillingMode="PAY_PER_REQUEST",
        GlobalSecondaryIndexes=[
            {name: index[name] for name in ("IndexName", "KeySchema", "Projection")}
            for index in described["GlobalSecondaryIndexes"]
        ],
    )
    if described["TableName"] == settings.TABLE_NAME:
        client.update_time_to_live(
            TableName=settings.TABLE_NAME,
            TimeToLiveSpecification={"AttributeName": bootstrap.TTL_ATTRIBUTE, "Enabled": True},
        )


def empty_queues() -> None:
    sqs = aws.client("sqs")
    for url in queue_urls():
        sqs.purge_queue(QueueUrl=url)


@functools.cache
def queue_urls() -> tuple[str, ...]:
    """Of all queues of this worker's account, those of dead letters too."""
    sqs = aws.client("sqs")
    names = (*settings.QUEUE_URLS, bootstrap.EVENTS_QUEUE)
    return tuple(url for name in names for url in sqs.list_queues(QueueNamePrefix=name)["QueueUrls"])


def stop_executions() -> None:
    """Otherwise a state that waits sends its timeout's message into a later test."""
    sfn = aws.client("stepfunctions")
    for machine in sfn.list_state_machines()["stateMachines"]:
        arn = machine["stateMachineArn"]
        for execution in sfn.list_executions(stateMachineArn=arn, statusFilter="RUNNING")["executions"]:
            with contextlib.suppress(sfn.exceptions.ClientError):  # it ended by itself meanwhile
                sfn.stop_execution(executionArn=execution["executionArn"])

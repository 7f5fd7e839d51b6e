"""One emulator for the whole run, one bootstrapped account for each worker, one empty table for each test."""

import functools
import gc
import os
import shutil
import sys
import time
from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest
from django.conf import settings
from django.core.cache import cache

from config import aws
from config.deploy import bootstrap
from config.laptop import emulator
from config.table import DEFAULT_SITE
from projects.sites import directory, permissions
from tests import emulator_http, engines, examples, leftovers, read_once
from tests.pump import Pump
from tests.settings import CONTROLLER, FOLDER
from tests.shortcuts import empty
from workflows.definitions import versions
from workflows.engine import driver

GARBAGE = (50_000, 20, 50)  # objects and rounds between collections, which were a tenth of a test's CPU
KEPT = ("AttributeDefinitions", "TableName", "KeySchema", "StreamSpecification")
EMULATOR = pytest.StashKey[emulator.Emulator]()


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # until all tests are collected: nothing of that is garbage
    examples.load_profile()
    read_once.remember_readings()
    emulator_http.spare_urllib3()
    emulator_http.spare_signatures()
    emulator_http.spare_pauses()
    if CONTROLLER:
        engines.forget_killed_runs()
        with mock.patch.object(
            emulator, "emulator_command", return_value=[sys.executable, "-m", "tests.emulator_process"]
        ):
            config.stash[EMULATOR] = emulator.start_emulator(
                state_dir=FOLDER / "emulator", port=int(os.environ["COUNTERSIGN_EMULATOR_PORT"]), persistent=False
            )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.examples)


def pytest_collection_finish() -> None:
    """What is imported stays: collections of garbage need not walk through it during each test."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GARBAGE)
    gc.enable()


def pytest_unconfigure(config: pytest.Config) -> None:
    if EMULATOR in config.stash:
        config.stash[EMULATOR].stop()
        engines.forget_run(FOLDER)
        shutil.rmtree(FOLDER, ignore_errors=True)


@pytest.fixture(scope="session")
def aws_stack() -> list[str]:
    """The stack of this worker's account; what bootstrap reported."""
    lines: list[str] = []
    bootstrap.deploy_stack(lines.append)
    return lines


@pytest.fixture
def table(aws_stack: list[str]) -> Iterator[str]:
    """The name of an empty table, with empty queues and no execution of an earlier test."""
    left = leftovers.may_be()
    empty(settings.TABLE_NAME, settings.VERSIONS_TABLE_NAME, left=left)
    if left:
        leftovers.taken_away()
    know_the_roles()
    cache.clear()
    yield settings.TABLE_NAME
    if leftovers.may_be():
        empty(left=True)  # otherwise a state that waits sends its timeout's message into a later test


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
    until = time.monotonic() + settings.ACCESS_SECONDS
    directory._memory._kept = {key: (until, answer) for key, answer in _known()}


_PEOPLE = 30  # whose unread notifications are counted before a test: no one has any


@functools.cache
def _known() -> tuple[tuple[tuple[str, str], Any], ...]:
    """What they are on an empty table, read once."""
    directory.forget()
    directory.get_permissions(DEFAULT_SITE, permissions.ROLES)
    directory.get_site(DEFAULT_SITE)
    directory.list_limited_queues(DEFAULT_SITE)
    directory.list_limited_folders(DEFAULT_SITE)
    directory.has_cases(DEFAULT_SITE)
    directory.has_entities(DEFAULT_SITE)
    directory.has_shares(DEFAULT_SITE)
    for user_id in range(1, _PEOPLE):
        directory.remember(directory.UNREAD, f"{DEFAULT_SITE}/{user_id}", lambda: 0)
    versions.active_definition()
    versions.list_descriptions()
    return tuple((key, answer) for key, (_, answer) in directory._memory._kept.items())


def empty_table() -> None:
    empty(settings.TABLE_NAME, settings.VERSIONS_TABLE_NAME, left=False)


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


@functools.cache
def queue_urls() -> tuple[str, ...]:
    """Of all queues of this worker's account, those of dead letters too."""
    sqs = aws.aws_client("sqs")
    names = (*settings.QUEUE_URLS, bootstrap.EVENTS_QUEUE)
    return tuple(url for name in names for url in sqs.list_queues(QueueNamePrefix=name)["QueueUrls"])

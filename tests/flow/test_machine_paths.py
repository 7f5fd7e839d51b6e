"""Every way out of every state of every shipped definition, taken on the emulator with the test's answers to tokens."""

import inspect
import json
import time
from collections.abc import Sequence
from typing import Any

import pytest

from config import aws
from config.celery import app
from tests.flow.machine_paths import DECISION, ERROR, OK, RETRY, TIMEOUT, Path, paths, whole
from tests.pump import Message, Pump, acknowledge, receive, with_messages
from workflows.definitions import asl, states
from workflows.definitions.blueprint import SHIPPED, Definition
from workflows.runs import executions

pytestmark = pytest.mark.usefixtures("machines", "table")
_LONGEST = 150.0  # seconds for all paths of one machine; the test itself has 180
_AT_ONCE = 25  # on a busy machine, more would wait for their answer until their state gives them up


def start(definition: Definition, path: Path) -> str:
    """The execution's ARN. ``review_seconds`` is short where nobody is to answer."""
    kinds = {kind for kind, _ in path.answers}
    given = {
        "site": "default", "project_id": "p", "document_id": "d", "workflow_id": path.name, "attempt": 1,
        "start_at": path.start_at, "file_name": "a.pdf", "project_name": "P",
        "review_seconds": 1 if TIMEOUT in kinds else 600, "result": {**DECISION, "result_sha256": "0"},
    }  # fmt: skip
    arn = executions.arn("stateMachine", executions.machine_name(definition))
    answer = aws.aws_client("stepfunctions").start_execution(stateMachineArn=arn, input=json.dumps(given))
    return str(answer["executionArn"])


def answer(message: Message, kind: str, output: dict[str, Any]) -> None:
    """As a worker would, after a look whether the worker's task takes what the machine sends it."""
    inspect.signature(app.tasks[message.task].run).bind(**message.kwargs)
    sfn, token = aws.aws_client("stepfunctions"), message.kwargs["token"]
    if kind == OK:
        sfn.send_task_success(taskToken=token, output=json.dumps(output))
    elif kind in (ERROR, RETRY):
        sfn.send_task_failure(taskToken=token, error=states.UNEXPECTED if kind == RETRY else "Broken", cause="told so")


def entered(arn: str) -> list[str]:
    sfn = aws.aws_client("stepfunctions")
    pages = sfn.get_paginator("get_execution_history").paginate(executionArn=arn)
    events = [event for page in pages for event in page["events"]]
    return [event["stateEnteredEventDetails"]["name"] for event in events if "stateEnteredEventDetails" in event]


@pytest.mark.wide
@pytest.mark.parametrize("definition", SHIPPED.values(), ids=lambda one: one.id)
def test_every_way_out_of_every_state_is_taken(definition: Definition, pump: Pump) -> None:
    machine = json.loads(asl.compile_definition(definition))
    walks = [*paths(machine), *whole(machine, "segment_builder")]
    end = time.monotonic() + _LONGEST
    for first in range(0, len(walks), _AT_ONCE):
        some = walks[first : first + _AT_ONCE]
        for path, arn in zip(some, _take(definition, some, pump, end), strict=True):
            succeeds = machine["States"][path.states[-1]]["Type"] == "Succeed"
            assert _status(arn) == ("SUCCEEDED" if succeeds else "FAILED"), path.name
            assert entered(arn) == path.states, path.name


def _take(definition: Definition, walks: Sequence[Path], pump: Pump, end: float) -> list[str]:
    """The ARNs of their executions, whose tokens are answered."""
    running = [start(definition, path) for path in walks]
    left = {path.name: list(path.answers) for path in walks}
    while any(left.values()) and time.monotonic() < end:
        for message in [message for name in with_messages(pump.queues, 0.1) for message in receive(name)]:
            kind, output = left[message.kwargs["workflow_id"]].pop(0)
            answer(message, kind, output)
            acknowledge(message)
    assert not {name: todo for name, todo in left.items() if todo}
    return running


def _status(arn: str) -> str:
    """Of an execution that ended, or is about to: it may be an instant behind its last token."""
    sfn = aws.aws_client("stepfunctions")
    for _ in range(200):
        found = str(sfn.describe_execution(executionArn=arn)["status"])
        if found != "RUNNING":
            return found
        time.sleep(0.05)
    raise AssertionError(f"{arn} did not end")

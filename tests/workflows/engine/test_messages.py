"""Continuations: what each state's answer sends, held against the states as Step Functions gets them."""

import json
import re
from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest
from celery import Celery

from config.errors import TokenClosed
from tests.aws_faults import before_each
from tests.engines import KINDS, running_on
from tests.factories import start_run
from workflows.definitions import asl, states
from workflows.definitions.blueprint import (
    DOCUMENT_ANALYSIS,
    DOCUMENT_APPROVAL,
    FIRST_ANALYSIS,
    SHIPPED,
    Definition,
)
from workflows.definitions.states import Choice, Task
from workflows.engine import actions, driver, messages
from workflows.runs import queries
from workflows.runs.items import Run

pytestmark = pytest.mark.usefixtures("table")
GIVEN: dict[str, Any] = {
    "site": "acme", "project_id": "p", "document_id": "d", "workflow_id": "01H", "attempt": 2,
    "file_name": "a.pdf", "project_name": "Bills", "review_seconds": 600,
}  # fmt: skip
RUN = {name: GIVEN[name] for name in states.RUN}


@pytest.fixture
def sent() -> Iterator[list[dict[str, Any]]]:
    """Name, queue, seconds and keyword arguments of each message."""
    found: list[dict[str, Any]] = []

    def send(self: Celery, task: str, *, kwargs: dict[str, Any], queue: str, countdown: float | None, **_: Any) -> None:
        found.append({"task": task, "queue": queue, "delay": countdown, **kwargs})

    with mock.patch.object(Celery, "send_task", send):
        yield found


def start(definition: Definition, at: str, **more: Any) -> None:
    messages.start(definition, {**GIVEN, "start_at": at, "result": {}, **more})


def answer(sent: list[dict[str, Any]], **output: Any) -> dict[str, Any]:
    """The message that follows the last one's answer."""
    before = len(sent)
    messages.send_success(sent[-1]["token"], output)
    assert len(sent) == before + 1
    return sent[-1]


@pytest.mark.parametrize("definition", SHIPPED.values(), ids=lambda one: one.id)
def test_every_state_orders_what_step_functions_orders(definition: Definition, sent: list[dict[str, Any]]) -> None:
    machine = json.loads(asl.compile_definition(definition))["States"]
    found = states.machine_of(definition).states
    assert machine.keys() == found.keys()
    for name, state in found.items():
        if not isinstance(state, Task):
            continue
        body = machine[name]["Arguments"]["MessageBody"]
        messages._order(definition, name, state, {**GIVEN, "result": {one: one for one in states.DECISION_OUTPUT},
                                                  "error": {"Error": "E", "Cause": "C"}}, 0)  # fmt: skip
        order = sent[-1]
        fields = body.partition("$string([[], {")[2].partition("}, {}])")[0]
        named = set(re.findall(r"'(\w+)': ", fields))
        assert named == order.keys() - {"task", "queue", "delay"}, name
        assert f"'task': '{order['task']}'" in body
        assert f"'routing_key': '{order['queue']}'" in body


def test_a_run_goes_from_step_to_step_by_the_answers(sent: list[dict[str, Any]]) -> None:
    start(DOCUMENT_ANALYSIS, "segment_prep")
    first = sent[-1]
    assert {name: first[name] for name in (*RUN, "task", "step")} == {
        **RUN, "task": "workflows.tasks.run_step", "step": 1,
    }  # fmt: skip
    assert answer(sent, next=4)["step"] == 4
    assert answer(sent, next=7)["step"] == 7
    assert answer(sent, next=8)["step"] == 8
    assert answer(sent, next=9)["step"] == 9
    review = answer(sent, next=10, result_sha256="abc", last="01J")
    assert (review["task"], review["found"], review["timeout"], review["file_name"]) == (
        "review.tasks.open_review", {"next": 10, "result_sha256": "abc", "last": "01J"}, 600, "a.pdf",
    )  # fmt: skip
    decision = {name: name for name in states.DECISION_OUTPUT}
    applied = answer(sent, **decision)
    assert applied["task"] == "review.tasks.apply_decision"
    assert {name: applied[name] for name in decision} == decision
    assert answer(sent, next=11)["step"] == 11
    answer(sent, next=12)
    answer(sent, next=13)
    messages.send_success(sent[-1]["token"], {"next": 0})
    assert sent[-1]["step"] == 13  # nothing follows


def test_the_same_answer_twice_sends_the_same_order_twice(sent: list[dict[str, Any]]) -> None:
    start(DOCUMENT_ANALYSIS, "segment_prep")
    token = sent[-1]["token"]
    for _ in range(2):
        messages.send_success(token, {"next": 4})
    assert sent[-1] == sent[-2]


def test_what_follows_a_step_that_was_passed_long_ago_is_not_ordered_again(sent: list[dict[str, Any]]) -> None:
    start(DOCUMENT_ANALYSIS, "segment_prep")
    messages.send_success(sent[-1]["token"], {"next": 4, states.PASSED: True})
    assert len(sent) == 1


@pytest.mark.parametrize(("asked", "delay"), [(5, 5), (900, messages.LONGEST_DELAY)])
def test_a_step_that_waits_is_ordered_again_before_its_queue_shows_it_to_others(
    sent: list[dict[str, Any]], asked: int, delay: int
) -> None:
    start(DOCUMENT_ANALYSIS, "paddleocr_processor")
    again = answer(sent, next=4, wait=asked)
    assert (again["step"], again["delay"]) == (4, delay)


def test_a_failure_ends_the_run_and_its_own_failure_nothing(sent: list[dict[str, Any]]) -> None:
    start(DOCUMENT_ANALYSIS, "assess")
    messages.send_failure(sent[-1]["token"], "StageFailed", "This file is empty.")
    assert (sent[-1]["task"], sent[-1]["error"], sent[-1]["cause"]) == (
        "workflows.tasks.fail_run", "StageFailed", "This file is empty.",
    )  # fmt: skip
    messages.send_failure(sent[-1]["token"], "StaleAttempt", "late")
    messages.send_success(sent[-1]["token"], {"failed": True})
    assert len(sent) == 2


def test_an_attempt_may_begin_behind_the_review(sent: list[dict[str, Any]]) -> None:
    start(FIRST_ANALYSIS, states.APPLY, result={name: name for name in states.DECISION_OUTPUT})
    assert (sent[-1]["task"], sent[-1]["uri"]) == ("review.tasks.apply_decision", "uri")
    assert "definition" not in sent[-1]  # as the machine of the first version has it


def test_an_answer_that_no_state_knows_ends_the_run(sent: list[dict[str, Any]]) -> None:
    start(DOCUMENT_ANALYSIS, "assess")
    assert answer(sent, next=3)["task"] == "workflows.tasks.fail_run"


@pytest.mark.parametrize("token", ["celery:", "celery:forged", "celery:eyJzdGF0ZSI6ICJ4In0:1abc:xyz"])
def test_a_token_that_somebody_made_up_is_closed(token: str, sent: list[dict[str, Any]]) -> None:
    assert messages.is_ours(token)
    with pytest.raises(TokenClosed):
        driver.send_success(token, {"next": 1})
    assert not sent


def test_a_token_is_small_and_holds_no_answer(sent: list[dict[str, Any]]) -> None:
    start(DOCUMENT_ANALYSIS, "assess", result={"reasons": ["x" * 5000]})
    assert len(sent[-1]["token"]) < 600


def test_every_choice_has_a_state_for_each_rule() -> None:
    for definition in SHIPPED.values():
        found = states.machine_of(definition).states
        for state in found.values():
            targets = [rule.to for rule in state.rules] + [state.otherwise] if isinstance(state, Choice) else []
            assert set(targets) <= set(found)


@pytest.fixture
def run(machines: None, table: str) -> Iterator[Run]:
    with running_on(KINDS[1]):
        yield start_run()


def test_a_stopped_attempt_has_ended_and_the_next_runs(run: Run) -> None:
    assert queries.execution(run).engine == "celery"
    assert driver.state(DOCUMENT_ANALYSIS, run, 1) == "running"
    driver.stop(DOCUMENT_ANALYSIS, run, 1, "test")
    assert driver.state(DOCUMENT_ANALYSIS, run, 1) == "ended"
    actions.begin_next(run, attempt=1, why="test")
    assert [driver.state(DOCUMENT_ANALYSIS, run, one) for one in (1, 2)] == ["ended", "running"]


def test_a_stop_that_comes_after_the_next_attempt_stops_nothing(run: Run) -> None:
    def another_begins() -> None:
        actions.begin_next(run, attempt=1, why="test")

    with before_each("dynamodb", "UpdateItem", another_begins):
        driver.stop(DOCUMENT_ANALYSIS, run, 1, "test")
    assert queries.execution(run).stopped is None
    assert driver.state(DOCUMENT_ANALYSIS, run, 2) == "running"


def test_a_step_that_may_be_retried_is_ordered_again_later_and_later(sent: list[dict[str, Any]]) -> None:
    start(DOCUMENT_APPROVAL, "tell_accepted")
    for _ in range(3):
        messages.send_failure(sent[-1]["token"], states.UNEXPECTED, "why")
    assert [one["task"] for one in sent] == ["workflows.tasks.run_step"] * 4
    assert [one["delay"] for one in sent[1:]] == [5, 15, 45]
    messages.send_failure(sent[-1]["token"], states.UNEXPECTED, "why")
    assert sent[-1]["task"] == "workflows.tasks.fail_run"


def test_what_a_step_foresaw_is_not_tried_again(sent: list[dict[str, Any]]) -> None:
    start(DOCUMENT_APPROVAL, "tell_accepted")
    messages.send_failure(sent[-1]["token"], "StageFailed", "why")
    assert sent[-1]["task"] == "workflows.tasks.fail_run"

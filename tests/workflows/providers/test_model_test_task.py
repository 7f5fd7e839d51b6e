"""A model is tried by a worker: a real request by the path of a run, whose result or error is kept."""

from typing import Any

import pytest

from config.brokers import queues
from config.environment import ModelEndpoint
from projects.models import actions as model_actions
from projects.models import queries as model_queries
from projects.models.items import ModelTest
from tests.projects.models.catalogue import ADA, add_model
from tests.workflows.providers.chat_server import completion, serve_chat
from workflows.providers import tasks

pytestmark = pytest.mark.usefixtures("table")
SAID = '{"answer": "7.00 EUR", "quote": "Total 7.00 EUR"}'


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    found: list[Any] = []
    monkeypatch.setattr(queues, "enqueue", lambda _task, _queue, kwargs: found.append(kwargs))
    return found


def run_test(model_id: str = "local") -> ModelTest:
    test = model_queries.get_test("default", model_id)
    assert test is not None
    tasks.test_model.apply(kwargs={"site": "default", "model_id": model_id, "asked_at": str(test.asked_at)}, throw=True)
    ended = model_queries.get_test("default", model_id)
    assert ended is not None
    return ended


def test_a_worker_asks_once_however_often_the_message_comes(settings: Any, sent: list[Any]) -> None:
    spec = add_model(price_in=2, price_out=10, images=True)
    with serve_chat([completion(SAID)]) as server:
        settings.MODEL_ENDPOINTS = {"local": ModelEndpoint(server.url)}
        model_actions.ask_test("default", spec, by=ADA)
        first, second = run_test(), run_test()
    (request,) = server.requests
    assert request["messages"][1]["content"][0]["type"] == "image_url"
    assert (first.status, first.answer, int(first.micros)) == ("worked", "7.00 EUR", 400)
    assert (int(first.tokens_in), int(first.tokens_out)) == (100, 20)
    assert second.ended_at == first.ended_at


def test_what_a_provider_says_is_kept_in_words(settings: Any, sent: list[Any]) -> None:
    spec = add_model()
    with serve_chat([(503, {"error": {"message": "busy"}})]) as server:
        settings.MODEL_ENDPOINTS = {"local": ModelEndpoint(server.url)}
        model_actions.ask_test("default", spec, by=ADA)
        ended = run_test()
    assert (ended.status, ended.message) == ("failed", "Model endpoint local is not responding (HTTP 503).")
    assert len(server.requests) == 1


def test_a_model_that_is_not_set_up_fails_its_test(sent: list[Any]) -> None:
    model_actions.ask_test("default", add_model(), by=ADA)
    assert "is not set up" in str(run_test().message)


def test_of_two_tests_only_the_newer_is_kept(sent: list[Any]) -> None:
    spec = add_model()
    model_actions.ask_test("default", spec, by=ADA)
    old = sent[0]["asked_at"]
    model_actions.begin_test("default", "local", old)
    model_actions.end_test("default", "local", old, "failed")
    model_actions.ask_test("default", spec, by=ADA)
    model_actions.end_test("default", "local", old, "worked")
    test = model_queries.get_test("default", "local")
    assert test is not None
    assert test.status == "asked"

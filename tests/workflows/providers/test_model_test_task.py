"""A model is tried by a worker: a real request by the path of a run, whose result or error is kept."""

from dataclasses import replace
from typing import Any

import pytest

from config.brokers import queues
from config.environment import ModelEndpoint
from projects.models import actions as model_actions
from projects.models import queries as model_queries
from projects.models.items import ModelTest
from projects.models.spec import BUILT_IN_OCR
from tests.outside import answering
from tests.projects.models.catalogue import ADA, add_model
from tests.workflows.providers.language_models.chat_server import completion, serve_chat
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


def test_an_ocr_model_reads_our_page(sent: list[Any]) -> None:
    spec = replace(BUILT_IN_OCR["pp-ocrv5"], id="own", name="Own", dpi=200, pages="5-")
    model_actions.create_model("default", spec, by=ADA)
    model_actions.ask_test("default", spec, by=ADA)
    ended = run_test("own")
    assert (ended.status, ended.answer) == ("worked", "Cafe Luna\nTwo coffees 7.00 EUR\nTotal 7.00 EUR")
    assert (int(ended.words), int(ended.micros)) == (9, 0)
    assert ended.confidence > 0.9
    assert ended.ms > 0


def test_textract_reads_our_page_without_a_job(sent: list[Any]) -> None:
    model_actions.ask_test("default", BUILT_IN_OCR["textract"], by=ADA)
    where = {"BoundingBox": {"Left": 0.1, "Top": 0.1, "Width": 0.1, "Height": 0.1}}
    word = {"BlockType": "WORD", "Id": "w", "Text": "Cafe", "Confidence": 98.0, "Page": 1, "Geometry": where}
    whole = {"BlockType": "LINE", "Id": "l", "Text": "Cafe", "Confidence": 98.0, "Page": 1, "Geometry": where,
             "Relationships": [{"Type": "CHILD", "Ids": ["w"]}]}  # fmt: skip
    answer = {"DocumentMetadata": {"Pages": 1}, "Blocks": [word, whole]}
    with answering("textract", AnalyzeDocument=lambda _: answer):
        ended = run_test("textract")
    assert (ended.status, int(ended.words), int(ended.micros)) == ("worked", 1, 70_000)
    assert float(ended.confidence) == 0.98


def test_what_keeps_an_ocr_model_from_reading_is_said(sent: list[Any], settings: Any) -> None:
    settings.OCR_ENDPOINT_URL = ""
    blank = replace(BUILT_IN_OCR["pp-ocrv5"], id="own", name="Own", least_score=1.0)
    model_actions.create_model("default", blank, by=ADA)
    for spec, words in ((BUILT_IN_OCR["endpoint"], "COUNTERSIGN_OCR_ENDPOINT_URL"), (blank, "no words")):
        model_actions.ask_test("default", spec, by=ADA)
        ended = run_test(spec.id)
        assert ended.status == "failed"
        assert words in str(ended.message)
    model_actions.ask_test("default", BUILT_IN_OCR["textract"], by=ADA)
    with answering("textract", AnalyzeDocument="AccessDeniedException"):
        assert "The workers may not use Amazon Textract" in str(run_test("textract").message)


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

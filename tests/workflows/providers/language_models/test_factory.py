"""Chats of the catalogue's models: the embedded one really answers, and only so many ask one model at a time."""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from config.environment import ModelEndpoint
from config.errors import ProviderPaused, StageFailed
from config.laptop import embedded_model
from projects.models.builtin import EMBEDDED_MODEL
from projects.models.spec import OPENAI, ModelSpec
from projects.prompts.book import make_shipped_book
from projects.prompts.prompt import RenderedPrompt
from tests.embedded import needs_model, run_foreign_server, run_model_process
from tests.projects.models.catalogue import SPEC
from tests.workflows.providers.language_models.chat_server import completion, serve_chat
from workflows.providers.language_models import factory
from workflows.providers.language_models.language_model import ChatRequest, LanguageModel, ModelCall
from workflows.stages.services import PageInquiry

TEXT = "CAFE LUNA\nTotal 12.50 EUR"
ASKED = PageInquiry("What is the total?", TEXT, None, "en", "", index=0, number=1)


@pytest.fixture(scope="module")
def model_socket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = embedded_model.socket_of(tmp_path_factory.mktemp("m"))
    with run_model_process(path) as process:
        yield path
        process.kill()


def inquire(model: LanguageModel) -> None:
    """SmolLM's answer may be anything that matches the schema."""
    found = model.inquire(ASKED)
    assert found.content
    (used,) = found.usage
    assert used.calls == 1
    assert used.tokens_in > 50
    assert used.tokens_out > 3


@pytest.mark.wide
@needs_model
@pytest.mark.usefixtures("table")
def test_the_embedded_model_answers_by_schema(model_socket: Path, settings: Any) -> None:
    settings.STATE_DIR = model_socket.parent
    kept: list[ModelCall] = []
    inquire(factory.make_model(EMBEDDED_MODEL, make_shipped_book(), record=kept.extend))
    assert [(one.spec.id, one.problem, set(one.answer)) for one in kept] == [("embedded", "", {"answer", "quote"})]


@pytest.mark.wide
@needs_model
@pytest.mark.usefixtures("table")
def test_a_server_that_is_not_ours_answers_by_the_same_path(settings: Any) -> None:
    """One variable points to it."""
    spec = replace(EMBEDDED_MODEL, id="local", provider=OPENAI, endpoint="local", context=2048)
    with run_foreign_server() as url:
        settings.MODEL_ENDPOINTS = {"local": ModelEndpoint(url, "a-key")}
        inquire(factory.make_model(spec, make_shipped_book()))
        settings.MODEL_ENDPOINTS = {"local": ModelEndpoint(url, "no-key")}
        with pytest.raises(StageFailed, match="does not accept its key"):
            inquire(factory.make_model(spec, make_shipped_book()))


def test_without_its_packages_the_embedded_model_is_said_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded_model, "is_installed", lambda: False)
    with pytest.raises(StageFailed, match="make demo-model"):
        factory.make_chat(EMBEDDED_MODEL)


def asked(url: str, settings: Any, spec: ModelSpec) -> Any:
    settings.MODEL_ENDPOINTS = {"local": ModelEndpoint(url)}
    return factory.make_chat(spec).ask(ChatRequest(RenderedPrompt("Say yes.", "Now."), 10))


@pytest.mark.wide
@pytest.mark.usefixtures("table")
def test_work_is_claimed_anew_between_two_tries(settings: Any) -> None:
    beats: list[int] = []
    with serve_chat([(503, "busy"), completion("yes")]) as server:
        settings.MODEL_ENDPOINTS = {"local": ModelEndpoint(server.url)}
        chat = factory.make_chat(SPEC, lambda: beats.append(len(server.requests)))
        chat.ask(ChatRequest(RenderedPrompt("Say yes.", "Now."), 10))
    assert beats == [0, 1]


@pytest.mark.usefixtures("table")
def test_only_so_many_requests_are_under_way_at_a_time(settings: Any) -> None:
    with serve_chat([completion("yes")] * 6, seconds=0.1) as server:
        threads = [threading.Thread(target=asked, args=(server.url, settings, SPEC)) for _ in range(6)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    assert (len(server.requests), server.most_at_a_time) == (6, SPEC.at_a_time)


@pytest.mark.wide
@pytest.mark.usefixtures("table")
def test_who_waits_too_long_for_a_turn_comes_back_later(settings: Any) -> None:
    spec = replace(SPEC, at_a_time=1, seconds=1, model="busy")
    with serve_chat([completion("yes")], seconds=2) as server:
        first = threading.Thread(target=asked, args=(server.url, settings, replace(spec, seconds=9)))
        first.start()
        while not server.requests:
            time.sleep(0.01)
        with pytest.raises(ProviderPaused, match="Local model is busy with 1 requests"):
            asked(server.url, settings, spec)
        first.join()

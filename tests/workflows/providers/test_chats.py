"""Chats of the catalogue's models: the embedded one really answers, and only so many ask one model at a time."""

import threading
import time
from dataclasses import replace
from typing import Any

import pytest

from config.environment import ModelEndpoint
from config.errors import ProviderPaused, StageFailed
from config.laptop import embedded_model
from projects.models.builtin import EMBEDDED_MODEL
from projects.models.spec import ModelSpec
from projects.prompts.prompt import RenderedPrompt
from tests.projects.models.catalogue import SPEC
from tests.workflows.providers.chat_server import completion, serve_chat
from workflows.providers import chats
from workflows.providers.language_model import ChatRequest
from workflows.stages.services import PageInquiry

TEXT = "CAFE LUNA\nTotal 12.50 EUR"
ASKED = PageInquiry("What is the total?", TEXT, None, "en", "", index=0, number=1)


def test_without_its_packages_the_embedded_model_is_said_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded_model, "is_installed", lambda: False)
    with pytest.raises(StageFailed, match="make demo-model"):
        chats.make_chat(EMBEDDED_MODEL)


def asked(url: str, settings: Any, spec: ModelSpec) -> Any:
    settings.MODEL_ENDPOINTS = {"local": ModelEndpoint(url)}
    return chats.make_chat(spec).ask(ChatRequest(RenderedPrompt("Say yes.", "Now."), 10))


@pytest.mark.usefixtures("table")
def test_only_so_many_requests_are_under_way_at_a_time(settings: Any) -> None:
    with serve_chat([completion("yes")] * 6, seconds=0.1) as server:
        threads = [threading.Thread(target=asked, args=(server.url, settings, SPEC)) for _ in range(6)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    assert (len(server.requests), server.most_at_a_time) == (6, SPEC.at_a_time)


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

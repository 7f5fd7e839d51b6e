"""OpenAI's chat completions: how a request is put for what a model can do, and what its errors mean for a person."""

import json
import logging
from dataclasses import replace
from typing import Any

import pytest

from config import logs
from config.errors import ProviderPaused, StageFailed
from projects.prompts.book import PinnedPrompt, PromptBook, make_shipped_book
from projects.prompts.prompt import Prompt
from tests.projects.models.catalogue import SPEC
from tests.workflows.providers.language_models.chat_server import completion, serve_chat, tool_call
from tests.workflows.providers.language_models.test_bedrock import GOOD, IMAGE, QUESTION, fields
from tests.workflows.providers.services import OpenGate
from workflows.providers.calls import Caller
from workflows.providers.language_models import openai_chat
from workflows.providers.language_models.language_model import LanguageModel, ModelCall
from workflows.stages.document_types.types import TypeSpec
from workflows.stages.field_spec import FieldSpec
from workflows.stages.services import SummaryQuestion, TypeQuestion
from workflows.stages.usage import Usage

ENTRIES = json.dumps({"description": "A receipt.", "fields": fields(GOOD)})
ABLE: dict[str, dict[str, bool]] = {
    "schema": {"json_schema": True},
    "tool": {"json_schema": False, "tools": True},
    "words": {"json_schema": False},
}


def model(url: str, *, gate: OpenGate | None = None, key: str = "secret-key", **able: Any) -> LanguageModel:
    spec = replace(SPEC, **able)
    call = Caller(openai_chat.make_provider(spec), gate or OpenGate(), 2, sleep=lambda _: None)
    chat = openai_chat.OpenAIChat(openai_chat.make_client(url, key, 2), spec, call)
    return LanguageModel(chat, make_shipped_book())


@pytest.mark.parametrize("how", ABLE)
def test_a_page_is_asked_for_by_what_the_model_can_do(how: str) -> None:
    answer = completion(None, calls=[tool_call(ENTRIES)]) if how == "tool" else completion(f"Here: {ENTRIES}")
    with serve_chat([answer]) as server, logs.on_request("01REQUEST"):
        found = model(server.url, **ABLE[how]).read_page(QUESTION)
    (request,) = server.requests
    assert {one.name: one.value for one in found.answer.fields}["total"] == "9.00"
    assert (found.usage[0].service, found.usage[0].tokens_in, found.usage[0].tokens_out) == ("openai-local", 100, 20)
    assert (request["model"], request["max_tokens"], request["temperature"]) == ("some-model", 2000, 0.0)
    assert server.headers[0]["authorization"] == "Bearer secret-key"
    assert server.headers[0]["x-request-id"] == "01REQUEST"
    if how == "schema":
        values = request["response_format"]["json_schema"]["schema"]["properties"]["fields"]["properties"]["total"]
        assert values["properties"]["confidence"]["enum"][18:] == [0.9, 0.95, 1.0]
    system, user = request["messages"]
    assert user["content"].startswith("<page_text>\nTotal due 9.00\n</page_text>")
    assert ("response_format" in request, "tools" in request) == (how == "schema", how == "tool")
    assert ('"required":["description","fields"]' in system["content"]) == (how == "words")


@pytest.mark.parametrize("how", ABLE)
def test_labels_descriptions_and_examples_reach_models_that_are_never_shown_their_schema(how: str) -> None:
    spec = FieldSpec("net", "Net amount", "amount", False, 0.8, description="Without tax.", examples="7.56")
    answers = [completion(json.dumps({"description": "x", "fields": {}}))] * 2
    with serve_chat(answers) as server:
        asked = model(server.url, **ABLE[how])
        asked.read_page(replace(QUESTION, specs=(spec,)))
        own = PinnedPrompt(Prompt("extract", "Read.", "{{page_text}}"), 2)
        replace(asked, prompts=PromptBook({"extract": own})).read_page(replace(QUESTION, specs=(spec,)))
    shipped, without = (one["messages"][0]["content"] for one in server.requests)
    line = "- net: Net amount (amount). Without tax. For example: 7.56."
    assert line in shipped
    assert (without.startswith(f"Read.\n\nThe fields:\n{line}")) == (how == "schema")


@pytest.mark.parametrize("text", ["Which type?", "Which type?\n{{types}}"])
def test_types_are_told_by_name_and_fields(text: str) -> None:
    types = (TypeSpec("inv", "Invoice", 1, (FieldSpec("due", "Amount due", "amount", True, 0.8),)),)
    answer = completion(json.dumps({"types": [{"type": "inv", "confidence": 1.0}]}))
    own = PromptBook({"classify": PinnedPrompt(Prompt("classify", text, "{{document_text}}"), 2)})
    with serve_chat([answer] * 2) as server:
        asked = model(server.url, **ABLE["schema"])
        for prompts in (own, make_shipped_book()):
            replace(asked, prompts=prompts).classify(TypeQuestion("x", None, types))
    assert all(
        one["messages"][0]["content"].count("- inv: “Invoice”, which has Amount due") == 1 for one in server.requests
    )


def test_a_picture_is_sent_to_models_that_see_and_recorded_as_sent_to_no_other() -> None:
    kept: list[ModelCall] = []
    with serve_chat([completion(ENTRIES)] * 3) as server:
        for question, sees in ((QUESTION, True), (QUESTION, False), (replace(QUESTION, image=b"0" * 15_000_001), True)):
            replace(model(server.url, images=sees), record=kept.extend).read_page(question)
    (picture, text), *others = (one["messages"][1]["content"] for one in server.requests)
    assert picture["image_url"]["url"].startswith("data:image/png;base64,")
    assert (len(IMAGE) > 0, text["type"]) == (True, "text")
    assert [type(one) for one in others] == [str, str]
    assert [one.with_image for one in kept] == [True, False, False]


def unsupported(kind: str, name: str) -> tuple[int, Any]:
    """As OpenAI writes it; relays often leave out all but the message."""
    return 400, {"error": {"message": f"Unsupported {kind}: '{name}' is not supported with this model."}}


def test_what_a_model_does_not_take_is_left_out_from_then_on() -> None:
    kept: list[ModelCall] = []
    refusals = [unsupported("parameter", "max_tokens"), unsupported("value", "temperature")]
    with serve_chat([*refusals, completion(ENTRIES), completion(ENTRIES)]) as server:
        for _ in range(2):
            replace(model(server.url, model="newer"), record=kept.extend).read_page(QUESTION)
    names = ("max_tokens", "max_completion_tokens", "temperature")
    assert [[name for name in names if name in one] for one in server.requests] == [
        ["max_tokens", "temperature"],
        ["max_completion_tokens", "temperature"],
        ["max_completion_tokens"],
        ["max_completion_tokens"],
    ]
    assert server.requests[3]["max_completion_tokens"] == 2000
    assert [(one.problem, one.sent_temperature) for one in kept] == [("", False)] * 2
    with serve_chat([completion(ENTRIES)]) as server:  # another endpoint's model of the same name
        replace(model(server.url, model="newer"), record=kept.extend).read_page(QUESTION)
    assert "temperature" in server.requests[0]
    assert kept[2].sent_temperature


@pytest.mark.parametrize("name", ["seed", "max_completion_tokens"])
def test_what_cannot_be_left_out_is_refused(name: str) -> None:
    answers = [unsupported("parameter", "max_tokens"), unsupported("parameter", name)]
    with serve_chat(answers) as server, pytest.raises(StageFailed, match="rejected the request: HTTP 400"):
        model(server.url, model="odd").read_page(QUESTION)
    assert len(server.requests) == 2


@pytest.mark.parametrize("how", ABLE)
def test_a_bad_answer_is_asked_for_once_more_with_the_reason(how: str) -> None:
    bad = json.dumps({"description": "x", "fields": fields({**GOOD, "date": ("last week", 0.9)})})
    said = [completion(None, calls=[tool_call(one)]) if how == "tool" else completion(one) for one in (bad, ENTRIES)]
    with serve_chat(said) as server:
        model(server.url, **ABLE[how]).read_page(QUESTION)
    first, second = server.requests[1]["messages"][2:]
    assert first["role"] == "assistant"
    assert second["role"] == ("tool" if how == "tool" else "user")
    assert "date: 'last week' is no date" in second["content"]


def test_a_summary_is_the_text_of_the_answer() -> None:
    with serve_chat([completion(" A receipt. ")]) as server:
        text, used = model(server.url).summarize(SummaryQuestion("Page 1", "en"))
    assert (text, used.tokens_out) == ("A receipt.", 20)
    assert "response_format" not in server.requests[0]


REFUSED: list[tuple[int, Any, str]] = [
    (401, {"error": {"message": "bad key"}}, "does not accept its key. Check COUNTERSIGN_MODEL_KEY_LOCAL"),
    (404, {"error": {"message": "no model"}}, "has no model some-model"),
    (429, {"error": {"code": "insufficient_quota", "message": "pay"}}, "no credit left"),
    (422, {"error": {"message": "Total due 9.00"}}, "rejected the request: HTTP 422"),
    (302, "", "rejected the request: HTTP 302"),
    (200, "<html>", "cannot be parsed"),
    (200, {"choices": []}, "not a chat completion"),
    (200, "x" * (5 * 1024 * 1024), "too large"),
    (*completion(ENTRIES, reason="content_filter"), "content filter"),  # type: ignore[list-item]
    (*completion('{"fields": {', reason="length"), "cut off"),  # type: ignore[list-item]
]


@pytest.mark.parametrize(("status", "body", "sentence"), REFUSED, ids=[one[2] for one in REFUSED])
def test_what_the_endpoint_refuses_fails_with_a_sentence_and_is_not_tried_again(
    status: int, body: Any, sentence: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with serve_chat([(status, body)]) as server, pytest.raises(StageFailed, match=sentence) as raised:
        model(server.url).read_page(QUESTION)
    assert len(server.requests) == 1
    assert "Total due" not in str(raised.value)
    assert "secret-key" not in str(raised.value)


def test_what_a_cut_off_answer_used_is_noted_and_no_part_of_it_is_taken() -> None:
    used: list[Usage] = []
    cut = '{"description": "A receipt", "fields": {"total": {"value": "9.00"}}, "entities": ["Caf'
    with serve_chat([completion(cut, reason="length")]) as server, pytest.raises(StageFailed, match="cut off"):
        replace(model(server.url), note=used.append).read_page(QUESTION)
    assert [(one.tokens_in, one.tokens_out) for one in used] == [(100, 20)]
    assert len(server.requests) == 1


def stream(text: str, *, reason: str = "stop", pieces: int = 5) -> tuple[int, str]:
    """An answer as server-sent events, in so many pieces and one for its tokens."""
    size = -(-len(text) // pieces)
    said = [text[start : start + size] for start in range(0, len(text), size)]
    events: list[dict[str, Any]] = [{"choices": [{"delta": {"role": "assistant", "content": None}}]}]
    events += [{"choices": [{"delta": {"content": one}, "finish_reason": None}]} for one in said]
    events += [{"choices": [{"delta": {}, "finish_reason": reason}]}]
    events += [{"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 20}}]
    return 200, "".join(f"data: {json.dumps(one)}\n\n" for one in events) + "data: [DONE]\n\n"


def test_a_very_small_model_is_told_where_to_end_and_heard_while_it_writes() -> None:
    beats: list[None] = []
    with serve_chat([stream(ENTRIES)]) as server:
        asked = model(server.url, provider="embedded", json_schema=True)
        chat = replace(asked.chat, heartbeat=lambda: beats.append(None))  # type: ignore[type-var]
        found = replace(asked, chat=chat).read_page(QUESTION)
    assert {one.name: one.value for one in found.answer.fields}["total"] == "9.00"
    assert (found.usage[0].tokens_in, found.usage[0].tokens_out) == (100, 20)
    assert len(beats) > 5
    (request,) = server.requests
    assert request["stream_options"] == {"include_usage": True}
    shown = request["response_format"]["json_schema"]["schema"]["properties"]
    assert list(shown) == ["description", "fields"]
    assert shown["description"]["maxLength"] == 160


def test_a_stream_that_is_cut_off_is_no_answer() -> None:
    with serve_chat([stream(ENTRIES[:90], reason="length")]) as server, pytest.raises(StageFailed, match="cut off"):
        model(server.url, provider="embedded", json_schema=True).read_page(QUESTION)


@pytest.mark.wide
def test_an_answer_that_stalls_is_waited_for_later() -> None:
    """Its head has come, so the client's own errors are not those of the library."""
    with serve_chat([completion(ENTRIES)] * 2, stalls=1.3) as server:
        asked = model(server.url)
        chat = replace(asked.chat, client=openai_chat.make_client(server.url, "", 1))  # type: ignore[type-var]
        with pytest.raises(ProviderPaused, match="ReadTimeout"):
            replace(asked, chat=chat).read_page(QUESTION)


@pytest.mark.parametrize(
    "word", [{"code": 400, "type": "exceed_context_size_error"}, {"code": "context_length_exceeded"}]
)
def test_a_text_that_is_too_long_is_cut_until_it_fits(word: dict[str, Any]) -> None:
    kept: list[ModelCall] = []
    long = replace(QUESTION, text="Total due 9.00 EUR, paid in cash. " * 900)
    with serve_chat([(400, {"error": {**word, "message": "long"}}), completion(ENTRIES)]) as server:
        replace(model(server.url), record=kept.extend).read_page(long)
    first, second = (len(one["messages"][1]["content"]) for one in server.requests)
    assert second < 0.6 * first < first < len(long.text)
    assert [one.left_out > 0 for one in kept] == [True, True]
    assert "\n[…]\n" in kept[1].prompt.message
    assert kept[1].prompt.message.endswith("</page_text>\nRecord what this page says.")


def test_a_text_that_never_fits_is_said() -> None:
    answers = [(400, {"error": {"code": "context_length_exceeded", "message": "long"}})] * 3
    with serve_chat(answers) as server, pytest.raises(StageFailed, match="longer than Local model can read"):
        model(server.url).read_page(QUESTION)


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_what_may_pass_is_tried_again_and_then_waited_for(status: int) -> None:
    gate = OpenGate()
    with (
        serve_chat([(status, {"error": {"message": "busy"}})] * 2) as server,
        pytest.raises(ProviderPaused, match=rf"Model endpoint local is not responding \(HTTP {status}\)") as raised,
    ):
        model(server.url, gate=gate).read_page(QUESTION)
    assert raised.value.provider == "openai-local"
    assert gate.told == ["admit", f"failed HTTP {status}"]


def test_an_endpoint_that_is_not_there_is_waited_for() -> None:
    with pytest.raises(ProviderPaused, match="APIConnectionError"):
        model("http://127.0.0.1:9/v1").read_page(QUESTION)

"""A document's type by Bedrock: the tool's schema, answers that cannot be taken, and two models."""

from typing import Any

import pytest

from config.errors import StageFailed
from tests.each import each
from tests.workflows.providers.language_models.test_bedrock import CHEAP, IMAGE, STRONG, counts, model, sent
from tests.workflows.providers.services import stubbed
from tests.workflows.stages.papers import default_types
from workflows.providers.language_models import typing_tool
from workflows.providers.language_models.answers import Problems
from workflows.stages.services import TypeQuestion, TypeReply

TYPES = default_types().types
QUESTION = TypeQuestion("Total due 9.00", IMAGE, TYPES, prompt="Papers of a café.")


def answer(*shares: tuple[str, float], tokens: tuple[int, int] = (100, 20)) -> dict[str, Any]:
    given = {"types": [{"type": name, "confidence": share} for name, share in shares]}
    block = {"toolUse": {"toolUseId": "t1", "name": typing_tool.TOOL, "input": given}}
    return {
        "output": {"message": {"role": "assistant", "content": [block]}},
        "stopReason": "tool_use",
        "usage": {"inputTokens": tokens[0], "outputTokens": tokens[1], "totalTokens": sum(tokens)},
        "metrics": {"latencyMs": 1},
    }


def ask(*replies: dict[str, Any], strong: str = "") -> tuple[TypeReply, list[dict[str, Any]]]:
    with stubbed("bedrock-runtime") as (client, stubber):
        requests = sent(client)
        for one in replies:
            stubber.add_response("converse", one)
        return model(client, strong).classify(QUESTION), requests


def shares(found: TypeReply) -> dict[str, float]:
    return {one.id: one.confidence for one in found.candidates} | {"": found.none}


def test_a_model_chooses_among_the_sites_types_by_a_tool() -> None:
    found, (request,) = ask(answer(("invoice", 0.9), ("receipt", 0.05)))
    assert shares(found) == {"invoice": 0.9, "receipt": 0.05, "contract": 0.0, "": pytest.approx(0.05)}
    schema = request["toolConfig"]["tools"][0]["toolSpec"]["inputSchema"]["json"]
    assert schema["properties"]["types"]["items"]["properties"]["type"]["enum"] == [
        "invoice", "receipt", "contract", typing_tool.NONE,
    ]  # fmt: skip
    image, text = request["messages"][0]["content"]
    assert image == {"image": {"format": "png", "source": {"bytes": IMAGE}}}
    assert "<document_text>\nTotal due 9.00\n</document_text>" in text["text"]
    assert "Papers of a café." in request["system"][0]["text"]
    assert counts(found.usage) == [(CHEAP, 1, 100, 20)]


def test_a_stronger_model_takes_over_below_the_configured_confidence_and_both_are_metered() -> None:
    found, requests = ask(answer(("invoice", 0.5)), answer(("receipt", 0.9), tokens=(200, 30)), strong=STRONG)
    assert [one["modelId"] for one in requests] == [CHEAP, STRONG]
    assert (found.model, shares(found)["receipt"]) == (STRONG, 0.9)
    assert counts(found.usage) == [(CHEAP, 1, 100, 20), (STRONG, 1, 200, 30)]


def test_a_sure_answer_asks_nobody_else() -> None:
    found, requests = ask(answer((typing_tool.NONE, 0.95)), strong=STRONG)
    assert (len(requests), found.none, found.model) == (1, pytest.approx(1.0), CHEAP)


def test_a_type_that_was_not_named_is_asked_about_once_more_and_then_the_run_says_so() -> None:
    found, requests = ask(answer(("poem", 0.9)), answer(("invoice", 0.9)))
    assert shares(found)["invoice"] == 0.9
    told = requests[1]["messages"][-1]["content"][0]["toolResult"]["content"][0]["text"]
    assert "'poem' is none of the types that were named." in told
    with pytest.raises(StageFailed, match="cannot be used"):
        ask(answer(("poem", 0.9)), answer(("poem", 0.9)))


@each("given", [None, {}, {"types": []}, {"types": ["x"]}, {"types": [{"type": "invoice", "confidence": True}]}])
def test_what_cannot_be_taken_is_told(given: Any) -> None:
    assert isinstance(typing_tool.check_type_answer(given, TYPES), Problems)


def test_shares_that_come_to_more_than_all_are_brought_down_together() -> None:
    given = {"types": [{"type": "invoice", "confidence": 1.0}, {"type": "receipt", "confidence": 1.0}]}
    rated = typing_tool.check_type_answer(given, TYPES)
    assert not isinstance(rated, Problems)
    assert {one.id: one.confidence for one in rated} == {"invoice": 0.5, "receipt": 0.5, "contract": 0.0, "": 0.0}

"""Models on Amazon Bedrock, by the Converse API."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from config import logs
from config.phrase import Sentence
from projects.models.spec import ModelSpec
from workflows.providers.calls import Caller, Provider
from workflows.providers.language_models.language_model import (
    ChatAnswer,
    ChatRequest,
    describe_correction,
    measure_call,
)
from workflows.providers.language_models.worded_schema import describe_schema, find_json

BEDROCK = Provider(
    "bedrock",
    "Amazon Bedrock",
    {
        "ResourceNotFoundException": (
            Sentence(
                "Model not available in this Bedrock region. Check its model ID in the catalogue (built-in "
                "models: COUNTERSIGN_BEDROCK_MODEL and COUNTERSIGN_BEDROCK_STRONG_MODEL), then re-run the "
                "document."
            )
        ),
        "ValidationException": (
            Sentence(
                "This model rejected the page. Check in the catalogue whether it takes images and tools, or "
                "select another."
            )
        ),
    },
)
_FILTERED = Sentence("Bedrock's content filter blocked this page. Review it manually.")


@dataclass(frozen=True)
class Converse:
    """A Chat with a model on Bedrock."""

    client: Any
    spec: ModelSpec
    call: Caller
    largest_image: int = 3_750_000  # bytes (AWS: "Converse", images)

    def ask(self, request: ChatRequest) -> ChatAnswer:
        """Send a request.

        Raises:
            StageFailed: Bedrock refuses the request.
            ProviderPaused: it does not answer.

        """
        began = time.monotonic()
        wanted = converse_request(self.spec, request)
        if request_id := logs.request_id():
            wanted["requestMetadata"] = {"request": request_id}  # shown in its invocation log
        answer = self.call(lambda: self.client.converse(**wanted))
        counted = answer["usage"]
        used = measure_call(
            self.spec, tokens_in=int(counted["inputTokens"]), tokens_out=int(counted["outputTokens"]), began=began
        )
        turn: Mapping[str, Any] = answer["output"]["message"]
        text = "".join(str(one["text"]) for one in turn.get("content") or () if "text" in one)
        calls = tool_uses(turn)
        given = calls[0].get("input") if calls else find_json(text) if request.tool and not self.spec.tools else None
        stopped = answer.get("stopReason") in {"guardrail_intervened", "content_filtered"}
        return ChatAnswer(text, given, turn, used, _FILTERED if stopped else "")


def converse_request(spec: ModelSpec, request: ChatRequest) -> dict[str, Any]:
    """Return the parameters of Converse. Source: AWS, "Converse"."""
    content: list[dict[str, Any]] = [{"text": request.prompt.message}]
    if request.image:
        content.insert(0, {"image": {"format": "png", "source": {"bytes": request.image}}})
    turns: list[dict[str, Any]] = [{"role": "user", "content": content}]
    for answer, problem in request.refused:
        turns += [answer.turn, _correction(tool_uses(answer.turn), problem)]
    tool = request.tool
    worded = describe_schema(tool) if tool and not spec.tools else ""
    made: dict[str, Any] = {
        "modelId": spec.model,
        "system": [{"text": request.prompt.instructions + worded}],
        "messages": turns,
        "inferenceConfig": {"maxTokens": request.most, "temperature": spec.temperature},
    }
    if tool and spec.tools:
        made["toolConfig"] = {"tools": [{"toolSpec": tool}], "toolChoice": {"tool": {"name": tool["name"]}}}
    return made


def tool_uses(turn: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [one["toolUse"] for one in turn.get("content") or () if "toolUse" in one]


def _correction(calls: Sequence[Mapping[str, Any]], problem: str) -> dict[str, Any]:
    """Return the next turn, in which every tool use has to be answered by its result."""
    words = [{"text": describe_correction(problem)}]
    results: list[dict[str, Any]] = [
        {"toolResult": {"toolUseId": one["toolUseId"], "status": "error", "content": words}} for one in calls
    ]
    return {"role": "user", "content": results or words}

"""Models on Amazon Bedrock, by Converse."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workflows.providers.calls import Caller, Provider
from workflows.providers.language_model import ChatAnswer, ChatRequest, describe_correction
from workflows.stages.usage import Usage

BEDROCK = Provider(
    "bedrock",
    "Amazon Bedrock",
    {
        "ResourceNotFoundException": (
            "Model not available in this Bedrock region. Check COUNTERSIGN_BEDROCK_MODEL and "
            "COUNTERSIGN_BEDROCK_STRONG_MODEL, then re-run the document."
        ),
        "ValidationException": (
            "This model rejected the page. It must support images and tools; select another model."
        ),
    },
)
_FILTERED = "Bedrock's content filter blocked this page. Review it manually."


@dataclass(frozen=True)
class Converse:
    """A Chat with the models of Bedrock."""

    client: Any
    call: Caller
    service: str = BEDROCK.name
    largest_image: int = 3_750_000  # bytes (AWS: "Converse", images)

    def ask(self, model: str, request: ChatRequest) -> ChatAnswer:
        """
        Raises:
            StageFailed: Bedrock refuses the request.
            ProviderPaused: it does not answer.

        """
        began = time.monotonic()
        answer = self.call(lambda: self.client.converse(**converse_request(model, request)))
        counted = answer["usage"]
        used = Usage(
            BEDROCK.name,
            model,
            calls=1,
            tokens_in=int(counted["inputTokens"]),
            tokens_out=int(counted["outputTokens"]),
            ms=round((time.monotonic() - began) * 1000),
        )
        turn: Mapping[str, Any] = answer["output"]["message"]
        text = "".join(str(one["text"]) for one in turn.get("content") or () if "text" in one)
        calls = tool_uses(turn)
        stopped = answer.get("stopReason") in {"guardrail_intervened", "content_filtered"}
        return ChatAnswer(text, calls[0].get("input") if calls else None, turn, used, _FILTERED if stopped else "")


def converse_request(model: str, request: ChatRequest) -> dict[str, Any]:
    """What Converse takes. Source: AWS, "Converse"."""
    content: list[dict[str, Any]] = [{"text": request.prompt.message}]
    if request.image:
        content.insert(0, {"image": {"format": "png", "source": {"bytes": request.image}}})
    turns: list[dict[str, Any]] = [{"role": "user", "content": content}]
    for answer, problem in request.refused:
        turns += [answer.turn, _correction(tool_uses(answer.turn), problem)]
    made: dict[str, Any] = {
        "modelId": model,
        "system": [{"text": request.prompt.instructions}],
        "messages": turns,
        "inferenceConfig": {"maxTokens": request.most, "temperature": 0.0},
    }
    if request.tool:
        choice = {"tool": {"name": request.tool["name"]}}
        made["toolConfig"] = {"tools": [{"toolSpec": request.tool}], "toolChoice": choice}
    return made


def tool_uses(turn: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [one["toolUse"] for one in turn.get("content") or () if "toolUse" in one]


def _correction(calls: Sequence[Mapping[str, Any]], problem: str) -> dict[str, Any]:
    """The next turn: every use of a tool has to be answered by its result."""
    words = [{"text": describe_correction(problem)}]
    results: list[dict[str, Any]] = [
        {"toolResult": {"toolUseId": one["toolUseId"], "status": "error", "content": words}} for one in calls
    ]
    return {"role": "user", "content": results or words}

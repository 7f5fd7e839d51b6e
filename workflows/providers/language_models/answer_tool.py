"""The tool schema for answers to questions about a page, and their validation."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workflows.providers.language_models.answers import Problems

TOOL = "record_answer"
LONGEST, LONGEST_QUOTE = 4_000, 600  # characters
SCHEMA: dict[str, Any] = {
    "name": TOOL,
    "description": "Record the answer to the question about this page. Call it exactly once.",
    "inputSchema": {
        "json": {
            "type": "object",
            "properties": {
                "answer": {"type": "string", "description": "The answer, or that the page does not say it."},
                "quote": {
                    "type": "string",
                    "description": "The words of the page that say it, letter by letter; empty where there are none.",
                },
            },
            "required": ["answer", "quote"],
        }
    },
}


@dataclass(frozen=True)
class RecordedAnswer:
    answer: str
    quote: str


def check_recorded_answer(given: Any) -> RecordedAnswer | Problems:
    answer, quote = (given.get(name) for name in ("answer", "quote")) if isinstance(given, Mapping) else (None, None)
    if not isinstance(answer, str) or not answer.strip():
        return Problems(("answer has to be a text.",))
    if len(answer) > LONGEST:
        return Problems((f"answer is longer than {LONGEST} characters.",))
    return RecordedAnswer(answer.strip(), quote.strip()[:LONGEST_QUOTE] if isinstance(quote, str) else "")

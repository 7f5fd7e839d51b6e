"""The prompts that one run uses: one for each purpose, as they were when it started."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from projects.prompts.prompt import Prompt, load_shipped_prompts

PRODUCTION, CANDIDATE = "production", "candidate"


@dataclass(frozen=True)
class PinnedPrompt:
    """``label``: production or candidate, as it was when the run started."""

    prompt: Prompt
    version: int = 1
    label: str = PRODUCTION


@dataclass(frozen=True)
class PromptBook:
    prompts: Mapping[str, PinnedPrompt]

    def __getitem__(self, purpose: str) -> PinnedPrompt:
        """A purpose that a newer version added has the prompt that we ship."""
        return self.prompts.get(purpose) or PinnedPrompt(load_shipped_prompts()[purpose])

    def to_json(self) -> dict[str, Any]:
        return {
            purpose: {
                "version": one.version,
                "label": one.label,
                "instructions": one.prompt.instructions,
                "message": one.prompt.message,
            }
            for purpose, one in self.prompts.items()
        }


def make_shipped_book() -> PromptBook:
    return PromptBook({purpose: PinnedPrompt(prompt) for purpose, prompt in load_shipped_prompts().items()})


def book_from(stored: Mapping[str, Any]) -> PromptBook:
    """The inverse of ``to_json``."""
    return PromptBook(
        {
            purpose: PinnedPrompt(
                Prompt(purpose, one["instructions"], one["message"]), int(one["version"]), str(one["label"])
            )
            for purpose, one in stored.items()
        }
    )

"""The prompts pinned by a run: one for each purpose."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from projects.prompts.prompt import GENERAL, Prompt, load_shipped_prompts, make_slug, read_slug

PRODUCTION, CANDIDATE = "production", "candidate"


@dataclass(frozen=True)
class PinnedPrompt:
    """``label``: production or candidate, as it was when the run started. ``scope``: as of a ``PromptRef``."""

    prompt: Prompt
    version: int = 1
    label: str = PRODUCTION
    scope: str = GENERAL


@dataclass(frozen=True)
class PromptBook:
    """``prompts``: by purpose; those for one classification by their slugs."""

    prompts: Mapping[str, PinnedPrompt]

    def __getitem__(self, purpose: str) -> PinnedPrompt:
        """Return the prompt; purposes unknown when the run started use the shipped prompt."""
        return self.prompts.get(purpose) or PinnedPrompt(load_shipped_prompts()[purpose])

    def find(self, purpose: str, type_id: str) -> PinnedPrompt:
        """Return the prompt for this document type, or the general one."""
        return self.prompts.get(make_slug(purpose, type_id)) or self[purpose]

    def list_all(self, purpose: str) -> list[PinnedPrompt]:
        own = (one for slug, one in self.prompts.items() if slug != purpose and read_slug(slug)[0] == purpose)
        return [self[purpose], *own]

    def to_json(self) -> dict[str, Any]:
        return {
            slug: {
                "version": one.version,
                "label": one.label,
                "instructions": one.prompt.instructions,
                "message": one.prompt.message,
            }
            for slug, one in self.prompts.items()
        }


def make_shipped_book() -> PromptBook:
    return PromptBook({purpose: PinnedPrompt(prompt) for purpose, prompt in load_shipped_prompts().items()})


def book_from(stored: Mapping[str, Any]) -> PromptBook:
    """The inverse of ``to_json``."""
    return PromptBook(
        {
            slug: PinnedPrompt(
                Prompt(read_slug(slug)[0], one["instructions"], one["message"]),
                int(one["version"]),
                str(one["label"]),
                read_slug(slug)[1] or GENERAL,
            )
            for slug, one in stored.items()
        }
    )

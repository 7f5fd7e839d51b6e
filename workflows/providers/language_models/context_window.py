"""Truncation of prompts to a model's context window: only text of the document is omitted."""

import re

from projects.prompts.prompt import RenderedPrompt

_TEXT = re.compile(r"<(page_text|document_text)>\n(.*?)\n</\1>", re.DOTALL)
_LEFT_OUT = "\n[…]\n"
_MARK = 6  # tokens of the mark and of rounding
_HEAD = 0.7  # share kept before the gap: pages say most at the top, and have sums at the bottom


def estimate_tokens(text: str) -> int:
    """Estimate conservatively: models count digits and non-ASCII characters one by one, words by pieces.

    >>> estimate_tokens("Invoice 2024"), estimate_tokens("請求書")
    (7, 3)
    """
    plain = sum(letter.isascii() and not letter.isdigit() for letter in text)
    return len(text) - plain + -(-plain // 3)


def fit_prompt(prompt: RenderedPrompt, tokens: int) -> tuple[RenderedPrompt, int]:
    """Truncate the prompt to so many tokens if possible; also return the number of characters omitted."""
    over = estimate_tokens(prompt.instructions) + estimate_tokens(prompt.message) - tokens
    found = max(_TEXT.finditer(prompt.message), key=lambda one: len(one[2]), default=None)
    if over <= 0 or found is None:
        return prompt, 0
    text = found[2]
    kept = _cut_middle(text, max(0, estimate_tokens(text) - over - _MARK))
    message = prompt.message[: found.start(2)] + kept + prompt.message[found.end(2) :]
    return RenderedPrompt(prompt.instructions, message), len(text) - len(kept) + len(_LEFT_OUT)


def _cut_middle(text: str, tokens: int) -> str:
    head, tail = int(tokens * _HEAD), tokens - int(tokens * _HEAD)
    return text[: _reach(text, head)] + _LEFT_OUT + text[len(text) - _reach(text[::-1], tail) :]


def _reach(text: str, tokens: int) -> int:
    """Return how many leading characters make so many tokens."""
    thirds = 0
    for index, letter in enumerate(text):
        thirds += 1 if letter.isascii() and not letter.isdigit() else 3
        if thirds > 3 * tokens:
            return index
    return len(text)

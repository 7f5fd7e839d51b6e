"""Summaries by a model, if the run's settings choose one: overlapping batches of pages, then merged."""

from collections.abc import Sequence

from workflows.stages.services import SummaryQuestion, Writer
from workflows.stages.usage import Usage

SIZE, OVERLAP = 150, 30  # pages of a batch, and overlap with the next (seed 000)
_MOST = 300  # characters of a page in a batch
# Placed inside the tags with the summaries: in the instructions it would look like a person's request.
_MERGED = "Summaries of the document's parts, which overlap:"


def summarize(
    writer: Writer, pages: Sequence[str], *, language: str, prompt: str = "", instruction: str = "", type_id: str = ""
) -> tuple[str, tuple[Usage, ...]]:
    """``pages``: the description of each, in order. Raises: StageFailed, ProviderPaused."""
    parts, used = [], []
    for index, (start, batch) in enumerate(batches(pages)):
        text = "\n".join(f"Page {start + number + 1}: {page[:_MOST]}" for number, page in enumerate(batch))
        written, spent = writer.summarize(SummaryQuestion(text, language, prompt, instruction, index, type_id))
        parts.append(written)
        used.append(spent)
    if len(parts) == 1:
        return parts[0], tuple(used)
    text = "\n\n".join([_MERGED, *(f"Part {number + 1}: {part}" for number, part in enumerate(parts))])
    merged, spent = writer.summarize(SummaryQuestion(text, language, prompt, instruction, len(parts), type_id))
    return merged, (*used, spent)


def batches(pages: Sequence[str]) -> list[tuple[int, Sequence[str]]]:
    """Return each batch with the index of its first page.

    >>> [(start, len(batch)) for start, batch in batches(["x"] * 300)], len(batches(["x"] * 150))
    ([(0, 150), (120, 150), (240, 60)], 1)
    """
    last = max(len(pages) - OVERLAP, 1)
    return [(start, pages[start : start + SIZE]) for start in range(0, last, SIZE - OVERLAP)]

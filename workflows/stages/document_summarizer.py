"""Stage document_summarizer, locally: an extractive summary of fields and key sentences, marked as such.

No sentence is generated: sentences are quoted, preselected by page, and chosen over all pages.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from config.errors import NotFound
from config.phrase import Sentence
from workflows.stages import artifacts, published, slices
from workflows.stages.base import SliceResult, Slicing, StageContext, StageResult, Tally
from workflows.stages.models import model_summary
from workflows.stages.pages import paged
from workflows.stages.services import UnusableAnswer, Writer
from workflows.stages.text import sentences
from workflows.storage import files

METHOD = "extractive"
MODEL = Sentence("Sentences of the text, chosen without a model")
_UNWRITTEN = Sentence("The model gave no usable summary; sentences of the text were chosen")
_DESCRIPTION = 160  # characters of a page's description
_A_PAGE, _WORDS_A_PAGE = 2, 40  # candidate sentences and words of a page
_MOST, _LETTERS = 5, 900  # sentences and characters of the whole summary
_KNOWN_WORDS = 2_000  # words that are counted over all pages


def run(context: StageContext) -> StageResult:
    return slices.run_all(SLICING, context)


def _plan(context: StageContext) -> Sequence[int]:
    return range(int(paged.PREPARED.open_pages(context.artifacts).head["segment_count"]))


def _work(context: StageContext, indices: Sequence[int]) -> SliceResult:
    described: list[dict[str, Any]] = []

    def describe(index: int) -> None:
        try:
            segment = artifacts.read_json(context.artifacts, files.segment(index))
        except NotFound:
            segment = {}
        described.append(summarize_segment(index, segment))

    return SliceResult(slices.do_each_page(context, indices, describe), output=described)


def summarize_segment(index: int, segment: Mapping[str, Any]) -> dict[str, Any]:
    """Return a page's ``description`` and its candidates for the whole summary."""
    text = str(segment.get("text_content") or "")
    counts = sentences.words(text)
    found = list(enumerate(sentences.sentences(text)))
    chosen = sentences.best(found, counts, most=_A_PAGE, letters=_LETTERS)
    described = str(segment.get("page_description") or "")
    title = described or str(segment.get("page_title") or "") or (chosen[0][1] if chosen else _first_line(text))
    return {
        "page": index,
        "description": title[: len(described) or _DESCRIPTION],
        "sentences": [sentence for _, sentence in chosen],
        "words": dict(counts.most_common(_WORDS_A_PAGE)),
    }


def _first_line(text: str) -> str:
    return next((line.strip("#| ").strip() for line in text.splitlines() if line.strip("#|- ")), "")


def _finish(context: StageContext, done: Tally) -> StageResult:
    pages: list[dict[str, Any]] = []
    counts: Counter[str] = Counter()
    put_forward: list[tuple[int, str]] = []
    for one in (one for output in done.outputs for one in output):
        pages.append({"page": one["page"], "description": one["description"]})
        counts.update(one["words"])
        put_forward += [(one["page"], sentence) for sentence in one["sentences"]]
        if len(counts) > 2 * _KNOWN_WORDS:
            counts = Counter(dict(counts.most_common(_KNOWN_WORDS)))
            put_forward = sentences.best(put_forward, counts, most=20 * _MOST, letters=20 * _LETTERS)
    pages.sort(key=lambda page: int(page["page"]))
    left_out, unwritten = slices.describe_left_out(done.failed), None
    if context.services.writer:
        try:
            return replace(_by_model(context, context.services.writer, pages), reason=left_out)
        except UnusableAnswer as error:
            unwritten = error
    chosen = sentences.best(put_forward, counts, most=_MOST, letters=_LETTERS)
    told = published.sentence(published.values(context))
    summary = {
        "language": context.settings.language,
        "document_summary": "\n".join([*([told] if told else []), *(sentence for _, sentence in chosen)]),
        "total_pages": len(pages),
        "pages": pages,
        "method": METHOD,
        "model": MODEL,
    }
    artifacts.write_json(context.artifacts, files.SUMMARY, summary)
    facts = {"model": MODEL, "sentences": len(chosen)}
    reasons = " ".join(filter(None, [left_out, _UNWRITTEN if unwritten else None]))
    return StageResult("completed", reasons or None, facts, used=unwritten.usage if unwritten else ())


def _by_model(context: StageContext, writer: Writer, pages: Sequence[Mapping[str, Any]]) -> StageResult:
    described = [str(page["description"]) for page in pages]
    settings = context.settings
    text, used = model_summary.summarize(
        writer,
        described,
        language=settings.language,
        prompt=settings.document_prompt,
        instruction=settings.instruction,
        type_id=published.values(context).type_id,
    )
    summary = {
        "language": context.settings.language,
        "document_summary": text,
        "total_pages": len(pages),
        "pages": list(pages),
        "method": "model",
        "model": used[0].model,
    }
    artifacts.write_json(context.artifacts, files.SUMMARY, summary)
    return StageResult("completed", facts={"model": used[0].model}, used=used)


SLICING = Slicing(paged.LIGHT, _plan, _work, _finish)

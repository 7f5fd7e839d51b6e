"""Words of a document's pages for the desk: to click, drag over and search."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from config.errors import NotFound
from review.identity import ReviewRef
from review.items.reviews import Review
from workflows.runs import queries as workflow_queries
from workflows.runs import run_files
from workflows.stages.pages import paged
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

MOST_WORDS = 4000  # of a page
MOST_PAGES = 200  # read by one search; their words are in one object
_MOST_HITS = 60  # highlighted on a page
_MOST_TERMS = 12

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Found:
    """A search result. ``pages``: 1-based page → number of hits; ``boxes``: on the shown page."""

    text: str
    pages: tuple[tuple[int, int], ...] = ()
    boxes: tuple[Box, ...] = ()
    searched: int = 0  # pages searched; fewer than all if the document is long

    @property
    def count(self) -> int:
        return sum(count for _, count in self.pages)


def open_files(ref: ReviewRef, review: Review) -> tuple[DocumentFiles, str]:
    """Return the run's files and the file's type (empty for external reviews). Raises: NotFound."""
    store = DocumentFiles(ref.site, review.project_id, ref.document_id)
    if ref.is_handed_over:
        return store, ""
    row = workflow_queries.document_workflow(ref.site, ref.document_id, review.workflow_id)
    return run_files.open_run_files(store, row.layers), str(row.data.as_dict().get("file_type") or "")


def load_segment(ref: ReviewRef, review: Review, index: int) -> tuple[dict[str, Any], str]:
    """``index``: 0-based. Return the segment and its file type; both empty if nothing was read."""
    try:
        store, file_type = open_files(ref, review)
        found: dict[str, Any] = json.loads(store.read(files.segment(index)))
    except NotFound:
        return {}, ""
    return found, file_type


def list_words(ref: ReviewRef, review: Review, index: int) -> list[tuple[str, Box]]:
    """Return the words in reading order, with boxes as page fractions."""
    words = load_segment(ref, review, index)[0].get("words") or ()
    return [(str(one["text"]), _box(one)) for one in words[:MOST_WORDS]]


def find_text(ref: ReviewRef, review: Review, text: str, *, shown: int, count: int) -> Found:
    """``shown``: the page in view, 0-based; ``count``: pages of the document.

    In a long document only the pages around the shown one are searched.
    """
    terms = text.casefold().split()[:_MOST_TERMS]
    first = max(0, min(shown - MOST_PAGES // 2, count - MOST_PAGES))
    span = range(first, min(count, first + MOST_PAGES))
    if not terms:
        return Found("")
    pages: list[tuple[int, int]] = []
    boxes: tuple[Box, ...] = ()
    try:
        store, _ = open_files(ref, review)
    except NotFound:
        return Found(text)
    for index, entry in _entries(store, span):
        hits = _find(terms, entry)
        if hits:
            pages.append((index + 1, len(hits)))
        if index == shown:
            boxes = tuple(box for hit in hits for box in hit)
    return Found(text, tuple(pages), boxes[:_MOST_HITS], len(span))


def _entries(store: DocumentFiles, span: range) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Return what was read of each page: OCR if it ran, since it runs only without a trusted text layer."""
    read = paged.OCR.open_pages(store).by_index(span)
    layer = paged.TEXT_LAYER.open_pages(store)
    texts = layer.by_index(span) if "pages" in layer.head else {}
    if not texts and not read:
        for artifact in (paged.CHUNKS, paged.TRANSCRIPT, paged.CRAWL):
            if texts := artifact.open_pages(store).by_index(span):
                break
    for index in span:
        if entry := read.get(index) or texts.get(index):
            yield index, entry


def _find(terms: Sequence[str], entry: Mapping[str, Any]) -> list[list[Box]]:
    """Find consecutive matches of the terms, with their words' boxes (none for text)."""
    words = entry.get("words")
    if not words:
        text = " ".join(str(entry.get("text") or "").casefold().split())
        return [[] for _ in range(text.count(" ".join(terms)))]
    plain = [str(one["text"]).casefold() for one in words]
    return [
        [_box(one) for one in words[start : start + len(terms)]]
        for start in range(len(words) - len(terms) + 1)
        if all(term in plain[start + number] for number, term in enumerate(terms))
    ]


def _box(word: Mapping[str, Any]) -> Box:
    x0, y0, x1, y1 = word["box"]
    return (x0, y0, x1, y1)

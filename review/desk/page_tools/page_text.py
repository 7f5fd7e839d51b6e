"""Text parts of a document (mail, sheet, web page, transcript) with the words of fields highlighted."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from review.desk.field_form import FieldForm
from review.desk.page_tools import page_words
from review.identity import ReviewRef
from review.items.reviews import Review
from workflows.runs.views.reading import Passage, passages
from workflows.stages import file_kinds
from workflows.stages.formats.mails import HEADS

_MAILS = (".eml", ".msg")
_HEAD = re.compile(rf"({'|'.join(HEADS)}): (.+)")
# The first line of a mail's text, also if its attachments were removed and it is a file of its own.
_LETTER = re.compile(rf"From: .+\n(?:(?:{'|'.join(HEADS)}): .+\n)*?Subject: .*(?:\n|$)")
_ATTACHED = "Attached: "
_LEAST = 2  # letters of a highlighted text; single digits are everywhere
_MOST = 20  # highlights per field


@dataclass(frozen=True)
class Piece:
    """``field``: the field whose words these are, or empty. ``found``: a search hit."""

    text: str
    field: str = ""
    found: bool = False


Row = tuple[tuple[Piece, ...], ...]  # its cells; one of all but tables


@dataclass(frozen=True)
class MarkedPassage:
    kind: str  # as of a Passage
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Utterance:
    pieces: tuple[Piece, ...]
    start: float  # seconds
    end: float

    @property
    def clock(self) -> str:
        return f"{int(self.start) // 60}:{int(self.start) % 60:02d}"


@dataclass(frozen=True)
class Part:
    """``heads``: a mail's headers. ``media``: audio or video of a recording; ``source``: its URL."""

    passages: tuple[MarkedPassage, ...] = ()
    heads: tuple[tuple[str, tuple[Piece, ...]], ...] = ()
    attached: tuple[str, ...] = ()
    spoken: tuple[Utterance, ...] = ()
    media: str = ""
    source: str = ""


def load_part(ref: ReviewRef, review: Review, sheet: FieldForm, find: str) -> Part:
    """Load the shown part; empty for images, which the browser loads itself. ``find``: the search text."""
    if sheet.shown is None or sheet.shown.image:
        return Part()
    segment, file_type = page_words.load_segment(ref, review, sheet.shown.index)
    wanted = _list_patterns(sheet, find)
    media = "video" if file_kinds.is_video(file_type) else "audio" if file_kinds.has_sound(file_type) else ""
    source = reverse("review:play-recording", args=[ref.document_id, ref.review_id]) if media else ""
    spoken = tuple(_utterances(segment.get("transcribe_segments") or (), wanted)) if media else ()
    text = "" if spoken else str(segment.get("text_content") or "")
    heads: dict[str, str] = {}
    attached = ""
    if review.name.lower().endswith(_MAILS) or _LETTER.match(text):
        heads, text, attached = _split_mail(text, first=sheet.shown.index == 0)
    return Part(
        tuple(_mark_passage(one, wanted) for one in passages(text)),
        tuple((name, mark(words, wanted)) for name, words in heads.items()),
        tuple(filter(None, attached.split(", "))),
        spoken,
        media,
        source,
    )


def _split_mail(text: str, *, first: bool) -> tuple[dict[str, str], str, str]:
    """Return headers, body and attachment names."""
    lines = text.split("\n")
    heads: dict[str, str] = {}
    while first and lines and (head := _HEAD.fullmatch(lines[0].strip())) and head[1] not in heads:
        heads[head[1]] = head[2]
        lines.pop(0)
    attached = lines.pop().removeprefix(_ATTACHED) if lines and lines[-1].startswith(_ATTACHED) else ""
    return heads, "\n".join(lines), attached


Wanted = Sequence[tuple[re.Pattern[str], str]]


def _list_patterns(sheet: FieldForm, find: str) -> Wanted:
    """Return patterns to highlight with their fields; the search comes first, without a field."""
    wanted = [(find, "")]
    for line in sheet.lines:
        if sheet.shown and line.page in (None, sheet.shown.index):
            wanted += [(line.raw or line.shown, line.spec.name)]
    return [(_pattern(text, whole=bool(name)), name) for text, name in wanted if len(text.strip()) >= _LEAST]


def _pattern(text: str, *, whole: bool) -> re.Pattern[str]:
    """Match the words with any spacing; ``whole``: whole words only."""
    words = r"\s+".join(map(re.escape, text.split()))
    return re.compile(rf"(?<!\w){words}(?!\w)" if whole else words, re.IGNORECASE)


def mark(text: str, wanted: Wanted) -> tuple[Piece, ...]:
    """Split the text into pieces; where matches overlap, the first pattern wins.

    >>> [piece.text for piece in mark("Total 9.00 EUR", [(re.compile("9.00"), "total")])]
    ['Total ', '9.00', ' EUR']
    """
    spans: list[tuple[int, int, str]] = []
    for pattern, name in wanted:
        for number, hit in enumerate(pattern.finditer(text)):
            if number < _MOST and not any(hit.start() < end and start < hit.end() for start, end, _ in spans):
                spans.append((hit.start(), hit.end(), name))
    pieces, at = [], 0
    for start, end, name in sorted(spans):
        pieces += [Piece(text[at:start])] if start > at else []
        pieces.append(Piece(text[start:end], name, found=not name))
        at = end
    return (*pieces, Piece(text[at:])) if at < len(text) else tuple(pieces)


def _mark_passage(passage: Passage, wanted: Wanted) -> MarkedPassage:
    if passage.kind == "lines":
        return MarkedPassage("lines", ((mark(passage.text, wanted),),) if passage.text.strip() else ())
    return MarkedPassage(passage.kind, tuple(tuple(mark(cell, wanted) for cell in row) for row in passage.rows))


def _utterances(spoken: Iterable[Mapping[str, Any]], wanted: Wanted) -> Iterator[Utterance]:
    for one in spoken:
        start = float(one.get("start_time") or 0)
        yield Utterance(
            mark(str(one.get("transcript") or ""), wanted), start, max(start, float(one.get("end_time") or start))
        )

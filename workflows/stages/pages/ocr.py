"""The local OCR engine: RapidOCR with its bundled model, one engine a process."""

import ctypes
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from math import hypot
from statistics import median
from typing import Any

import numpy as np
from PIL import Image

from config import logs
from workflows.stages.pages import accents as marks
from workflows.stages.pages.layout import Box, Line, Word
from workflows.stages.pages.ocr_confidence import BelievingDecoder

MODEL = "PP-OCRv6 small (rapidocr)"
# A second thread saves a third on an idle machine, but spins while it waits: two processes of two threads on two cores
# took 24 s for a page that two of one thread read in 5. Increase it where a worker has the machine to itself.
THREADS = 1  # a worker has one of the machine's cores
# Languages whose script is not in the model's 18,708 characters: it would return look-alikes.
WITHOUT_ACCENTS = {"en", "ms", "id"}
UNREADABLE = {
    "ar": "Arabic", "fa": "Persian", "ur": "Urdu", "he": "Hebrew", "ru": "Russian", "uk": "Ukrainian",
    "bg": "Bulgarian", "sr": "Serbian", "be": "Belarusian", "mk": "Macedonian", "ko": "Korean", "korean": "Korean",
    "th": "Thai", "hi": "Hindi", "mr": "Marathi", "ne": "Nepali", "bn": "Bengali", "ta": "Tamil", "te": "Telugu",
    "ka": "Georgian", "hy": "Armenian", "arabic": "Arabic", "cyrillic": "Cyrillic", "devanagari": "Devanagari",
}  # fmt: skip
# Pixels: the engine shrinks longer sides to this length, and fails on sides shorter than this.
_LONGEST, _NARROWEST = 2000, 17
_DETECTED = 1280  # pixels of the longer side for line detection
LEAST_SCORE = 0.5
PARAMETERS = {
    "Global.use_cls": False,
    "Global.return_word_box": True,
    "Global.log_level": "error",
    "Det.limit_type": "max",
    "Det.limit_side_len": _DETECTED,
    "Rec.rec_batch_num": 1,
    "EngineConfig.onnxruntime.intra_op_num_threads": THREADS,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
}
_lock = threading.Lock()


@dataclass(frozen=True)
class OcrReading:
    """``boxes``: of every line in pixels, x0, y0, x1, y1. ``slope``: the skew, in pixels down per pixel right."""

    lines: tuple[Line, ...]
    boxes: tuple[tuple[int, int, int, int], ...]
    slope: float


def unreadable(language: str) -> str | None:
    """Return the language's name if this engine does not support its script."""
    return UNREADABLE.get(language.lower()) or UNREADABLE.get(language.lower().split("-")[0].split("_")[0])


@cache
def engine() -> Any:
    # Imported late: onnxruntime and OpenCV cost two seconds and 150 MB, and the web process never reads a page.
    from rapidocr import RapidOCR  # noqa: PLC0415

    logs.take_over("RapidOCR")
    reader: Any = RapidOCR(params=PARAMETERS)
    recognizer = reader._load_rec_model()
    recognizer.postprocess_op = BelievingDecoder(recognizer.postprocess_op)
    return reader


@cache
def _malloc_trim() -> Callable[[int], int] | None:
    """Return glibc's function that gives freed memory back to the system; other C libraries have none."""
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None


def read_page_image(
    image: Image.Image,
    page: int,
    *,
    turn_lines: bool = False,
    accents: bool = True,
    least_score: float = LEAST_SCORE,
    scale: float = 1.0,
) -> OcrReading:
    """Read a page. ``turn_lines`` also reads upside-down lines, which costs a tenth more.

    ``least_score``: 0–1, lines below it are omitted. ``scale``: the resolution relative to 150 dpi.

    A strip too narrow for the engine has no readable line. Without ``accents``, stray accents of uncertain words are
    removed, unless the page is in a language with accents.
    """
    detail = max(1.0, scale)
    if min(image.size) * _LONGEST * detail < _NARROWEST * max(image.size):
        return OcrReading((), (), 0.0)
    pixels = np.ascontiguousarray(np.asarray(image.convert("RGB"))[:, :, ::-1])
    # One caller at a time: the engine stores the options of a call on itself.
    with _lock:
        reader = engine()
        # A page rendered larger is processed larger, or its fine print would be lost again.
        reader.max_side_len = round(_LONGEST * detail)
        reader._load_det_model().limit_side_len = round(_DETECTED * detail)
        found = reader(pixels, use_cls=turn_lines, text_score=least_score)
    if trim := _malloc_trim():
        trim(0)  # 200 MB that the page has freed: the C library would keep them for the next one; takes 25 ms of 4 s
    quads = [] if found.boxes is None else [[(float(x), float(y)) for x, y in quad] for quad in found.boxes]
    parts = list(found.word_results or ())
    # The engine may drop words of a line without a gap; then the words cannot be assigned.
    matched = len(parts) == len(quads)
    lines = []
    for number, (text, score, quad) in enumerate(zip(found.txts or (), found.scores or (), quads, strict=True)):
        words = _words(text, float(score), quad, parts[number] if matched else (), image.size)
        lines.append(Line(page, words))
    if not accents and not marks.have_accents((word.text, word.score) for line in lines for word in line.words):
        lines = [Line(page, tuple(map(drop_unsure_marks, line.words))) for line in lines]
    return OcrReading(tuple(lines), tuple(_pixel_box(quad) for quad in quads), _slope(quads))


def drop_unsure_marks(word: Word) -> Word:
    return word if word.score >= marks.SURE else replace(word, text=marks.drop_stray(word.text))


def _words(text: str, score: float, quad: Any, parts: Any, size: tuple[int, int]) -> tuple[Word, ...]:
    named = [(word, float(belief), corners) for word, belief, corners in parts if word and word.strip()]
    joined = "".join(word for word, _, _ in named)
    if joined != text.replace(" ", ""):
        return _spread(text.split() or [text], _fraction(quad, size), score)
    if len(named) >= 6 and sum(len(word) == 1 for word, _, _ in named) > 0.7 * len(named):
        # Letter-spaced text comes with a space after every character: 1 4 / 0 1 / 2 0 1 8.
        return (Word(joined, _fraction(quad, size), score),)
    return tuple(Word(word, _fraction(corners, size), min(score, belief)) for word, belief, corners in named)


def _spread(parts: list[str], box: Box, score: float) -> tuple[Word, ...]:
    """Distribute words at even character widths along a line without word boxes."""
    x0, y0, x1, y1 = box
    unit = (x1 - x0) / max(1, sum(map(len, parts)) + len(parts) - 1)
    words, position = [], 0
    for part in parts:
        words.append(Word(part, (x0 + position * unit, y0, x0 + (position + len(part)) * unit, y1), score))
        position += len(part) + 1
    return tuple(words)


def _fraction(corners: Any, size: tuple[int, int]) -> Box:
    xs, ys = [float(x) / size[0] for x, _ in corners], [float(y) / size[1] for _, y in corners]
    return max(0.0, min(xs)), max(0.0, min(ys)), min(1.0, max(xs)), min(1.0, max(ys))


def _pixel_box(quad: list[tuple[float, float]]) -> tuple[int, int, int, int]:
    xs, ys = [x for x, _ in quad], [y for _, y in quad]
    return round(min(xs)), round(min(ys)), round(max(xs)), round(max(ys))


def _slope(quads: list[list[tuple[float, float]]]) -> float:
    """Use wide lines only: corners of short ones say nothing about the skew."""
    slopes = [
        (second[1] - first[1]) / (second[0] - first[0])
        for first, second, third, *_ in quads
        if hypot(second[0] - first[0], second[1] - first[1]) > 4 * abs(third[1] - second[1]) and second[0] > first[0]
    ]
    return median(slopes) if slopes else 0.0

"""Tesseract, if it is installed on the worker: faster than the local default and less accurate (0.83–0.86)."""

import csv
import os
import re
import shutil
import subprocess
from dataclasses import dataclass

from config.errors import StageFailed
from projects.models.spec import PAGE, OcrSpec
from workflows.stages.models.languages import base_language, language_code
from workflows.stages.pages.layout import Line, Word
from workflows.stages.pages.reading import PageReading
from workflows.stages.usage import LOCAL

MODEL = "Tesseract"
# Tesseract's names of our languages; others are read as English.
_TRADITIONAL = {"zh-tw", "zh-hk", "zh-hant"}
_CODES = {
    "en": "eng", "de": "deu", "fr": "fra", "it": "ita", "es": "spa", "pt": "por", "nl": "nld", "pl": "pol",
    "sv": "swe", "da": "dan", "no": "nor", "fi": "fin", "tr": "tur", "ru": "rus", "ar": "ara", "hi": "hin",
    "vi": "vie", "th": "tha", "id": "ind", "ms": "msa", "ko": "kor", "ja": "jpn", "zh": "chi_sim",
}  # fmt: skip
_LAYOUTS = {"auto": 3, "column": 4, "block": 6, "sparse": 11}
_LAYOUTS_WITH_ORIENTATION = {"auto": 1, "sparse": 12}  # the other layouts cannot detect orientation
_WORD = "5"  # the level of a word in Tesseract's table


@dataclass(frozen=True)
class Tesseract:
    """``languages``: our codes. ``layout``: Tesseract's page segmentation mode.

    ``program``: its name or path. It uses one thread, like the other engines: the worker itself uses the cores.
    """

    languages: tuple[str, ...] = ("en",)
    program: str = "tesseract"
    layout: int = 3
    dpi: int = 150
    seconds: float = 120.0
    service: str = LOCAL
    model: str = MODEL

    def read(self, image: bytes, index: int, size: tuple[int, int]) -> PageReading:
        """``image``: a PNG of ``size`` pixels. Raises: StageFailed."""
        found = shutil.which(self.program)
        if found is None:
            raise StageFailed(
                "Tesseract is not installed on the worker. Re-run the document with PP-OCR, or ask the operator to "
                "install tesseract-ocr.",
                code="NotInstalled",
            )
        known = list(dict.fromkeys(map(tesseract_language, self.languages)))
        command = [found, "stdin", "stdout", "-l", "+".join(known)]
        command += ["--psm", str(self.layout), "--dpi", str(self.dpi), "tsv"]
        environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
        try:
            done = subprocess.run(  # noqa: S603 - our own words only; the page comes by its standard input
                command, input=image, capture_output=True, timeout=self.seconds, check=False, env=environment
            )
        except subprocess.TimeoutExpired as error:
            raise StageFailed(f"Tesseract did not finish page {index + 1} in time.", code="Timeout") from error
        # It ignores missing languages if it has others, and would read their text as these.
        if missing := re.findall(rb"Failed loading language '?(\w+)", done.stderr):
            packages = " and ".join(f"tesseract-ocr-{one.decode().replace('_', '-')}" for one in missing)
            raise StageFailed(
                f"Tesseract has no data for this language on the worker. Ask the operator to install {packages}.",
                code="NoLanguage",
            )
        if done.returncode:
            raise StageFailed(f"Tesseract could not read page {index + 1}.", code=str(done.returncode))
        return read_tesseract_table(done.stdout.decode(errors="replace"), index, size)


def tesseract_layout(spec: OcrSpec) -> int:
    """Return the page segmentation mode, with orientation detection if enabled.

    >>> tesseract_layout(OcrSpec("a", "A", "tesseract", layout="block"))
    6
    """
    if spec.orientation == PAGE:
        return _LAYOUTS_WITH_ORIENTATION.get(spec.layout, 1)
    return _LAYOUTS.get(spec.layout, 3)


def tesseract_language(language: str) -> str:
    """Return the Tesseract language of one of our codes.

    >>> tesseract_language("de-AT"), tesseract_language("zh-TW")
    ('deu', 'chi_tra')
    """
    return "chi_tra" if language_code(language) in _TRADITIONAL else _CODES.get(base_language(language), "eng")


def read_tesseract_table(table: str, index: int, size: tuple[int, int]) -> PageReading:
    """Parse its TSV: a row a word, with the numbers of block, paragraph and line; confidence 0–100."""
    lines: dict[tuple[str, str, str], list[Word]] = {}
    for row in csv.DictReader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE):
        text = (row.get("text") or "").strip()
        if row["level"] == _WORD and text:
            lines.setdefault((row["block_num"], row["par_num"], row["line_num"]), []).append(_word(row, text, size))
    return PageReading(index, tuple(Line(index, tuple(words)) for words in lines.values()))


def _word(row: dict[str, str], text: str, size: tuple[int, int]) -> Word:
    left, top, width, height = (float(row[name]) for name in ("left", "top", "width", "height"))
    box = (left / size[0], top / size[1], min((left + width) / size[0], 1.0), min((top + height) / size[1], 1.0))
    return Word(text, box, min(max(float(row["conf"]) / 100, 0.0), 1.0))

"""Descriptions of OCR models' parameters."""

from collections.abc import Iterator

from config.phrase import Phrase, join_phrases
from projects.models.spec import AUTO, FEATURES, LAYOUTS, ORIENTATIONS, PAGES_DPI, TEXTRACT, OcrSpec
from projects.settings.values import LANGUAGES

_SHORT = {"QUERIES": Phrase("Queries")}


def describe_ocr(spec: OcrSpec) -> Iterator[str]:
    """Describe the parameters that differ from defaults.

    >>> list(describe_ocr(OcrSpec("a", "A", "tesseract", languages=("de", "fr"), dpi=300, least_score=0.6)))
    ['German and French', '300 dpi', 'Minimum confidence 60 %']
    """
    if spec.languages:
        yield _join_and([LANGUAGES.get(one, one) for one in spec.languages])
    if spec.orientation:
        yield ORIENTATIONS[spec.provider].get(spec.orientation, spec.orientation)
    if spec.layout != AUTO:
        yield LAYOUTS[spec.layout]
    if spec.dpi != PAGES_DPI:
        yield f"{spec.dpi} dpi"
    if spec.pages:
        yield Phrase("Pages %(pages)s").fill(pages=spec.pages)
    if spec.least_score:
        yield Phrase("Minimum confidence %(least_score)s %%").fill(least_score=f"{spec.least_score * 100:g}")
    if spec.provider == TEXTRACT:
        yield join_phrases(_SHORT.get(one, FEATURES[one]) for one in spec.features)


def _join_and(names: list[str]) -> str:
    *others, last = names
    return Phrase("%(first)s and %(last)s").fill(first=join_phrases(others), last=last) if others else last

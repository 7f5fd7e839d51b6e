"""How an OCR model reads, in words for people."""

from collections.abc import Iterator

from projects.models.spec import AUTO, FEATURES, LAYOUTS, ORIENTATIONS, PAGES_DPI, TEXTRACT, OcrSpec
from projects.settings.values import LANGUAGES


def describe_ocr(spec: OcrSpec) -> Iterator[str]:
    """What is not left to its engine, the project or the endpoint.

    >>> list(describe_ocr(OcrSpec("a", "A", "tesseract", languages=("de", "fr"), dpi=300, least_score=0.6)))
    ['German and French', '300 dpi', 'Minimum confidence 60 %']
    """
    if spec.languages:
        yield " and ".join(LANGUAGES.get(one, one) for one in spec.languages)
    if spec.orientation:
        yield ORIENTATIONS[spec.provider].get(spec.orientation, spec.orientation)
    if spec.layout != AUTO:
        yield LAYOUTS[spec.layout]
    if spec.dpi != PAGES_DPI:
        yield f"{spec.dpi} dpi"
    if spec.pages:
        yield f"Pages {spec.pages}"
    if spec.least_score:
        yield f"Minimum confidence {spec.least_score * 100:g} %"
    if spec.provider == TEXTRACT:
        yield ", ".join(FEATURES[one].partition(" (")[0] for one in spec.features)

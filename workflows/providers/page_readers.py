"""OCR of one page by the service or model in the settings: in a run, or once for a person who waits."""

import time
from dataclasses import dataclass

from django.conf import settings
from PIL import Image

from config import aws
from config.environment import ModelEndpoint
from config.errors import ProviderPaused, StageFailed
from config.phrase import Phrase
from projects.models.spec import PADDLEX, TESSERACT, TEXTRACT, OcrSpec
from workflows.providers import actions as provider_actions
from workflows.providers.calls import Caller, Provider
from workflows.providers.endpoint import ENDPOINT, Endpoint, ask_for
from workflows.providers.tesseract import Tesseract, tesseract_layout
from workflows.providers.textract import TEXTRACT as TEXTRACT_SERVICE
from workflows.providers.textract import Textract
from workflows.stages import paddleocr_processor
from workflows.stages.base import RunSettings
from workflows.stages.pages import ocr
from workflows.stages.pages.reading import PageReading
from workflows.stages.services import (
    PageReader,
)
from workflows.stages.usage import LOCAL, Usage


def make_page_reader(pinned: RunSettings, attempts: int = 0) -> PageReader | None:
    """Return None if the stage reads by itself, or a service reads the whole document.

    ``attempts``: of one call; 0: as in runs.
    """
    spec = pinned.ocr_spec
    if spec.provider == TESSERACT:
        return Tesseract(pinned.ocr_languages, layout=tesseract_layout(spec), dpi=spec.dpi)
    return _make_endpoint(spec, attempts or settings.PROVIDER_ATTEMPTS) if spec.provider == PADDLEX else None


def _make_endpoint(spec: OcrSpec, attempts: int) -> Endpoint:
    bound = find_endpoint(spec.endpoint)
    provider = (
        Provider(spec.service, Phrase("OCR endpoint %(endpoint)s").fill(endpoint=spec.endpoint))
        if spec.endpoint
        else ENDPOINT
    )
    return Endpoint(
        bound.url,
        bound.key,
        Caller(provider, provider_actions, attempts),
        seconds=float(settings.PROVIDER_TIMEOUT_SECONDS),
        insecure=settings.ON_LAPTOP,
        name=spec.endpoint,
        asked=ask_for(spec),
    )


def settings_to_read(spec: OcrSpec, language: str = "en") -> RunSettings:
    """Return settings that consist of the model only, for no project."""
    return RunSettings(language, "", spec.id, {}, (), 0.8, ocr=spec.to_json())


def find_endpoint(name: str) -> ModelEndpoint:
    """Return the endpoint; its address is empty if the deployer configured none."""
    if not name:
        return ModelEndpoint(settings.OCR_ENDPOINT_URL, settings.OCR_ENDPOINT_KEY)
    found: ModelEndpoint = settings.OCR_ENDPOINTS.get(name, ModelEndpoint(""))
    return found


@dataclass(frozen=True)
class ReadOnce:
    """The reading of a single page. ``problem``: why it failed, or empty."""

    reading: PageReading
    used: Usage
    problem: str = ""


def read_page_once(pinned: RunSettings, image: Image.Image, index: int, *, scale: float = 1.0) -> ReadOnce:
    """Read as a run with these settings would, without its stages and retries, as a person waits.

    ``scale``: as for ``read_locally``.
    """
    spec = pinned.ocr_spec
    began = time.monotonic()
    problem, pages = "", 1
    try:
        reading = _read(pinned, image, index, scale).without_unsure(spec.least_score)
    except (StageFailed, ProviderPaused) as error:
        reading, pages = PageReading(index), 0
        problem = error.reason if isinstance(error, ProviderPaused) else str(error)
    ms = round((time.monotonic() - began) * 1000)
    local = spec.service == LOCAL
    used = Usage(spec.service, spec.model, pages=pages, calls=0 if local else pages, ms=ms, micros=spec.price(pages))
    return ReadOnce(reading, used, problem)


def _read(pinned: RunSettings, image: Image.Image, index: int, scale: float) -> PageReading:
    """Raises: StageFailed, ProviderPaused."""
    spec = pinned.ocr_spec
    if spec.provider == TEXTRACT:
        caller = Caller(TEXTRACT_SERVICE, provider_actions, 1)
        textract = Textract(aws.provider_client("textract"), caller, features=spec.features)
        return textract.read(paddleocr_processor.encode_png(image), index)
    if reader := make_page_reader(pinned, attempts=1):
        return reader.read(paddleocr_processor.encode_png(image), index, image.size)
    found: ocr.OcrReading = paddleocr_processor.read_locally(pinned, image, index, scale=scale)
    return PageReading(index, found.lines)

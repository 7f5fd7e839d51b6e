"""The Celery task that tests a model of the catalogue, language or OCR."""

import io
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from statistics import fmean

from celery import shared_task
from PIL import Image, ImageDraw, ImageFont
from pynamodb.expressions.update import Action

from config.errors import Conflict, NotFound, ProviderPaused, StageFailed
from projects.models import actions as model_actions
from projects.models import queries as model_queries
from projects.models.items import FAILED, WORKED, ModelTest
from projects.models.queries import Spec
from projects.models.spec import PAGES_DPI, ModelSpec, OcrSpec
from projects.prompts.book import make_shipped_book
from workflows.providers.language_models import factory
from workflows.providers.page_readers import read_page_once, settings_to_read
from workflows.runs import prices
from workflows.stages.services import PageInquiry, PageInquiryReply
from workflows.stages.usage import Usage

_PAGE = "Cafe Luna\nTwo coffees 7.00 EUR\nTotal 7.00 EUR"
_QUESTION = "What is the total?"
_SHOWN = 300  # characters of the answer


@shared_task(name=model_actions.TEST_TASK, time_limit=300)
def test_model(*, site: str, model_id: str, asked_at: str) -> None:
    """Send it a sample page on the path that runs use, once. Idempotent: a redelivery finds it begun."""
    try:
        model_actions.begin_test(site, model_id, asked_at)
        results = list(_try(model_queries.get_entry(site, model_id).spec))
    except Conflict:
        return
    except ProviderPaused as paused:
        model_actions.end_test(site, model_id, asked_at, FAILED, ModelTest.message.set(paused.reason))
    except (StageFailed, NotFound) as error:
        model_actions.end_test(site, model_id, asked_at, FAILED, ModelTest.message.set(str(error)))
    else:
        model_actions.end_test(site, model_id, asked_at, WORKED, *results)


def _try(spec: Spec) -> Iterator[Action]:
    """Raises: StageFailed, ProviderPaused."""
    if isinstance(spec, OcrSpec):
        yield from _read(spec)
        return
    reply = _ask(replace(spec, retries=0))
    used = sum(reply.usage[1:], reply.usage[0])
    yield ModelTest.answer.set(reply.content[:_SHOWN])
    yield ModelTest.tokens_in.set(used.tokens_in)
    yield ModelTest.tokens_out.set(used.tokens_out)
    yield from _measure(used)


def _read(spec: OcrSpec) -> Iterator[Action]:
    """Read the sample page as an image, in the model's resolution, whatever its page range."""
    pinned = settings_to_read(spec)
    image = draw_page(spec.dpi)
    found = read_page_once(pinned, image, 0, scale=spec.dpi / PAGES_DPI)
    if found.problem:
        raise StageFailed(found.problem)
    words = [word for line in found.reading.lines for word in line.words]
    if not words:
        raise StageFailed("It found no words on the sample page. Check its engine and its minimum line confidence.")
    yield ModelTest.answer.set(found.reading.text[:_SHOWN])
    yield ModelTest.words.set(len(words))
    yield ModelTest.confidence.set(round(fmean(word.score for word in words), 4))
    yield from _measure(found.used)


def _measure(used: Usage) -> Iterator[Action]:
    yield ModelTest.ms.set(used.ms)
    micros = prices.cost(used)
    if micros is not None:
        yield ModelTest.micros.set(micros)


def _ask(spec: ModelSpec) -> PageInquiryReply:
    image = _draw_small_page() if spec.images else None
    return factory.make_model(spec, make_shipped_book()).inquire(PageInquiry(_QUESTION, _PAGE, image))


def _draw_small_page() -> bytes:
    """Return the sample page as an image, for multimodal models."""
    body = io.BytesIO()
    draw_page(PAGES_DPI).save(body, "PNG")
    return body.getvalue()


@cache
def draw_page(dpi: int) -> Image.Image:
    """Draw a strip of paper, 4 by 2 inches."""
    image = Image.new("L", (4 * dpi, 2 * dpi), 255)
    font = ImageFont.load_default(size=dpi * 0.22)
    ImageDraw.Draw(image).multiline_text((dpi * 0.3, dpi * 0.3), _PAGE, fill=0, font=font, spacing=dpi * 0.15)
    return image.convert("RGB")

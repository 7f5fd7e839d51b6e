"""The Celery task that tries a model of the catalogue; harmless when it comes twice."""

import io
from dataclasses import replace
from functools import cache

from celery import shared_task
from PIL import Image, ImageDraw

from config.errors import Conflict, NotFound, ProviderPaused, StageFailed
from projects.models import actions as model_actions
from projects.models import queries as model_queries
from projects.models.items import FAILED, WORKED, ModelTest
from projects.models.spec import ModelSpec
from projects.prompts.book import make_shipped_book
from workflows.providers import chats
from workflows.runs import prices
from workflows.stages.services import PageInquiry, PageInquiryReply

_PAGE = "Cafe Luna\nTwo coffees 7.00 EUR\nTotal 7.00 EUR"
_QUESTION = "What is the total?"
_SHOWN = 300  # characters of the answer


@shared_task(name=model_actions.TEST_TASK, time_limit=300)
def test_model(*, site: str, model_id: str, asked_at: str) -> None:
    """Ask it about a page of ours by the path that a run takes, once; delivered twice, the second finds it begun."""
    try:
        model_actions.begin_test(site, model_id, asked_at)
        reply = _ask(replace(model_queries.get_model(site, model_id), retries=0))
    except Conflict:
        return
    except ProviderPaused as paused:
        model_actions.end_test(site, model_id, asked_at, FAILED, ModelTest.message.set(paused.reason))
    except (StageFailed, NotFound) as error:
        model_actions.end_test(site, model_id, asked_at, FAILED, ModelTest.message.set(str(error)))
    else:
        _record(site, model_id, asked_at, reply)


def _ask(spec: ModelSpec) -> PageInquiryReply:
    image = _draw_page() if spec.images else None
    return chats.make_model(spec, make_shipped_book()).inquire(PageInquiry(_QUESTION, _PAGE, image))


def _record(site: str, model_id: str, asked_at: str, reply: PageInquiryReply) -> None:
    used = sum(reply.usage[1:], reply.usage[0])
    results = [
        ModelTest.answer.set(reply.content[:_SHOWN]),
        ModelTest.ms.set(used.ms),
        ModelTest.tokens_in.set(used.tokens_in),
        ModelTest.tokens_out.set(used.tokens_out),
    ]
    micros = prices.cost(used)
    if micros is not None:
        results.append(ModelTest.micros.set(micros))
    model_actions.end_test(site, model_id, asked_at, WORKED, *results)


@cache
def _draw_page() -> bytes:
    """The same page as a picture, for models that see."""
    image = Image.new("L", (400, 200), 255)
    ImageDraw.Draw(image).multiline_text((20, 20), _PAGE, fill=0, spacing=12)
    body = io.BytesIO()
    image.save(body, "PNG")
    return body.getvalue()

"""Celery tasks that read a region or a page again; idempotent."""

import dataclasses

from celery import shared_task
from django.conf import settings

from config.brokers import queues
from review.desk.page_tools import page_reading, region_reading
from review.desk.page_tools.page_reading import PageWish
from review.desk.page_tools.region_reading import Region
from review.identity import Person, ReviewRef


@shared_task(name="review.desk.tasks.read_region", time_limit=120)
def read_region(
    *, site: str, document_id: str, review_id: str, index: int, left: float, top: float, right: float, bottom: float
) -> None:
    region_reading.read_region(ReviewRef(site, document_id, review_id), Region(index, left, top, right, bottom))


def order_reading(ref: ReviewRef, region: Region) -> bool:
    """Enqueue the task; return False if the broker does not answer."""
    wish = dataclasses.asdict(ref) | dataclasses.asdict(region)
    return queues.enqueue_soon(read_region.name, settings.STEPS_QUEUE, wish)


@shared_task(name="review.desk.tasks.read_page", time_limit=300)
def read_page(
    *, site: str, document_id: str, review_id: str, index: int, model_id: str, user_id: str, user_name: str
) -> None:
    ref = ReviewRef(site, document_id, review_id)
    page_reading.read_page(ref, PageWish(index, model_id), by=Person(user_id, user_name))


def order_page_reading(ref: ReviewRef, wish: PageWish, *, by: Person) -> bool:
    """Enqueue the task; return False if the broker does not answer."""
    told = dataclasses.asdict(ref) | dataclasses.asdict(wish) | {"user_id": by.id, "user_name": by.name}
    return queues.enqueue_soon(read_page.name, settings.STEPS_QUEUE, told)

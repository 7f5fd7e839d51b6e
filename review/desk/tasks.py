"""The Celery task that reads a region of a page; harmless when it comes twice."""

import dataclasses

from celery import shared_task
from django.conf import settings

from config.brokers import queues
from review.desk.page_tools import region_reading
from review.desk.page_tools.region_reading import Region
from review.identity import ReviewRef


@shared_task(name="review.desk.tasks.read_region", time_limit=120)
def read_region(
    *, site: str, document_id: str, review_id: str, index: int, left: float, top: float, right: float, bottom: float
) -> None:
    region_reading.read_region(ReviewRef(site, document_id, review_id), Region(index, left, top, right, bottom))


def order_reading(ref: ReviewRef, region: Region) -> bool:
    """False if no queue answers."""
    wish = dataclasses.asdict(ref) | dataclasses.asdict(region)
    return queues.enqueue_soon(read_region.name, settings.STEPS_QUEUE, wish)

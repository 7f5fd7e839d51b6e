"""The review app: adds to /metrics what waits longer than it should."""

from django.apps import AppConfig
from prometheus_client import REGISTRY

from review.metrics import Overdue


class ReviewConfig(AppConfig):
    name = "review"

    def ready(self) -> None:
        REGISTRY.register(Overdue())

"""The review app: registers who does its due work, and adds to /metrics what waits longer than it should."""

from importlib import import_module

from django.apps import AppConfig
from prometheus_client import REGISTRY

from review.status import DECIDED
from workflows.operations.metrics import Overdue


class ReviewConfig(AppConfig):
    name = "review"

    def ready(self) -> None:
        import_module("review.cases.actions")  # hears of purges
        import_module("review.decide.due")
        import_module("review.quality.due")
        import_module("review.notifications.due")
        REGISTRY.register(Overdue(decided=DECIDED))

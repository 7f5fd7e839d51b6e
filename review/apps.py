"""The review app: registers handlers of due work and the metric of decisions not yet applied."""

from importlib import import_module

from django.apps import AppConfig
from prometheus_client import REGISTRY

from review.status import DECIDED


class ReviewConfig(AppConfig):
    name = "review"

    def ready(self) -> None:
        import_module("review.cases.actions")  # registers for purges
        import_module("review.decide.due")
        import_module("review.handovers.approvals")  # registers how executions reach their reviews
        import_module("review.quality.due")
        import_module("review.notifications.due")
        # These import models, so only once the apps are ready.
        from workflows.operations import metrics  # noqa: PLC0415

        metrics.desk.decided = DECIDED
        REGISTRY.register(metrics.desk)

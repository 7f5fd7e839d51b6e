"""The review app: registers who does its due work, and which decisions /metrics counts as not taken yet."""

from importlib import import_module

from django.apps import AppConfig
from prometheus_client import REGISTRY

from review.status import DECIDED


class ReviewConfig(AppConfig):
    name = "review"

    def ready(self) -> None:
        import_module("review.cases.actions")  # hears of purges
        import_module("review.decide.due")
        import_module("review.handovers.approvals")  # finds the reviews of executions
        import_module("review.quality.due")
        import_module("review.notifications.due")
        # What knows accounts can be imported once the apps are ready.
        from workflows.operations import metrics  # noqa: PLC0415

        metrics.desk.decided = DECIDED
        REGISTRY.register(metrics.desk)

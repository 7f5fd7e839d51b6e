"""The workflows app: registers who does the work of each of its packages that is due."""

from importlib import import_module

from django.apps import AppConfig

DUE = ("batches", "documents", "engine", "experiments", "insight", "intake", "publish", "questions", "runs")

ENDS = ("workflows.publish.actions.notices",)  # write in the transaction that ends a run


class WorkflowsConfig(AppConfig):
    name = "workflows"

    def ready(self) -> None:
        for package in DUE:
            import_module(f"workflows.{package}.due")
        for module in ENDS:
            import_module(module)

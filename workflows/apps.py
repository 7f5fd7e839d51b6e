"""The workflows app: registers who does what is due, and who hears of a run's end and rest and of purges."""

from importlib import import_module

from django.apps import AppConfig

DUE = (
    "batches", "documents", "engine", "executions", "experiments", "exports", "insight", "intake", "publish",
    "questions", "runs",
)  # fmt: skip

# The first writes in the transaction that ends a run, the second hears that a run rests.
HEAR_OF_RUNS = ("workflows.publish.actions", "workflows.batches.lines")
HEAR_OF_PURGES = ("workflows.links.actions",)


class WorkflowsConfig(AppConfig):
    name = "workflows"

    def ready(self) -> None:
        for package in DUE:
            import_module(f"workflows.{package}.due")
        for module in (*HEAR_OF_RUNS, *HEAR_OF_PURGES):
            import_module(module)

"""The workflows app: registers due work, who is notified of runs and purges, and numbers beside settings."""

from importlib import import_module

from django.apps import AppConfig

DUE = (
    "batches", "documents", "engine", "executions", "experiments", "exports", "insight", "intake", "publish",
    "questions", "runs",
)  # fmt: skip

# The first adds changes to the transaction that ends a run; the second is called when a run no longer needs a machine.
HEAR_OF_RUNS = ("workflows.publish.actions", "workflows.batches.lines")
HEAR_OF_PURGES = ("workflows.links.actions",)
SETTINGS_NUMBERS = "workflows.operations.settings_numbers"


class WorkflowsConfig(AppConfig):
    name = "workflows"

    def ready(self) -> None:
        for package in DUE:
            import_module(f"workflows.{package}.due")
        for module in (*HEAR_OF_RUNS, *HEAR_OF_PURGES, SETTINGS_NUMBERS):
            import_module(module)

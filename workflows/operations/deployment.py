"""Deployment to the configured endpoint: resources, state machines and definitions. Idempotent."""

from collections.abc import Callable

from config.deploy import bootstrap
from workflows.definitions import actions as definition_actions
from workflows.definitions import versions
from workflows.definitions.blueprint import SHIPPED
from workflows.engine import driver
from workflows.runs import engine_choice

Report = Callable[[str], None]


def deploy_desk(report: Report) -> None:
    """Create, change or verify everything, and report each; a second call changes nothing.

    Raises:
        Misconfigured, Unavailable: with what to do.
        CountersignError: a published version differs from its code.

    """
    bootstrap.deploy_stack(report)
    if engine_choice.choose_engine():
        report("unchanged  state machines: none, since messages drive the runs")
    else:
        driver.publish_machines(report)
    for definition in SHIPPED.values():
        new = definition_actions.publish_definition(definition)
        report(f"{'created' if new else 'unchanged':10} definition {definition.id}")
    for family in versions.list_composed():
        for number in range(1, int(family.version or 0) + 1):
            _deploy_composed(f"{family.documentId}.v{number}", report)


def _deploy_composed(definition_id: str, report: Report) -> None:
    """Deploy what a worker has not deployed yet, or what was composed in another account."""
    if not engine_choice.choose_engine():
        driver.publish_machine(versions.read_definition(definition_id), report)
    definition_actions.mark_deployed(definition_id)
    report(f"unchanged  definition {definition_id}")

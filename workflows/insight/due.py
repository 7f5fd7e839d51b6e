"""What is done with a run that is to be counted."""

from config.due.registry import due
from workflows.insight import actions
from workflows.runs.items import RunFigures


@due("figures", RunFigures)
def count_run(site: str, row: RunFigures) -> None:
    actions.count_run(site, row)

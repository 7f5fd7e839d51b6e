"""The handler of runs that are due to be counted."""

from config import metrics as measures
from config.due.registry import due
from workflows.insight import actions, metrics
from workflows.runs.items import RunFigures


@due("figures", RunFigures)
def count_run(site: str, row: RunFigures) -> None:
    added = actions.count_run(site, row)
    measures.log_samples(metrics.sample_figures(site, added))

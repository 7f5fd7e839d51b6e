"""Reads of the engine's own rows."""

from collections.abc import Iterable, Mapping

from config import table
from workflows.engine.items import Join

_MOST_JOINS = 100  # of one run: each stage has one an attempt


def newest_join(site: str, workflow_id: str, stage: str) -> Join | None:
    """How far the slices of a stage are in its latest attempt; None if it has none."""
    pk = table.JOIN.partition_key(site, workflow_id=workflow_id)
    prefix = Join.SK.startswith(table.JOIN.sort_prefix(stage=stage))
    return next(iter(Join.page(pk, sk=prefix, limit=1, newest_first=True).rows), None)


def list_joins(site: str, workflow_id: str) -> Mapping[str, Join]:
    """How far the slices of each stage are in its latest attempt, by the stage's name; one Query."""
    pk = table.JOIN.partition_key(site, workflow_id=workflow_id)
    rows = Join.page(pk, sk=Join.SK.startswith(table.JOIN.sort_prefix()), limit=_MOST_JOINS).rows
    return {str(row.SK).split("#")[1]: row for row in sorted(rows, key=lambda row: int(row.attempt))}


def first_joins(site: str, stages: Iterable[tuple[str, str]]) -> Mapping[str, Join]:
    """How far slices are, by the run's id, for runs and the stage that each is at; one call for a hundred.

    Of the first attempt: to find a later one takes a Query for each run.
    """
    keys = {
        table.JOIN.key(site, workflow_id=workflow_id, stage=stage, attempt=1): workflow_id
        for workflow_id, stage in stages
    }
    return {keys[found.key]: found for found in Join.load_many(list(keys), consistent=False)}

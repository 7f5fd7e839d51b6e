"""Reads of the engine's own rows."""

from config import table
from workflows.engine.items import Join


def newest_join(site: str, workflow_id: str, stage: str) -> Join | None:
    """How far the slices of a stage are in its latest attempt; None if it has none."""
    pk = table.JOIN.partition_key(site, workflow_id=workflow_id)
    prefix = Join.SK.startswith(table.JOIN.sort_prefix(stage=stage))
    return next(iter(Join.page(pk, sk=prefix, limit=1, newest_first=True).rows), None)

"""What a step used is added to its project's month, in the transaction that moves its run on: counted once or not."""

from collections.abc import Mapping, Sequence
from typing import Any

from pynamodb.expressions.update import Action

from config import clock, table
from config.transaction import EXISTS, Change, Update
from projects.counting import shard_of
from workflows.frozen import Run
from workflows.items.documents import DocumentWorkflow
from workflows.items.spending import COUNTS, Spending


def added(run: Run, used: Sequence[Mapping[str, Any]]) -> list[Change]:
    """One update a service and model, and one of the run's row; ``used`` with its price.

    Runs that fail later have used it too. A step that uses something must not write the run's row otherwise.
    """
    return [*(_added(run, one) for one in used), *([_of_run(run, used)] if used else [])]


def _of_run(run: Run, used: Sequence[Mapping[str, Any]]) -> Update:
    key = table.DOCUMENT_WORKFLOW.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id)
    actions: list[Action] = [DocumentWorkflow.micros.add(sum(int(one.get("micros", 0)) for one in used))]
    if unpriced := sum("micros" not in one for one in used):
        actions.append(DocumentWorkflow.unpriced.add(unpriced))
    return Update(key, actions, EXISTS)


def _added(run: Run, one: Mapping[str, Any]) -> Update:
    key = table.SPENDING.key(
        run.site,
        month=month_of(clock.iso(clock.now())),
        project_id=run.project_id,
        service=one["service"],
        name=one["model"],
        shard=shard_of(run.document_id),
    )
    numbers = {**one, "steps": 1, "unpriced": 0 if "micros" in one else 1}
    actions: list[Action] = [getattr(Spending, name).add(int(numbers[name])) for name in COUNTS if numbers.get(name)]
    named = {"project_id": run.project_id, "service": one["service"], "model": one["model"]}
    actions += [getattr(Spending, name).set(value) for name, value in named.items()]
    return Update(key, actions)


def month_of(instant: str) -> str:
    """Of a stored instant: 2026-11."""
    return instant[:7]

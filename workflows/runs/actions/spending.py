"""Metering: a run's usage is added to its project's month, exactly once, in the transaction that advances the run.

Metered calls are added when the work on them ends, successfully or not: a page, a slice or a step that fails has used
them too, and a redelivery adds only new calls.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from pynamodb.expressions.update import Action

from config import clock, table
from config.errors import Conflict
from config.transaction import EXISTS, Change, Update, transact
from projects.documents.counting import shard_of
from workflows.runs.items import COUNTS, DocumentWorkflow, Run, Spending
from workflows.runs.prices import add_prices
from workflows.stages.usage import Note, Usage, is_metered_by_call


@contextmanager
def meter_calls(run: Run) -> Iterator[Note]:
    """Yield a function that notes calls; add them up when the block ends, even by an error.

    A worker that is killed in the block loses its notes. Raises: Unavailable if the table does not answer.
    """
    noted: list[Usage] = []
    try:
        yield noted.append
    finally:
        if noted:
            _record(run, add_prices(noted))


@contextmanager
def meter_beside_runs(run: Run) -> Iterator[Note]:
    """Meter calls about a document outside of its runs: only its project's month is charged."""
    noted: list[Usage] = []
    try:
        yield noted.append
    finally:
        if noted:
            transact([_of_month(run, one) for one in add_prices(noted)])


def _record(run: Run, used: Sequence[Mapping[str, Any]]) -> None:
    try:
        transact(_add_spending(run, used))
    except Conflict:  # the run was purged meanwhile; its project's month is charged all the same
        transact([_of_month(run, one) for one in used])


def of_step(run: Run, used: Sequence[Mapping[str, Any]]) -> list[Change]:
    """Return the changes for the transaction that advances the run; ``used`` has prices, and was partly metered before.

    Runs that fail later are charged too. ``of_run`` is the part for the run's own row.
    """
    return [_of_month(run, one) for one in _unmetered(used)]


def of_run(used: Sequence[Mapping[str, Any]]) -> list[Action]:
    """Return the changes of the run's own row."""
    return _add_to_run(_unmetered(used))


def _unmetered(used: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [one for one in used if not is_metered_by_call(one["service"])]


def _add_spending(run: Run, used: Sequence[Mapping[str, Any]]) -> list[Change]:
    """Return one update a service and model, and one of the run's row."""
    key = table.DOCUMENT_WORKFLOW.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id)
    return [*(_of_month(run, one) for one in used), *([Update(key, _add_to_run(used), EXISTS)] if used else [])]


def _add_to_run(used: Sequence[Mapping[str, Any]]) -> list[Action]:
    if not used:
        return []
    actions: list[Action] = [DocumentWorkflow.micros.add(sum(int(one.get("micros", 0)) for one in used))]
    if unpriced := sum("micros" not in one for one in used):
        actions.append(DocumentWorkflow.unpriced.add(unpriced))
    return actions


def _of_month(run: Run, one: Mapping[str, Any]) -> Update:
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
    """Return the month of a stored instant: 2026-11."""
    return instant[:7]

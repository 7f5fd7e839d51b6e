"""That a run is to be counted: written in the transaction that begins, ends or reopens it."""

from pynamodb.expressions.update import Action

from config import table
from config.due import actions as due_work
from config.table import Key
from config.transaction import Update
from projects.documents.counting import shard_of
from workflows.runs.items import RunFigures
from workflows.runs.run import Run


def figures_key(run: Run) -> Key:
    return table.RUN_FIGURES.key(run.site, bucket=shard_of(run.document_id), workflow_id=run.workflow_id)


def schedule_figures(run: Run, now: str, *, received: bool = False, ended: bool = False) -> Update:
    """Due at once. ``received``: its document came with it. A row of its own, so that no other run's is waited for."""
    actions: list[Action] = [
        *due_work.schedule_actions(RunFigures, now, workflow_id=run.workflow_id),
        RunFigures.project_id.set(run.project_id),
        RunFigures.document_id.set(run.document_id),
        RunFigures.workflow_id.set(run.workflow_id),
        RunFigures.ended_at.set(now) if ended else RunFigures.ended_at.remove(),
    ]
    if received:
        actions.append(RunFigures.received_at.set(now))
    return Update(figures_key(run), actions, of=RunFigures)

"""Who may see an execution without a document: decided by the queues of its approvals, as for documents.

Whoever started it may always see it.
"""

from config.errors import NotFound
from config.item import Page
from projects.audit.events import Actor
from projects.queues import queries as queue_queries
from projects.queues import visibility
from projects.web.http import DeskRequest
from workflows.definitions import versions
from workflows.executions import queries
from workflows.executions.items import InputExecution


def get_visible(request: DeskRequest, execution_id: str, by: Actor) -> InputExecution:
    """Raises: NotFound, also if it is hidden, so that its existence is not revealed."""
    execution = queries.get_execution(request.site, execution_id)
    if not is_visible(execution, by, list_closed_names(request)):
        raise NotFound(queries.MISSING)
    return execution


def list_visible(request: DeskRequest, family: str, by: Actor, cursor: str | None) -> Page[InputExecution]:
    """List a family's executions, newest first, without hidden ones; an empty page is the last one."""
    closed = list_closed_names(request)
    return visibility.read_shown(
        lambda place: queries.list_executions(request.site, family, cursor=place),
        cursor,
        lambda rows: [one for one in rows if is_visible(one, by, closed)],
    )


def is_visible(execution: InputExecution, by: Actor, closed: frozenset[str]) -> bool:
    """``closed``: the names of the queues that are closed to the person."""
    if not closed or execution.triggeredBy == by.id:
        return True
    definition = versions.find_definition(execution.definition)
    return closed.isdisjoint(step.queue.casefold() for step in definition.steps if step.queue)


def list_closed_names(request: DeskRequest) -> frozenset[str]:
    """Return case-folded names of closed queues; no read if every queue is open to the person."""
    closed = visibility.list_closed_queues(request)
    if not closed:
        return frozenset()
    return frozenset(one.name.casefold() for one in queue_queries.all_queues(request.site) if one.id in closed)
